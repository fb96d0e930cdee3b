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
import java.util.concurrent.TimeUnit;

/**
 * The bytes of an exchange over a connection, and nothing around them: what the kernel and the
 * channels of the JDK take of a message is not to be had for less. A message is as long as one with
 * the header of a frame; nobody looks into it.
 */
final class BareChannel implements Exchange {
  /** What a frame has besides its payload. */
  static final int HEADER = 16;

  /** As much as is read at a time, if messages are short. */
  private static final int AT_A_TIME = 1 << 16;

  private static final int READS_BETWEEN_LOOKS = 4_000_000;
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  private final ServerSocketChannel listener;
  private final ByteBuffer output;
  private final ByteBuffer input;
  private SocketChannel channel = SocketChannel.open();

  BareChannel(int longest) throws IOException {
    output = ByteBuffer.allocateDirect(HEADER + longest);
    input = ByteBuffer.allocateDirect(Math.max(AT_A_TIME, HEADER + longest));
    listener = ServerSocketChannel.open();
    listener
        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
        .configureBlocking(false);
  }

  @Override
  public String title() {
    return "channels";
  }

  @Override
  public String name() {
    try {
      return Integer.toString(((InetSocketAddress) listener.getLocalAddress()).getPort());
    } catch (IOException closed) {
      throw new UncheckedIOException(closed);
    }
  }

  /** Of two sides the one that hears of the other first connects. */
  @Override
  public void peer(String name) throws IOException {
    channel.close();
    SocketChannel accepted = listener.accept();
    if (accepted == null) {
      accepted =
          SocketChannel.open(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(name)));
    }
    channel = accepted;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  @Override
  public void answer(int size, int count, Runnable ready) throws IOException {
    ready.run();
    for (int i = 0; i < count; i++) {
      read(size);
      write(input.flip());
    }
  }

  @Override
  public void ask(int size, long[] times) throws IOException {
    ByteBuffer question = output.clear().limit(HEADER + size);
    for (int i = HEADER; i < question.limit(); i++) {
      question.put(i, (byte) (i * 7 + times.length));
    }
    long start = System.nanoTime();
    for (int i = 0; i < times.length; i++) {
      write(question.rewind());
      read(size);
      long end = System.nanoTime();
      times[i] = end - start;
      start = end;
    }
    if (!input.flip().equals(question.rewind())) {
      throw new IllegalStateException("a message came back with other content");
    }
  }

  @Override
  public void take(int size, int count, Runnable ready) throws IOException {
    ready.run();
    long left = (long) count * (HEADER + size);
    int room = Math.max(AT_A_TIME, HEADER + size);
    input.clear();
    while (left > 0) {
      if (input.position() == room) {
        input.clear();
      }
      left -= read(input.limit((int) Math.min(room, input.position() + left)));
    }
    write(output.clear().limit(HEADER + 1));
  }

  @Override
  public long stream(int size, int count, boolean announced) throws IOException {
    ByteBuffer message = output.clear().limit(HEADER + size);
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      write(message.rewind());
    }
    read(1);
    return System.nanoTime() - start;
  }

  private void write(ByteBuffer message) throws IOException {
    long begin = 0;
    for (int i = 1; message.hasRemaining(); i++) {
      channel.write(message);
      begin = i % READS_BETWEEN_LOOKS == 0 ? patient(begin) : begin;
    }
  }

  /** Reads one message from its beginning. */
  private void read(int size) throws IOException {
    input.clear().limit(HEADER + size);
    while (input.hasRemaining()) {
      read(input);
    }
  }

  /** Reads something. */
  private int read(ByteBuffer into) throws IOException {
    long begin = 0;
    for (int i = 1; ; i++) {
      int count = channel.read(into);
      if (count < 0) {
        throw new EOFException("the other side is gone");
      }
      if (count > 0) {
        return count;
      }
      begin = i % READS_BETWEEN_LOOKS == 0 ? patient(begin) : begin;
    }
  }

  /** Ends waiting for a peer that is gone. */
  private static long patient(long begin) {
    long now = System.nanoTime();
    if (begin == 0) {
      return now;
    }
    if (now - begin > PATIENCE) {
      throw new IllegalStateException("nothing goes on any more");
    }
    return begin;
  }

  @Override
  public void close() throws IOException {
    channel.close();
    listener.close();
  }
}
