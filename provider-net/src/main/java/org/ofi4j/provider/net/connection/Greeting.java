// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * Reads the connection messages of one connection, one after the other and nothing behind them.
 * Guarded by the lock of the endpoint.
 */
final class Greeting {
  private final ReadableByteChannel in;

  // The bytes of the message that have arrived.
  private final ByteBuffer bytes = ByteBuffer.allocate(ConnectionMessage.MAX_SIZE);

  Greeting(ReadableByteChannel in) {
    this.in = in;
  }

  /**
   * Reads on.
   *
   * @param accepted whether the other side has opened the connection
   * @return whether the message is there as a whole
   * @throws IOException if it is none, or the connection has ended
   */
  boolean read(ConnectionMessage into, boolean accepted) throws IOException {
    while (true) {
      int size = ConnectionMessage.size(bytes, bytes.position());
      if (size < 0) {
        throw ConnectionMessage.stranger(bytes, bytes.position(), accepted);
      }
      if (bytes.position() == size) {
        if (!into.decode(bytes, size)) {
          throw new ProtocolException("a connection message is of no known kind");
        }
        return true;
      }
      if (in.read(bytes.limit(size)) < 0) {
        throw new EOFException("the connection was closed before it was open");
      }
      if (bytes.hasRemaining() && ConnectionMessage.size(bytes, bytes.position()) >= 0) {
        return false;
      }
    }
  }

  /** The message that was read last, from its first byte. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** Another message is to be read. */
  void next() {
    bytes.clear();
  }
}
