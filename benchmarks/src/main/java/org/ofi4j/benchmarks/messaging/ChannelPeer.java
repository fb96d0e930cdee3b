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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A blocking {@link SocketChannel} of the JDK, with nothing around it but the length before each
 * message. Messages are written one by one, or short ones 16 at a time.
 */
final class ChannelPeer implements Peer {
  private static final int HEADER = Integer.BYTES;
  private static final int LEAST_READ = 1 << 18;

  private final boolean isBatched;
  private final ServerSocketChannel listener;
  private final ByteBuffer frame;
  private final ByteBuffer batch =
      ByteBuffer.allocateDirect(MESSAGES_OF_A_WRITE * (HEADER + SHORT));
  private final ByteBuffer input;
  private @Nullable SocketChannel channel;

  ChannelPeer(int longest, boolean isBatched) throws IOException {
    this.isBatched = isBatched;
    frame = ByteBuffer.allocateDirect(HEADER + longest);
    input = ByteBuffer.allocateDirect(Math.max(LEAST_READ, HEADER + longest));
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @Override
  public String name() {
    return Integer.toString(listener.socket().getLocalPort());
  }

  @Override
  public void connect(String name) throws IOException {
    SocketChannel connected =
        name().compareTo(name) > 0
            ? listener.accept()
            : SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(name)));
    connected.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel = connected;
  }

  private SocketChannel channel() {
    return Objects.requireNonNull(channel, "not connected");
  }

  @Override
  public void answer(int size, int count, Runnable ready) throws IOException {
    ready.run();
    for (int i = 0; i < count; i++) {
      receive(size, 1);
      write(input.slice(0, HEADER + size));
    }
  }

  @Override
  public void ask(int size, long[] times) throws IOException {
    ByteBuffer question = frame(size);
    for (int i = 0; i < size; i++) {
      question.put(HEADER + i, Peer.content(i, times.length));
    }
    long start = System.nanoTime();
    for (int i = 0; i < times.length; i++) {
      write(question.rewind());
      receive(size, 1);
      long end = System.nanoTime();
      times[i] = end - start;
      start = end;
    }
    Peer.checkContent(input.slice(0, HEADER + size).equals(question.rewind()));
  }

  @Override
  public void take(int size, int count, Runnable ready) throws IOException {
    ready.run();
    receive(size, count);
    write(frame(1));
  }

  @Override
  public long stream(int size, int count, boolean announced) throws IOException {
    ByteBuffer message = frame(size);
    int together = isBatched && size <= SHORT ? MESSAGES_OF_A_WRITE : 1;
    long start = System.nanoTime();
    for (int sent = 1; sent <= count; sent++) {
      if (together == 1) {
        write(message.rewind());
      } else {
        batch.put(message.rewind());
        if (sent % together == 0 || sent == count) {
          write(batch.flip());
          batch.clear();
        }
      }
    }
    receive(1, 1);
    return System.nanoTime() - start;
  }

  /** Returns a message with its length before it. */
  private ByteBuffer frame(int size) {
    return frame.clear().putInt(0, size).limit(HEADER + size);
  }

  private void write(ByteBuffer all) throws IOException {
    while (all.hasRemaining()) {
      channel().write(all);
    }
  }

  /** Waits for messages; the last one is at the beginning of the input if it is the only one. */
  private void receive(int size, int count) throws IOException {
    int length = HEADER + size;
    int received = 0;
    input.clear();
    while (received < count) {
      if (size > SHORT) {
        // One message at a time, so that no part of the next one has to be moved.
        input.limit(length);
      }
      if (channel().read(input) < 0) {
        throw new EOFException("the other side ended");
      }
      int at = 0;
      for (; input.position() - at >= length; at += length) {
        Peer.checkReceived(input.getInt(at), size);
        received++;
      }
      input.flip().position(at);
      input.compact();
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
