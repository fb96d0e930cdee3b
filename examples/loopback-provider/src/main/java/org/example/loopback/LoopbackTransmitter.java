// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.lang.foreign.MemorySegment;
import org.example.loopback.Parcel.Access;
import org.example.loopback.Parcel.Answer;
import org.example.loopback.Parcel.Message;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Misuse;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.SocketAddressKey;
import org.ofi4j.provider.kit.Transmitter;

/**
 * The half of an endpoint that sends, reads and writes. The lock of the endpoint guards it.
 *
 * <p>A send ends at once if the peer has space for the message, and otherwise when a receive has
 * taken it. So the memory of messages that wait is limited: by the space of the peer, and by the
 * sends that each sender may have under way. A datagram without space is lost.
 */
final class LoopbackTransmitter implements Transmitter {
  private final LoopbackEndpoint endpoint;
  private final LoopbackNetwork network;
  private final Peers peers;
  private final Completions completions;
  private final OperationPool<Request> pool;

  private final MemorySegment packed = MemorySegment.ofArray(new byte[LoopbackNetwork.PACKED_SIZE]);
  private final SocketAddressKey key = new SocketAddressKey();

  LoopbackTransmitter(
      LoopbackEndpoint endpoint,
      LoopbackNetwork network,
      EndpointOpening opening,
      Completions completions) {
    this.endpoint = endpoint;
    this.network = network;
    this.completions = completions;
    peers = opening.peers();
    pool = new OperationPool<>(opening.info().transmit().size(), Request::new);
  }

  @Override
  public long flags(CounterFlag what) {
    // No datagram says that it was delivered.
    return network.isReliable()
        ? Transmitter.super.flags(what)
        : SEND_FLAGS & ~TransferFlag.DELIVERY_COMPLETE.mask();
  }

  @Override
  public void lock() {
    endpoint.lock();
  }

  @Override
  public void unlock() {
    endpoint.unlock();
  }

  @Override
  public Operation take(CounterFlag what, boolean tagged, long peer) {
    long address = address(peer);
    Request request = pool.take(what, tagged);
    if (request != null) {
      request.address = address;
    }
    return request;
  }

  private long address(long peer) {
    if (peers.socketAddress(peer, packed) == 0) {
      throw Misuse.invalid(
          "destination 0x%x is not in the address vector: insert the address of the peer"
              .formatted(peer));
    }
    if (!key.read(packed)) {
      throw Misuse.invalid("destination 0x%x is any address, which no peer has".formatted(peer));
    }
    if (network.isReliable() && peers.isFirewalled(peer)) {
      throw new FabricException(
          Errno.EFIREWALLADDR,
          "destination 0x%x is behind a firewall, which nothing passes here".formatted(peer));
    }
    return key.ipv4();
  }

  @Override
  public void post(Operation operation) {
    Request request = (Request) operation;
    byte[] bytes = copy(request);
    LoopbackEndpoint peer = network.find(request.address);
    if (peer == null) {
      unreachable(request);
    } else if (request.what == CounterFlag.SEND) {
      send(request, bytes, peer);
    } else {
      peer.arrive(
          new Access(
              endpoint,
              request,
              places(request),
              bytes,
              request.has(TransferFlag.REMOTE_CQ_DATA),
              request.data));
    }
  }

  /** Returns the bytes to send or write; null for a read. */
  private byte[] copy(Request request) {
    long length = request.memory.length();
    if (request.what == CounterFlag.READ) {
      if (length > LoopbackProvider.MAX_MESSAGE) {
        pool.giveBack(request);
        throw new FabricException(
            Errno.EMSGSIZE,
            "a read of " + length + " bytes: the most is " + LoopbackProvider.MAX_MESSAGE);
      }
      return null;
    }
    try {
      byte[] bytes = new byte[(int) length];
      request.memory.copyTo(MemorySegment.ofArray(bytes), 0, 0, bytes.length);
      return bytes;
    } catch (RuntimeException | Error unusable) {
      // Memory that another thread frees, a file that has become shorter, or too little heap.
      pool.giveBack(request);
      throw new FabricException(
          Errno.EFAULT, "the message cannot be copied: " + unusable, unusable);
    }
  }

  private void unreachable(Request request) {
    if (network.isReliable()) {
      SocketAddress4 peer =
          new SocketAddress4((int) (request.address >>> 16), (int) request.address & 0xFFFF);
      completions.fail(request, Errno.ECONNREFUSED, "no endpoint is open at " + peer);
    } else {
      completions.report(request);
    }
  }

  private void send(Request request, byte[] bytes, LoopbackEndpoint peer) {
    boolean fits = peer.hasRoom();
    boolean waits = network.isReliable() && (!fits || request.has(TransferFlag.DELIVERY_COMPLETE));
    if (fits || waits) {
      peer.arrive(
          new Message(
              endpoint,
              bytes,
              request.tagged,
              request.tag,
              request.has(TransferFlag.REMOTE_CQ_DATA),
              request.data,
              waits ? request : null));
    }
    if (!waits) {
      completions.report(request);
    }
  }

  private static RemotePlace[] places(Request request) {
    RemotePlace[] several = request.places;
    return several != null
        ? several
        : new RemotePlace[] {
          new RemotePlace(request.remoteAddress, request.memory.length(), request.remoteKey)
        };
  }

  /** The peer has answered. */
  void answered(Answer answer) {
    Request request = answer.request();
    if (answer.errno() != Errno.SUCCESS) {
      completions.fail(request, answer.errno(), answer.reason());
      return;
    }
    if (request.what == CounterFlag.READ) {
      byte[] bytes = answer.bytes();
      try {
        request.memory.copyFrom(MemorySegment.ofArray(bytes), 0, 0, bytes.length);
      } catch (RuntimeException | InternalError unusable) {
        completions.fail(request, Errno.EFAULT, "the memory cannot be written: " + unusable);
        return;
      }
    }
    completions.report(request);
  }

  /** Reports completions that found the queue full. */
  void poll() {
    completions.reportKept();
  }

  @Override
  public long outstanding() {
    return pool.outstanding();
  }

  void close() {
    completions.detach();
    pool.clear();
  }
}
