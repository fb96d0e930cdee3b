// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Round trips over a connection, and nothing around them: what the kernel and the channels of the
 * JDK take of a message is not to be had for less. Another thread sends each one back; neither
 * sleeps.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class ChannelBenchmark {
  /** What a frame has besides its payload. */
  private static final int HEADER = 16;

  @Param({"1", "64", "1024", "4096", "16384", "65536", "262144", "1048576"})
  private int bytes;

  private SocketChannel asking;
  private SocketChannel answering;
  private ByteBuffer message;

  @Setup(Level.Trial)
  public void connect() throws IOException {
    message = ByteBuffer.allocateDirect(HEADER + bytes);
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

  @TearDown(Level.Trial)
  public void close() throws IOException {
    asking.close();
    answering.close();
  }

  @Benchmark
  public void roundTrip() throws IOException {
    write(asking, message.clear());
    read(asking, message.clear());
  }

  /** Ends with the connection. */
  private void answer() {
    ByteBuffer input = ByteBuffer.allocateDirect(HEADER + bytes);
    try {
      while (answering.isOpen()) {
        read(answering, input.clear());
        write(answering, input.flip());
      }
    } catch (IOException closed) {
      // Nobody asks any more.
    }
  }

  private static void read(SocketChannel channel, ByteBuffer into) throws IOException {
    while (into.hasRemaining()) {
      if (channel.read(into) < 0) {
        throw new EOFException("the other side is gone");
      }
    }
  }

  private static void write(SocketChannel channel, ByteBuffer from) throws IOException {
    while (from.hasRemaining()) {
      channel.write(from);
    }
  }
}
