// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A connection of Netty's native transport, an event loop for each side; 16 messages a flush. */
final class NettyCarrier extends EchoCarrier {
  private static final int MESSAGES_OF_A_FLUSH = 16;
  private static final int PATIENCE_MINUTES = 5;

  private final int bytes;
  private final EventLoopGroup askingLoop = loop();
  private final EventLoopGroup answeringLoop = loop();
  private final Semaphore answers = new Semaphore(0);
  private final Channel asking;

  NettyCarrier(int bytes) throws InterruptedException {
    this.bytes = bytes;
    Channel listener =
        new ServerBootstrap()
            .group(answeringLoop)
            .channel(EpollServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(frames(this::answer))
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    asking =
        new Bootstrap()
            .group(askingLoop)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(frames(frame -> answers.release()))
            .connect(listener.localAddress())
            .sync()
            .channel();
  }

  private static EventLoopGroup loop() {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory("netty", true), EpollIoHandler.newFactory());
  }

  /** A message that arrived, and the channel. */
  private record Frame(ChannelHandlerContext channel, ByteBuf payload) {}

  private ChannelInitializer<Channel> frames(Consumer<Frame> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel
            .pipeline()
            .addLast(
                new LengthFieldBasedFrameDecoder(
                    Integer.BYTES + bytes, 0, Integer.BYTES, 0, Integer.BYTES),
                new SimpleChannelInboundHandler<ByteBuf>() {
                  @Override
                  protected void channelRead0(ChannelHandlerContext context, ByteBuf payload) {
                    handler.accept(new Frame(context, payload));
                  }
                });
      }
    };
  }

  private void answer(Frame frame) {
    if (received(frame.payload.getByte(frame.payload.readerIndex()))) {
      frame.channel.writeAndFlush(message(frame.channel.channel(), LAST));
    }
  }

  private ByteBuf message(Channel channel, byte first) {
    ByteBuf message = channel.alloc().directBuffer(Integer.BYTES + bytes);
    return message.writeInt(bytes).writeByte(first).writeZero(bytes - 1);
  }

  /** Within the event loop, as an application that is written for Netty sends. */
  @Override
  void send(int messages) {
    asking
        .eventLoop()
        .execute(() -> {
          for (int sent = 1; sent <= messages; sent++) {
            asking.write(message(asking, sent == messages ? LAST : MORE), asking.voidPromise());
            if (sent == messages || sent % MESSAGES_OF_A_FLUSH == 0) {
              asking.flush();
            }
          }
        });
  }

  @Override
  void awaitAnswer() throws InterruptedException {
    if (!answers.tryAcquire(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
      throw new IllegalStateException("no answer came");
    }
  }

  @Override
  public void close() {
    askingLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    answeringLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    askingLoop.terminationFuture().awaitUninterruptibly();
    answeringLoop.terminationFuture().awaitUninterruptibly();
  }
}
