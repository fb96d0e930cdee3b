// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.io.IOException;
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
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * TLS between a connection and its socket. Looks like a socket that does not block: what is written
 * counts as taken once it is encrypted, and what the kernel has no room for is kept until {@link
 * #proceed}. The {@linkplain SecureHandshake handshake} goes along with reads and writes; a
 * connection message that is written before its end waits for it.
 *
 * <p>What was read from the socket beyond what a caller had room for is kept here. No selector
 * knows of that, so whoever has read asks {@link #hasBuffered}, and reads on.
 *
 * <p>Guarded by the lock of the endpoint.
 */
public final class SecureChannel implements ReadableByteChannel, GatheringByteChannel {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ByteBuffer[] NO_MESSAGE = {NOTHING};

  // Of a TLS record: u8 type | u16 version | u16 length, big-endian.
  private static final int RECORD_HEADER = 5;
  private static final int RECORD_LENGTH = 3;

  /** What {@link #binding} is exported as; see RFC 8446, 7.5. */
  private static final String BINDING = "EXPORTER-ofi4j-authorization-keys";

  private static final int BINDING_SIZE = 32;

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final boolean connects;
  public final SecureHandshake handshake;
  private final Staging.Pool pool;
  private final ByteBuffer[] single = {NOTHING};

  // Each from its position to its limit.
  private ByteBuffer received = NOTHING;
  private ByteBuffer clear = NOTHING;
  private ByteBuffer early = NOTHING;
  private ByteBuffer unsent = NOTHING;

  // Why nothing more can be written, though some of what was to be written last has been.
  private @Nullable IOException broken;

  // Both sides know each other.
  private boolean established;

  // Nothing more comes, and whether the peer has said so.
  private boolean ended;
  private boolean endAnnounced;

  // Whether a record has come since: a peer that does not take our certificate sends none.
  private boolean heard;

  // Records of the call that is under way; those without a message, and bytes of messages, since
  // the former were counted anew.
  private int records;
  private int recordsInVain;
  private long bytes;

  // The socket is left alone: what is buffered goes first.
  private boolean resting;

  /**
   * Nothing is read or written yet.
   *
   * @param engine new, with its role
   */
  SecureChannel(
      SocketChannel socket, SSLEngine engine, SecureHandshake handshake, Staging.Pool pool) {
    this.socket = socket;
    this.engine = engine;
    connects = engine.getUseClientMode();
    this.handshake = handshake;
    this.pool = pool;
  }

  /** Whether reading would give something without asking the socket. */
  public boolean hasBuffered() {
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
  public boolean hasUnsent() {
    return unsent.hasRemaining() || (established && early.hasRemaining());
  }

  /** Says whether reads leave the socket alone and give what is buffered. */
  public void rest(boolean leaveSocket) {
    resting = leaveSocket;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    int start = into.position();
    proceed();
    records = 0;
    boolean more = established;
    while (more && into.hasRemaining() && records < TcpLimits.TLS_RECORDS) {
      if (clear.hasRemaining()) {
        move(clear, into);
      } else {
        more = decrypt(into);
      }
    }
    int count = into.position() - start;
    if (count > 0 || !ended || handshake.isBusy()) {
      return count;
    }
    if ((connects && !heard) || (established && !endAnnounced)) {
      throw cut(new CutOffException());
    }
    return -1;
  }

  /** What it means if the socket ends or breaks now. */
  private IOException cut(IOException end) {
    if (!connects || heard) {
      return end;
    }
    return new SSLException(
        "TLS: the peer has closed the connection and not taken our certificate: as a rule it has no"
            + " TLS, or does not trust us, or the handshake took longer than 5 seconds",
        end);
  }

  private static void move(ByteBuffer from, ByteBuffer into) {
    int count = Math.min(from.remaining(), into.remaining());
    into.put(into.position(), from, from.position(), count);
    into.position(into.position() + count);
    from.position(from.position() + count);
  }

  /** Decrypts what has come; false if that was nothing. */
  private boolean decrypt(ByteBuffer into) throws IOException {
    try (Staging staging = pool.borrow()) {
      ByteBuffer encrypted = staging.buffer.clear();
      boolean ask = !resting && !ended && !hasRecord();
      encrypted.put(received);
      received = NOTHING;
      if (ask) {
        receive(encrypted);
      }
      encrypted.flip();
      int before = encrypted.remaining();
      try {
        unwrap(encrypted, into);
      } catch (SSLException refused) {
        throw refusal(refused);
      }
      int after = encrypted.remaining();
      received = copy(encrypted);
      return after < before;
    }
  }

  private int receive(ByteBuffer encrypted) throws IOException {
    try {
      int count = socket.read(encrypted);
      ended |= count < 0;
      return count;
    } catch (IOException lost) {
      throw cut(lost);
    }
  }

  private void unwrap(ByteBuffer encrypted, ByteBuffer into) throws IOException {
    while (encrypted.hasRemaining() && into.hasRemaining() && records < TcpLimits.TLS_RECORDS) {
      int before = encrypted.remaining();
      SSLEngineResult result = engine.unwrap(encrypted, into);
      switch (result.getStatus()) {
        case BUFFER_OVERFLOW -> unwrapAside(encrypted, into);
        case BUFFER_UNDERFLOW -> {
          return;
        }
        case CLOSED -> {
          end();
          return;
        }
        case OK -> count(result);
      }
      answer();
      if (encrypted.remaining() == before) {
        return;
      }
    }
  }

  /** Decrypts a record for which a caller has too little room. */
  private void unwrapAside(ByteBuffer encrypted, ByteBuffer into) throws IOException {
    try (Staging staging = pool.borrow()) {
      SSLEngineResult result = engine.unwrap(encrypted, staging.buffer.clear());
      count(result);
      if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
        end();
      }
      ByteBuffer whole = staging.buffer.flip();
      move(whole, into);
      clear = copy(whole);
    }
  }

  private void end() {
    ended = true;
    endAnnounced = true;
  }

  /** Refuses records that only keep us busy. */
  private void count(SSLEngineResult result) throws SSLException {
    heard = true;
    records++;
    bytes += result.bytesProduced();
    if (bytes >= TcpLimits.TURN_SIZE) {
      bytes = 0;
      recordsInVain = 0;
    }
    if (result.bytesProduced() == 0 && ++recordsInVain > TcpLimits.TLS_RECORDS_IN_VAIN) {
      throw new SSLException(
          "more than " + TcpLimits.TLS_RECORDS_IN_VAIN + " records came without a message");
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

  /**
   * Goes on with what has to go out.
   *
   * @return whether the kernel would take more
   */
  public boolean proceed() throws IOException {
    try {
      if (!flush()) {
        return false;
      }
      if (!established) {
        shakeHands();
      }
      if (established && early.hasRemaining() && flush()) {
        ByteBuffer[] waited = {early};
        early = NOTHING;
        encrypt(waited, 0, 1);
      }
      return !unsent.hasRemaining();
    } catch (SSLException refused) {
      throw refused;
    } catch (IOException lost) {
      throw cut(lost);
    }
  }

  /** Takes what the last step of the handshake has left, and begins another one. */
  private void shakeHands() throws IOException {
    if (handshake.isBusy()) {
      return;
    }
    Throwable failure = handshake.failure;
    try {
      unsent = handshake.pollUnsent();
      flush();
    } catch (IOException lost) {
      if (failure == null) {
        throw lost;
      }
    }
    if (failure != null) {
      throw refusal(failure);
    }
    if (handshake.over) {
      established = true;
      received = handshake.pollReceived();
      return;
    }
    try (Staging staging = pool.borrow()) {
      ByteBuffer encrypted = staging.buffer.clear().put(handshake.pollReceived()).put(received);
      int came = ended ? 0 : receive(encrypted);
      received = copy(encrypted.flip());
      if (came > 0 || (connects && !handshake.begun)) {
        ByteBuffer all = received;
        received = NOTHING;
        handshake.goOn(all);
      }
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
    if (broken != null) {
      throw broken;
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

  /** What is thrown for a peer that TLS refuses, once the peer was told why. */
  private IOException refusal(Throwable refused) {
    if (refused instanceof FabricException noMemory) {
      throw noMemory;
    }
    finish();
    String words = "TLS: " + SecureHandshake.reason(refused);
    return connects ? new SSLException(words, refused) : new ProtocolException(words);
  }

  /** Tells the peer that nothing follows, or why not, if the kernel has room for that. */
  public void finish() {
    // A handshake that fails says so itself, and the engine is not ours.
    if (!established) {
      return;
    }
    try {
      engine.closeOutbound();
      for (int i = 0; i < TcpLimits.LAST_WRITES && !engine.isOutboundDone() && flush(); i++) {
        encrypt(NO_MESSAGE, 0, 0);
      }
      flush();
    } catch (IOException alreadyGone) {
      // It does not want to know any more.
    }
  }

  /**
   * Sends what the kernel had no room for.
   *
   * @return whether that was all
   */
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

  /** Says what the protocol wants after a record has come: that there are new keys, for one. */
  private void answer() throws IOException {
    boolean more = true;
    while (more) {
      more =
          switch (engine.getHandshakeStatus()) {
            case NEED_WRAP -> flush() && encrypt(NO_MESSAGE, 0, 0) == 0 && !engine.isOutboundDone();
            // TLS 1.3 has one handshake, which is over.
            case NEED_TASK -> throw new SSLException("the peer begins another handshake");
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN, FINISHED, NOT_HANDSHAKING -> false;
          };
    }
  }

  /** Encrypts and sends, within a bound; with nothing to encrypt, what the handshake has to say. */
  private long encrypt(ByteBuffer[] sources, int offset, int length) throws IOException {
    try (Staging staging = pool.borrow()) {
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
          // Bytes that the kernel has may arrive: they count as taken, or they would be sent twice.
          broken = new IOException(failed.getMessage(), failed);
          return before;
        }
        unsent = copy(out);
      }
      return taken;
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

  /** Returns a copy of the remaining bytes of a buffer that goes back to its pool. */
  private static ByteBuffer copy(ByteBuffer rest) {
    return rest.hasRemaining() ? ByteBuffer.allocate(rest.remaining()).put(rest).flip() : NOTHING;
  }

  @Override
  public boolean isOpen() {
    return socket.isOpen();
  }

  @Override
  public void close() throws IOException {
    handshake.cancel();
    socket.close();
  }
}
