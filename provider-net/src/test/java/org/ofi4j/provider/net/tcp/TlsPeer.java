// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/** A peer that holds its own engine, and so can say what the JDK's sockets with TLS never say. */
final class TlsPeer {
  private static final int ROOM = 1 << 16;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private TlsPeer() {}

  /**
   * Connects as far as that depends on this side.
   *
   * @param received holds what has come and was not looked at, from its position to its limit
   */
  static SSLEngine shakeHands(SSLContext context, Socket socket, ByteBuffer received)
      throws IOException {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(true);
    engine.beginHandshake();
    ByteBuffer room = ByteBuffer.allocate(ROOM);
    while (engine.getHandshakeStatus() != SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING) {
      switch (engine.getHandshakeStatus()) {
        case NEED_WRAP -> {
          engine.wrap(NOTHING, room.clear());
          write(socket, room.flip());
        }
        case NEED_TASK -> engine.getDelegatedTask().run();
        default -> {
          if (engine.unwrap(received, room.clear()).bytesConsumed() == 0) {
            int count =
                socket
                    .getInputStream()
                    .read(
                        received.compact().array(),
                        received.arrayOffset() + received.position(),
                        received.remaining());
            if (count < 0) {
              throw new EOFException("the other side has closed it");
            }
            received.position(received.position() + count).flip();
          }
        }
      }
    }
    return engine;
  }

  /** As many new keys as are wanted, one after the other. */
  static ByteBuffer newKeys(SSLEngine engine, int count) throws SSLException {
    ByteBuffer all = ByteBuffer.allocate(ROOM + 64 * count);
    for (int i = 0; i < count; i++) {
      engine.beginHandshake();
      while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP) {
        engine.wrap(NOTHING, all);
      }
    }
    return all.flip();
  }

  static ByteBuffer encrypted(SSLEngine engine, byte[] message) throws SSLException {
    ByteBuffer out = ByteBuffer.allocate(ROOM);
    engine.wrap(ByteBuffer.wrap(message), out);
    return out.flip();
  }

  static void write(Socket socket, ByteBuffer bytes) throws IOException {
    socket
        .getOutputStream()
        .write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
  }
}
