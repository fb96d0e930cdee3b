package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ThreadLocalRandom;

/** What an endpoint says of itself in its connection messages. For one thread at a time. */
final class Handshake {
  // Not 0, and another one for each endpoint; C programs have their process id.
  private final int incarnation = ThreadLocalRandom.current().nextInt() | 1;
  private final int port;
  private final ConnectionMessage message = new ConnectionMessage();
  private final ByteBuffer out = ByteBuffer.allocateDirect(ConnectionMessage.MAX_SIZE);

  /**
   * For one endpoint.
   *
   * @param port the port that it listens on
   */
  Handshake(int port) {
    this.port = port;
  }

  /** Asks a peer to which TCP has connected. */
  void request(SocketChannel channel) throws IOException {
    message.set(ConnectionMessage.Type.REQUEST, ConnectionMessage.VERSION, 0, port, incarnation);
    message.writeTo(channel, out);
  }

  /** Accepts a request. */
  void accept(SocketChannel channel, ConnectionMessage request) throws IOException {
    message.answer(request, ConnectionMessage.Type.RESPONSE, incarnation);
    message.writeTo(channel, out);
  }

  /** Says that a connection is not wanted. */
  void refuse(SocketChannel channel, ConnectionMessage request) throws IOException {
    message.answer(request, ConnectionMessage.Type.REFUSAL, request.incarnation());
    message.writeTo(channel, out);
  }
}
