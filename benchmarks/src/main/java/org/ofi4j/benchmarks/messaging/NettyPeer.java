// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A connection of Netty with its own event loop, in which all work happens, as in an application
 * that is written for Netty. A stream is flushed after each 16 short messages, and pauses while the
 * channel is not writable.
 */
final class NettyPeer implements Peer {
  private static final int PATIENCE_MINUTES = 5;

  private final NettyTransport transport;
  private final int longest;
  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
  private final Channel listener;
  private @Nullable Channel channel;

  /** The current work, for the event loop. */
  private volatile Work work = frame -> {};

  /** Reacts to what happens to the connection, in the event loop. */
  @FunctionalInterface
  private interface Work {
    void received(ByteBuf frame);

    default void writable() {}
  }

  NettyPeer(NettyTransport transport, int longest) throws IOException {
    this.transport = transport;
    this.longest = longest;
    ServerBootstrap server =
        transport.server(
            longest,
            channel -> {
              channel.pipeline().addLast(new Handler());
              accepted.add(channel);
            });
    listener = NettyTransport.await(server.bind(NettyTransport.ANY_PORT));
  }

  /** Hands events to the current work. */
  private final class Handler extends SimpleChannelInboundHandler<ByteBuf> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
      work.received(frame);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      work.writable();
    }
  }

  @Override
  public String name() {
    return NettyTransport.name(listener);
  }

  @Override
  public void connect(String name) throws IOException {
    if (name().compareTo(name) > 0) {
      try {
        channel = accepted.take();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    } else {
      Bootstrap client =
          transport.client(longest, connected -> connected.pipeline().addLast(new Handler()));
      channel = NettyTransport.await(client.connect(NettyTransport.address(name)));
    }
  }

  private Channel channel() {
    if (channel == null) {
      throw new IllegalStateException("not connected");
    }
    return channel;
  }

  /** Waits for the end of work in the event loop. */
  static <T> T await(CompletableFuture<T> done) throws InterruptedException {
    try {
      return done.get(PATIENCE_MINUTES, TimeUnit.MINUTES);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("nothing comes any more", e);
    }
  }

  @Override
  public void answer(int size, int count, Runnable ready) throws InterruptedException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    work =
        new Work() {
          private int answered;

          @Override
          public void received(ByteBuf frame) {
            NettyTransport.send(channel(), frame.retain());
            if (++answered == count) {
              done.complete(true);
            }
          }
        };
    ready.run();
    await(done);
  }

  @Override
  public void ask(int size, long[] times) throws InterruptedException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    ByteBuf question = NettyTransport.frame(size, times.length);
    long begin = System.nanoTime();
    work =
        new Work() {
          private int answered;
          private long start = begin;

          @Override
          public void received(ByteBuf frame) {
            long end = System.nanoTime();
            times[answered] = end - start;
            start = end;
            if (++answered < times.length) {
              NettyTransport.send(channel(), question.retainedDuplicate());
            } else {
              done.complete(frame.equals(question));
            }
          }
        };
    NettyTransport.send(channel(), question.retainedDuplicate());
    Peer.checkContent(await(done));
    question.release();
  }

  @Override
  public void take(int size, int count, Runnable ready) throws InterruptedException {
    CompletableFuture<Long> done = new CompletableFuture<>();
    work =
        new Work() {
          private int taken;
          private long bytes;

          @Override
          public void received(ByteBuf frame) {
            bytes += frame.readableBytes() - Integer.BYTES;
            if (++taken == count) {
              NettyTransport.send(channel(), NettyTransport.frame(1, 0));
              done.complete(bytes);
            }
          }
        };
    ready.run();
    Peer.checkReceived(await(done), (long) size * count);
  }

  @Override
  public long stream(int size, int count, boolean announced) throws InterruptedException {
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    ByteBuf message = NettyTransport.frame(size, 0);
    int together = size <= SHORT ? MESSAGES_OF_A_WRITE : 1;
    Work stream =
        new Work() {
          private int sent;

          @Override
          public void writable() {
            Channel channel = channel();
            while (sent < count && channel.isWritable()) {
              sent++;
              NettyTransport.write(channel, message.retainedDuplicate());
              if (sent % together == 0 || sent == count || !channel.isWritable()) {
                channel.flush();
              }
            }
          }

          @Override
          public void received(ByteBuf frame) {
            done.complete(true);
          }
        };
    work = stream;
    long start = System.nanoTime();
    channel().eventLoop().execute(stream::writable);
    await(done);
    long nanos = System.nanoTime() - start;
    message.release();
    return nanos;
  }

  @Override
  public void close() {
    transport.close();
  }
}
