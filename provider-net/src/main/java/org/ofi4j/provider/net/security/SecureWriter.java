// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * What goes out over a connection with TLS once its handshake is over: encrypts it, and keeps what
 * the kernel has no room for. Guarded by the lock of the endpoint.
 */
final class SecureWriter {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ByteBuffer[] NO_MESSAGE = {NOTHING};

  private final SocketChannel socket;
  private final SSLEngine engine;
  private final Staging.Pool pool;

  // From its position to its limit.
  private ByteBuffer unsent = NOTHING;

  // Why nothing more can be written, though some of what was to be written last has been.
  private @Nullable IOException broken;

  SecureWriter(SocketChannel socket, SSLEngine engine, Staging.Pool pool) {
    this.socket = socket;
    this.engine = engine;
    this.pool = pool;
  }

  boolean hasUnsent() {
    return unsent.hasRemaining();
  }

  /** Throws if a part of what was written last may be all that arrives. */
  void checkWhole() throws IOException {
    IOException before = broken;
    if (before != null) {
      throw before;
    }
  }

  /** Sends what is encrypted already; nothing is unsent before. */
  void send(ByteBuffer encrypted) throws IOException {
    unsent = encrypted;
    flush();
  }

  /**
   * Sends what the kernel had no room for.
   *
   * @return whether that was all
   */
  boolean flush() throws IOException {
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
  void answer() throws IOException {
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
  long encrypt(ByteBuffer[] sources, int offset, int length) throws IOException {
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
          // What the kernel has already may arrive: it counts as taken, or it would be sent twice.
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

  /** What is left in a buffer that goes back to its pool. */
  static ByteBuffer copy(ByteBuffer rest) {
    return rest.hasRemaining() ? ByteBuffer.allocate(rest.remaining()).put(rest).flip() : NOTHING;
  }

  /** Tells the peer that nothing follows, or why not, if the kernel has room for that. */
  void finish() {
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
}
