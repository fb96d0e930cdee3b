// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Channels of Netty on one event loop, in which all work happens. */
final class NettyCrowd implements Crowd {
  private final NettyTransport transport;
  private final List<Channel> clients = new ArrayList<>();

  /** The current work, for the event loop. */
  private volatile Work work = new Work(0, 0);

  NettyCrowd(NettyTransport transport) {
    this.transport = transport;
  }

  /** Requests that are sent in turn, or served, and counted in the event loop. */
  private final class Work {
    private final int count;
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();
    private final ByteBuf question;
    private int asked;
    private int handled;

    Work(int count, int seed) {
      this.count = count;
      question = NettyTransport.frame(SIZE, seed);
    }

    void ask() {
      NettyTransport.send(clients.get(asked++ % clients.size()), question.retainedDuplicate());
    }

    void served(Channel channel, ByteBuf frame) {
      NettyTransport.send(channel, frame.retain());
      if (++handled == count) {
        done.complete(true);
      }
    }

    void answered(ByteBuf frame) {
      if (++handled == count) {
        done.complete(frame.equals(question));
      } else if (asked < count) {
        ask();
      }
    }
  }

  @Override
  public String listen() throws IOException {
    return NettyTransport.name(
        NettyTransport.await(
            transport
                .server(
                    SIZE,
                    channel ->
                        channel
                            .pipeline()
                            .addLast(
                                new SimpleChannelInboundHandler<ByteBuf>() {
                                  @Override
                                  protected void channelRead0(
                                      ChannelHandlerContext context, ByteBuf frame) {
                                    work.served(context.channel(), frame);
                                  }
                                }))
                .bind(NettyTransport.ANY_PORT)));
  }

  @Override
  public String gather(int count, String server) throws IOException {
    Bootstrap client =
        transport.client(
            SIZE,
            channel ->
                channel
                    .pipeline()
                    .addLast(
                        new SimpleChannelInboundHandler<ByteBuf>() {
                          @Override
                          protected void channelRead0(
                              ChannelHandlerContext context, ByteBuf frame) {
                            work.answered(frame);
                          }
                        }));
    for (int i = 0; i < count; i++) {
      clients.add(NettyTransport.await(client.connect(NettyTransport.address(server))));
    }
    return "";
  }

  /** Does nothing: the server has accepted them. */
  @Override
  public void admit(String names) {}

  @Override
  public void serve(int count, Runnable ready) throws InterruptedException {
    Work serving = new Work(count, 0);
    work = serving;
    ready.run();
    NettyPeer.await(serving.done);
  }

  @Override
  public void request(int count) throws InterruptedException {
    Work asking = new Work(count, count);
    work = asking;
    clients
        .getFirst()
        .eventLoop()
        .execute(() -> {
          for (int i = 0; i < Math.min(Peer.WINDOW, count); i++) {
            asking.ask();
          }
        });
    Peer.checkContent(NettyPeer.await(asking.done));
  }

  @Override
  public void close() {
    transport.close();
  }
}
