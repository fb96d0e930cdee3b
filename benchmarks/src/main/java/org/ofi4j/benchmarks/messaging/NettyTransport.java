// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A transport of Netty with one event loop: native epoll, or java.nio. Each message has its length
 * before it, which the handlers get too.
 */
record NettyTransport(
    EventLoopGroup loop,
    Class<? extends ServerChannel> listening,
    Class<? extends Channel> connecting)
    implements AutoCloseable {
  /** Any free port of the loopback interface. */
  static final InetSocketAddress ANY_PORT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  static NettyTransport epoll() {
    return new NettyTransport(
        loop(EpollIoHandler.newFactory()),
        EpollServerSocketChannel.class,
        EpollSocketChannel.class);
  }

  static NettyTransport nio() {
    return new NettyTransport(
        loop(NioIoHandler.newFactory()), NioServerSocketChannel.class, NioSocketChannel.class);
  }

  private static EventLoopGroup loop(IoHandlerFactory factory) {
    return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("netty", true), factory);
  }

  /** Returns what listens; it adds a handler of frames to each connection. */
  ServerBootstrap server(int longest, Consumer<Channel> handler) {
    return new ServerBootstrap()
        .group(loop)
        .channel(listening)
        .option(ChannelOption.SO_BACKLOG, 4096)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(frames(longest, handler));
  }

  /** Returns what connects; it adds a handler of frames to each connection. */
  Bootstrap client(int longest, Consumer<Channel> handler) {
    return new Bootstrap()
        .group(loop)
        .channel(connecting)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(frames(longest, handler));
  }

  private static ChannelInitializer<Channel> frames(int longest, Consumer<Channel> handler) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel
            .pipeline()
            .addLast(new LengthFieldBasedFrameDecoder(Integer.BYTES + longest, 0, Integer.BYTES));
        handler.accept(channel);
      }
    };
  }

  /** Returns the channel when it is open. */
  static Channel await(ChannelFuture future) throws IOException {
    if (!future.awaitUninterruptibly().isSuccess()) {
      throw new IOException(future.cause());
    }
    return future.channel();
  }

  /** Returns a message with its length before it. */
  static ByteBuf frame(int size, int seed) {
    ByteBuf frame = Unpooled.directBuffer(Integer.BYTES + size).writeInt(size);
    for (int i = 0; i < size; i++) {
      frame.writeByte(Peer.content(i, seed));
    }
    return frame;
  }

  /** Writes a message, which leaves with the next flush. */
  @SuppressWarnings("FutureReturnValueIgnored") // the pipeline gets a failure
  static void write(Channel channel, ByteBuf message) {
    channel.write(message, channel.voidPromise());
  }

  /** Writes a message and flushes. */
  static void send(Channel channel, ByteBuf message) {
    write(channel, message);
    channel.flush();
  }

  /** Returns the port of a channel that listens, as text. */
  static String name(Channel listener) {
    return Integer.toString(((InetSocketAddress) listener.localAddress()).getPort());
  }

  /** Returns the address of a channel that listens in another process. */
  static InetSocketAddress address(String name) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(name));
  }

  @Override
  public void close() {
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
