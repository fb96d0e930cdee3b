// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Staging;

/**
 * TLS between a connection and its socket. Looks like a socket that does not block: what is written
 * counts as taken once it is encrypted, and what the kernel has no room for is kept until {@link
 * #proceed}. The handshake goes along with reads and writes; a connection message that is written
 * before its end waits for it.
 *
 * <p>What was read from the socket beyond what a caller had room for is kept here. No selector
 * knows of that, so whoever has read asks {@link #hasBuffered}, and reads on.
 *
 * <p>Guarded by the lock of the endpoint.
 */
final class SecureChannel implements ReadableByteChannel, GatheringByteChannel {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  // Of a TLS record: u8 type | u16 version | u16 length, big-endian.
  private static final int RECORD_HEADER = 5;
  private static final int RECORD_LENGTH = 3;

  /** What {@link #binding} is exported as; see RFC 8446, 7.5. */
  private static final String BINDING = "EXPORTER-ofi4j-authorization-keys";

  private static final int BINDING_SIZE = 32;

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final @Nullable InetAddress host;
  private final Staging.Pool pool;
  private final ByteBuffer[] single = {NOTHING};

  // Each from its position to its limit.
  private ByteBuffer received = NOTHING;
  private ByteBuffer clear = NOTHING;
  private ByteBuffer unsent = NOTHING;
  private ByteBuffer early = NOTHING;

  // Both sides know each other.
  private boolean established;

  // The peer sends no more.
  private boolean ended;

  // Why nothing more can be written, though some of what was to be written last has been.
  private @Nullable IOException broken;

  // The socket is left alone: what is buffered goes first.
  private boolean resting;

  /**
   * Nothing is read or written yet.
   *
   * @param engine new, with its role
   * @param host what the peer's certificate must name; null for any host
   * @param pool buffers for the time of a call
   */
  SecureChannel(
      SocketChannel socket, SSLEngine engine, @Nullable InetAddress host, Staging.Pool pool)
      throws SSLException {
    this.socket = socket;
    this.engine = engine;
    this.host = host;
    this.pool = pool;
    engine.beginHandshake();
  }

  /** Whether reading would give something without asking the socket. */
  boolean hasBuffered() {
    return clear.hasRemaining() || hasRecord();
  }

  private boolean hasRecord() {
    if (received.remaining() < RECORD_HEADER) {
      return false;
    }
    int length = Short.toUnsignedInt(received.getShort(received.position() + RECORD_LENGTH));
    return received.remaining() >= RECORD_HEADER + length;
  }

  /** Whether something waits for room in the kernel. */
  boolean hasUnsent() {
    return unsent.hasRemaining();
  }

  /** Says whether reads leave the socket alone and give what is buffered. */
  void rest(boolean leaveSocket) {
    resting = leaveSocket;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int start = into.position();
    try {
      proceed();
      boolean more = true;
      while (more && into.hasRemaining()) {
        if (clear.hasRemaining()) {
          move(clear, into);
        } else {
          more = decrypt(into);
        }
      }
    } catch (SSLException refused) {
      throw refusal(refused);
    }
    int count = into.position() - start;
    return count == 0 && ended ? -1 : count;
  }

  private static void move(ByteBuffer from, ByteBuffer into) {
    int count = Math.min(from.remaining(), into.remaining());
    into.put(into.position(), from, from.position(), count);
    into.position(into.position() + count);
    from.position(from.position() + count);
  }

  /** Decrypts what has come; false if that was nothing. */
  private boolean decrypt(ByteBuffer into) throws IOException {
    Staging staging = pool.borrow();
    try {
      ByteBuffer encrypted = staging.buffer.clear();
      boolean ask = !resting && !ended && !hasRecord();
      encrypted.put(received);
      received = NOTHING;
      if (ask && socket.read(encrypted) < 0) {
        ended = true;
      }
      encrypted.flip();
      int before = encrypted.remaining();
      unwrap(encrypted, into);
      int after = encrypted.remaining();
      received = copy(encrypted);
      return after < before;
    } finally {
      pool.giveBack(staging);
    }
  }

  private void unwrap(ByteBuffer encrypted, ByteBuffer into) throws IOException {
    while (encrypted.hasRemaining() && into.hasRemaining()) {
      int before = encrypted.remaining();
      SSLEngineResult result = engine.unwrap(encrypted, into);
      switch (result.getStatus()) {
        case BUFFER_OVERFLOW -> unwrapAside(encrypted, into);
        case BUFFER_UNDERFLOW -> {
          return;
        }
        case CLOSED -> {
          ended = true;
          return;
        }
        case OK -> note(result);
      }
      shakeHands();
      if (encrypted.remaining() == before) {
        return;
      }
    }
  }

  /** Decrypts a record for which a caller has too little room. */
  private void unwrapAside(ByteBuffer encrypted, ByteBuffer into) throws IOException {
    Staging staging = pool.borrow();
    try {
      SSLEngineResult result = engine.unwrap(encrypted, staging.buffer.clear());
      note(result);
      ended |= result.getStatus() == SSLEngineResult.Status.CLOSED;
      ByteBuffer whole = staging.buffer.flip();
      move(whole, into);
      clear = copy(whole);
    } finally {
      pool.giveBack(staging);
    }
  }

  private static ByteBuffer copy(ByteBuffer rest) {
    return rest.hasRemaining() ? ByteBuffer.allocate(rest.remaining()).put(rest).flip() : NOTHING;
  }

  private void note(SSLEngineResult result) throws SSLException {
    if (!established && result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED) {
      // Also in a session that was taken up again, of which the engine believes what it knew.
      PeerCertificate.check(engine.getSession(), host);
      established = true;
    }
  }

  /**
   * What the two ends of this connection know and nobody else, not even who stands between two
   * connections of TLS: 32 bytes, the same at both.
   */
  byte[] binding() throws IOException {
    if (!established) {
      throw new SSLException("the handshake is not over");
    }
    try {
      if (engine.getSession() instanceof ExtendedSSLSession session) {
        return session.exportKeyingMaterialData(BINDING, null, BINDING_SIZE);
      }
    } catch (UnsupportedOperationException | IllegalStateException missing) {
      throw new SSLException("the TLS provider exports no keying material", missing);
    }
    throw new SSLException("the TLS provider exports no keying material");
  }

  // What the handshake, and later the protocol, wants by itself.

  /**
   * Goes on with what has to go out.
   *
   * @return whether the kernel would take more
   */
  boolean proceed() throws IOException {
    if (!flush()) {
      return false;
    }
    if (!established) {
      shakeHands();
    }
    return !unsent.hasRemaining();
  }

  private boolean flush() throws IOException {
    if (unsent.hasRemaining()) {
      socket.write(unsent);
      if (unsent.hasRemaining()) {
        return false;
      }
      unsent = NOTHING;
    }
    return true;
  }

  private void shakeHands() throws IOException {
    boolean more = true;
    while (more) {
      more =
          switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> {
              Runnable task = engine.getDelegatedTask();
              if (task != null) {
                task.run();
              }
              yield true;
            }
            case NEED_WRAP -> flush() && encrypt(single, 0, 0) == 0 && !engine.isOutboundDone();
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> false;
          };
    }
    if (established && early.hasRemaining() && flush()) {
      ByteBuffer[] waited = {early};
      early = NOTHING;
      encrypt(waited, 0, 1);
    }
  }

  @Override
  public int write(ByteBuffer source) throws IOException {
    single[0] = source;
    try {
      return (int) write(single, 0, 1);
    } finally {
      single[0] = NOTHING;
    }
  }

  @Override
  public long write(ByteBuffer[] sources) throws IOException {
    return write(sources, 0, sources.length);
  }

  @Override
  public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, sources.length);
    IOException before = broken;
    if (before != null) {
      throw before;
    }
    boolean free = proceed();
    if (!established) {
      return early.hasRemaining() ? 0 : keep(sources, offset, length);
    }
    return free ? encrypt(sources, offset, length) : 0;
  }

  /** Keeps a connection message until the handshake is over. */
  private long keep(ByteBuffer[] sources, int offset, int length) throws IOException {
    ByteBuffer kept = ByteBuffer.allocate(ConnectionMessage.MAX_SIZE);
    for (int i = offset; i < offset + length; i++) {
      move(sources[i], kept);
    }
    early = kept.flip();
    return early.remaining();
  }

  /** Encrypts and sends, within a bound; with nothing to encrypt, what the handshake has to say. */
  private long encrypt(ByteBuffer[] sources, int offset, int length) throws IOException {
    Staging staging = pool.borrow();
    try {
      long taken = 0;
      ByteBuffer out = staging.buffer;
      boolean left = true;
      for (int i = 0; i < TcpLimits.WRITES && left && !unsent.hasRemaining(); i++) {
        long before = taken;
        try {
          taken += encrypt(sources, offset, length, out.clear());
          left = hasRemaining(sources, offset, length);
          socket.write(out.flip());
        } catch (IOException | RuntimeException | InternalError failed) {
          if (before == 0) {
            throw failed;
          }
          // What the kernel has already may arrive: it counts as taken, or it would be sent twice.
          broken = new IOException(failed.getMessage(), failed);
          return before;
        }
        unsent = copy(out);
      }
      return taken;
    } finally {
      pool.giveBack(staging);
    }
  }

  private long encrypt(ByteBuffer[] sources, int offset, int length, ByteBuffer out)
      throws IOException {
    long taken = 0;
    do {
      SSLEngineResult result = engine.wrap(sources, offset, length, out);
      if (result.getStatus() == SSLEngineResult.Status.CLOSED && length > 0) {
        throw new IOException("the peer has ended TLS");
      }
      note(result);
      taken += result.bytesConsumed();
    } while (hasRemaining(sources, offset, length)
        && out.remaining() >= engine.getSession().getPacketBufferSize());
    return taken;
  }

  private static boolean hasRemaining(ByteBuffer[] sources, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      if (sources[i].hasRemaining()) {
        return true;
      }
    }
    return false;
  }

  // The end.

  /** What is thrown for a peer that TLS refuses, once the peer was told why. */
  private IOException refusal(SSLException refused) {
    finish();
    String words = "TLS: " + refused.getMessage();
    if (engine.getUseClientMode()) {
      return new SSLException(words, refused);
    }
    return new ProtocolException(words);
  }

  /** Tells the peer that nothing follows, or why not, if the kernel has room for that. */
  void finish() {
    try {
      engine.closeOutbound();
      for (int i = 0; i < TcpLimits.LAST_WRITES && !engine.isOutboundDone() && flush(); i++) {
        encrypt(single, 0, 0);
      }
      flush();
    } catch (IOException alreadyGone) {
      // It does not want to know any more.
    }
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
