// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.Transmitter;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.SenderCache;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.progress.Engines;
import org.ofi4j.provider.net.progress.ProgressTarget;

/** A datagram endpoint that is open: a socket, and the halves that send and receive. */
public final class UdpTransport extends ProgressTarget implements Transport {
  private final LocalSocket<DatagramChannel> socket;
  private final FabricAddress name;
  private final Engines engines;
  private final @Nullable DatagramTransmitter transmitter;
  private final @Nullable DatagramReceiver receiver;

  /** Opens an endpoint: binds a socket as the information says. */
  public static UdpTransport open(NetResources resources, EndpointOpening opening) {
    FabricInfo domain = opening.domain().info();
    LocalSocket<DatagramChannel> socket =
        LocalSocket.open(opening.info(), domain, DatagramChannel::open, UdpTransport::bind);
    return new UdpTransport(resources, opening, socket, EndpointAddress.interfaceIndex(domain));
  }

  private static void bind(DatagramChannel channel, InetSocketAddress address) throws IOException {
    channel.setOption(StandardSocketOptions.SO_RCVBUF, UdpLimits.RECEIVE_BUFFER);
    channel.bind(address);
  }

  @SuppressWarnings("this-escape") // kept for later
  private UdpTransport(
      NetResources resources,
      EndpointOpening opening,
      LocalSocket<DatagramChannel> socket,
      int interfaceIndex) {
    name = SocketAddresses.inFormat(socket.name(), opening.info().addressFormat());
    engines = new Engines(this, Engines.of(opening));
    this.socket = socket;
    FabricInfo info = opening.info();
    Completions sends = opening.sends();
    Completions receives = opening.receives();
    transmitter =
        sends == null
            ? null
            : new DatagramTransmitter(
                socket.channel(),
                sends,
                new Destinations(
                    opening.peers(), socket.isIpv6(), socket.isDualStack(), interfaceIndex),
                resources.staging(),
                info.transmit().size(),
                this::changed);
    receiver =
        receives == null
            ? null
            : new DatagramReceiver(
                socket.channel(),
                new ReceiveOutcomes(receives, opening.peers(), Sources.of(info)),
                new SenderCache(opening.peers().format(), socket.isIpv6(), interfaceIndex),
                resources.staging(),
                info.receive().size(),
                this::changed);
  }

  @Override
  public @Nullable Transmitter transmitter() {
    return transmitter;
  }

  @Override
  public @Nullable Receiver receiver() {
    return receiver;
  }

  @Override
  public FabricAddress name() {
    return name;
  }

  @Override
  public void begin() {
    engines.begin();
  }

  @Override
  public void changed() {
    engines.changed();
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
    if (transmitter != null && transmitter.settle()) {
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
  public void leave(Selector selector) {
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
  public void close() {
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
      engines.end();
    }
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
