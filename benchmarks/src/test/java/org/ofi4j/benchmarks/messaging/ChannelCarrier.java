// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A connection of the JDK, and nothing around it but the length before each message; 16 messages a
 * write. What the kernel and the channels take of a message is not to be had for less. Neither side
 * sleeps.
 */
final class ChannelCarrier extends EchoCarrier {
  private static final int MESSAGES_OF_A_WRITE = 16;
  private static final int LEAST_READ = 1 << 18;

  private final int bytes;
  private final SocketChannel asking;
  private final SocketChannel answering;
  private final ByteBuffer output;
  private final ByteBuffer payload;
  private final ByteBuffer answers;
  private volatile boolean isClosed;

  ChannelCarrier(int bytes) throws IOException {
    this.bytes = bytes;
    int frame = Integer.BYTES + bytes;
    output = ByteBuffer.allocateDirect(MESSAGES_OF_A_WRITE * frame);
    payload = ByteBuffer.allocateDirect(bytes);
    answers = ByteBuffer.allocateDirect(Math.max(LEAST_READ, 2 * frame));
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      asking = prepared(SocketChannel.open(listener.getLocalAddress()));
      answering = prepared(listener.accept());
    }
    Thread.ofPlatform().daemon().start(this::answer);
  }

  private static SocketChannel prepared(SocketChannel channel) throws IOException {
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return channel;
  }

  @Override
  void send(int messages) throws IOException {
    for (int sent = 1; sent <= messages; sent++) {
      payload.clear().put(0, sent == messages ? LAST : MORE);
      output.putInt(bytes).put(payload);
      if (sent == messages || !output.hasRemaining()) {
        write(asking, output.flip());
        output.clear();
      }
    }
  }

  private static void write(SocketChannel channel, ByteBuffer all) throws IOException {
    while (all.hasRemaining()) {
      channel.write(all);
    }
  }

  @Override
  void awaitAnswer() throws IOException {
    answers.clear().limit(Integer.BYTES + bytes);
    while (answers.hasRemaining()) {
      read(asking, answers);
    }
  }

  private static void read(SocketChannel channel, ByteBuffer into) throws IOException {
    if (channel.read(into) < 0) {
      throw new EOFException("the other side ended");
    }
  }

  private void answer() {
    ByteBuffer input = ByteBuffer.allocateDirect(answers.capacity());
    try {
      while (true) {
        read(answering, input);
        input.flip();
        while (input.remaining() > Integer.BYTES
            && input.remaining() >= Integer.BYTES + input.getInt(input.position())) {
          int length = Integer.BYTES + input.getInt(input.position());
          if (received(input.get(input.position() + Integer.BYTES))) {
            write(answering, input.slice(input.position(), length));
          }
          input.position(input.position() + length);
        }
        input.compact();
      }
    } catch (IOException e) {
      if (!isClosed) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    isClosed = true;
    asking.close();
    answering.close();
  }
}
