// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.SendRequest;
import org.ofi4j.TransferFlag;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.endpoint.Destinations;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Senders;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.SocketEndpoint;
import org.ofi4j.provider.net.endpoint.Sources;

/**
 * {@code FI_EP_DGRAM} over UDP: one message is one datagram, whose payload is the message and
 * nothing else.
 */
public final class UdpEndpoint extends SocketEndpoint<DatagramTraffic> implements DatagramEndpoint {
  private static final long COMPLETION = TransferFlag.COMPLETION.mask();
  private static final long INJECT = TransferFlag.INJECT.mask();
  private static final long SEND_FLAGS =
      Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.INJECT, TransferFlag.MORE);
  private static final long RECEIVE_FLAGS = Flag.maskOf(TransferFlag.COMPLETION, TransferFlag.MORE);

  public UdpEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
  }

  @Override
  protected void bind(EndpointOptions options) {
    super.bind(options);
    if (!options.connections().equals(ConnectionOptions.defaults())) {
      throw unconnected();
    }
    if (options.minMultiReceive() > 0) {
      throw unsupported("a buffer takes one datagram: ask for an endpoint of type RDM");
    }
  }

  @Override
  protected DatagramTraffic open(@Nullable Binding out, @Nullable Binding in) {
    CoreAddressVector vector = vector();
    LocalSocket<DatagramChannel> socket =
        LocalSocket.open(info(), domain().info(), DatagramChannel::open, UdpEndpoint::bind);
    return new DatagramTraffic(
        socket,
        SocketAddresses.inFormat(socket.name(), info().addressFormat()),
        out == null ? null : transmitter(socket, out, vector),
        in == null ? null : receiver(socket, in, vector),
        out,
        in);
  }

  private static void bind(DatagramChannel channel, InetSocketAddress address) throws IOException {
    channel.setOption(StandardSocketOptions.SO_RCVBUF, UdpLimits.RECEIVE_BUFFER);
    channel.bind(address);
  }

  private DatagramTransmitter transmitter(
      LocalSocket<DatagramChannel> socket, Binding binding, CoreAddressVector bound) {
    return new DatagramTransmitter(
        socket.channel(),
        binding,
        new Destinations(
            bound,
            socket.isIpv6(),
            socket.isDualStack(),
            EndpointAddress.interfaceIndex(domain().info())),
        domain().staging(),
        info().transmit().size());
  }

  private DatagramReceiver receiver(
      LocalSocket<DatagramChannel> socket, Binding binding, CoreAddressVector bound) {
    return new DatagramReceiver(
        socket.channel(),
        binding,
        new Senders(bound, socket.isIpv6(), EndpointAddress.interfaceIndex(domain().info())),
        Sources.of(info()),
        domain().staging(),
        info().receive().size());
  }

  @Override
  protected long outstandingTransmits(DatagramTraffic present) {
    return present.transmitter == null ? 0 : present.transmitter.outstanding();
  }

  @Override
  protected long outstandingReceives(DatagramTraffic present) {
    return present.receiver == null ? 0 : present.receiver.outstanding();
  }

  private boolean post(
      DatagramTraffic present,
      MemorySegment message,
      long destination,
      @Nullable Object context,
      boolean inSilence,
      boolean inject) {
    DatagramTransmitter transmitter = sending(present.transmitter);
    Thread mover = domain().mover();
    // An injected message is sent or copied within this call.
    PostedMemory.usable(message, "message", inject ? null : mover);
    long length = message.byteSize();
    if (inject) {
      PostedMemory.checkLength("injected message", length, UdpLimits.INJECT_SIZE);
    }
    PostedMemory.checkLength("message", length, present.maxMessage);
    return transmitter.post(message, destination, context, inSilence, inject, present.changed);
  }

  @Override
  public boolean trySend(MemorySegment message, long destination, @Nullable Object context) {
    DatagramTraffic present = ready();
    return post(present, message, destination, context, present.selectiveSends, false);
  }

  @Override
  public boolean trySend(SendRequest request) {
    DatagramTraffic present = ready();
    checkOneMessage(request);
    long flags = request.flags();
    checkFlags(flags, SEND_FLAGS, "send");
    boolean inSilence = present.selectiveSends && (flags & COMPLETION) == 0;
    return post(
        present,
        request.memory(),
        request.destination(),
        request.context(),
        inSilence,
        (flags & INJECT) != 0);
  }

  private static void checkOneMessage(SendRequest request) {
    if (required(request, "request").parts() != null) {
      throw inOnePiece();
    }
    if (request.hasData()) {
      throw withoutData();
    }
  }

  @Override
  public boolean tryInject(MemorySegment message, long destination) {
    return post(ready(), message, destination, null, true, true);
  }

  @Override
  public boolean tryInject(SendRequest request) {
    checkOneMessage(request);
    return tryInject(request.memory(), request.destination());
  }

  @Override
  public boolean tryReceive(MemorySegment buffer, @Nullable Object context) {
    return post(buffer, context, 0);
  }

  @Override
  public boolean tryReceive(ReceiveRequest request) {
    if (required(request, "request").parts() != null) {
      throw inOnePiece();
    }
    return post(request.memory(), request.context(), request.flags());
  }

  private boolean post(MemorySegment buffer, @Nullable Object context, long flags) {
    DatagramTraffic present = ready();
    checkFlags(flags, RECEIVE_FLAGS, "receive");
    DatagramReceiver receiver = receiving(present.receiver);
    PostedMemory.writable(buffer, "buffer", domain().mover());
    boolean inSilence = present.selectiveReceives && (flags & COMPLETION) == 0;
    // The source is not looked at: datagrams offer no directed receives (AV-217, AV-218).
    return receiver.post(buffer, context, inSilence, present.changed);
  }

  private static FabricException withoutData() {
    return unsupported("datagrams carry no immediate data: put it into the message");
  }

  private static FabricException inOnePiece() {
    return unsupported("datagrams go from and to one piece of memory: copy the parts together");
  }

  private static FabricException unconnected() {
    return unsupported("datagrams need no connection: ask for an endpoint of type RDM");
  }

  @Override
  public boolean cancel(@Nullable Object context) {
    DatagramReceiver receiver = ready().receiver;
    return receiver != null && receiver.cancel(context);
  }
}
