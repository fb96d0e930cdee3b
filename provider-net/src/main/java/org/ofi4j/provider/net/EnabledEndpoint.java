package org.ofi4j.provider.net;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;

/**
 * What a datagram endpoint has from being enabled until it is closed: a socket, the halves that
 * send and receive, and the engines that move its data.
 */
final class EnabledEndpoint extends ProgressTarget {
  private final LocalSocket socket;
  final FabricAddress name;
  final @Nullable DatagramTransmitter transmitter;
  final @Nullable DatagramReceiver receiver;
  final boolean selectiveSends;
  final boolean selectiveReceives;
  private final NetProgress[] engines;
  final int maxMessage;

  EnabledEndpoint(
      LocalSocket socket,
      FabricAddress name,
      @Nullable DatagramTransmitter transmitter,
      @Nullable DatagramReceiver receiver,
      @Nullable Binding transmit,
      @Nullable Binding receive) {
    this.socket = socket;
    this.name = name;
    this.transmitter = transmitter;
    this.receiver = receiver;
    selectiveSends = transmit != null && transmit.selective();
    selectiveReceives = receive != null && receive.selective();
    maxMessage = UdpLimits.maxMessage(socket.isIpv6());
    engines =
        Stream.of(transmit, receive)
            .filter(Objects::nonNull)
            .map(Binding::progress)
            .distinct()
            .toArray(NetProgress[]::new);
  }

  @Override
  public void progress() {
    if (receiver != null) {
      receiver.progress();
    }
    if (transmitter != null) {
      transmitter.progress();
    }
  }

  @Override
  public void prepare(Selector selector) throws IOException {
    int interest = receiver != null && receiver.settle() ? SelectionKey.OP_READ : 0;
    if (transmitter != null && transmitter.wants()) {
      interest |= SelectionKey.OP_WRITE;
    }
    DatagramChannel channel = socket.channel();
    SelectionKey key = channel.keyFor(selector);
    try {
      if (key == null) {
        channel.register(selector, interest, this);
      } else {
        key.interestOps(interest);
      }
    } catch (CancelledKeyException closing) {
      throw new ClosedChannelException();
    }
  }

  @Override
  public void rest(Selector selector) {
    SelectionKey key = socket.channel().keyFor(selector);
    if (key != null) {
      try {
        key.interestOps(0);
      } catch (CancelledKeyException closing) {
        // Is reported no more.
      }
    }
  }

  /** From now on the readers of its queues, or the domain's thread, move its data. */
  void join() {
    for (NetProgress engine : engines) {
      engine.add(this);
    }
  }

  @Override
  public void changed() {
    for (NetProgress engine : engines) {
      engine.changed(this);
    }
  }

  void close() {
    if (receiver != null) {
      receiver.close();
    }
    if (transmitter != null) {
      transmitter.close();
    }
    try {
      socket.channel().close();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a socket failed: " + failed, failed);
    } finally {
      for (NetProgress engine : engines) {
        engine.remove(this);
      }
    }
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
