// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Traffic;

/** A datagram endpoint that is open: a socket, and the halves that send and receive. */
final class DatagramTraffic extends Traffic {
  private final LocalSocket<DatagramChannel> socket;
  final @Nullable DatagramTransmitter transmitter;
  final @Nullable DatagramReceiver receiver;
  final boolean selectiveSends;
  final boolean selectiveReceives;
  final int maxMessage;

  /** What to do when the first message or buffer waits: who moves data must look again. */
  final Runnable changed = this::changed;

  DatagramTraffic(
      LocalSocket<DatagramChannel> socket,
      FabricAddress name,
      @Nullable DatagramTransmitter transmitter,
      @Nullable DatagramReceiver receiver,
      @Nullable Binding transmit,
      @Nullable Binding receive) {
    super(name, engines(transmit, receive));
    this.socket = socket;
    this.transmitter = transmitter;
    this.receiver = receiver;
    selectiveSends = transmit != null && transmit.selective();
    selectiveReceives = receive != null && receive.selective();
    maxMessage = UdpLimits.maxMessage(socket.isIpv6());
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

  @Override
  protected void end() {
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
    }
  }
}
