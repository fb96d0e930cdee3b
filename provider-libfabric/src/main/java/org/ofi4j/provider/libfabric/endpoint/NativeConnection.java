// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.ConnectedTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.libfabric.connection.Connection;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * An endpoint with one peer: a {@link NativeTransport} and its {@link Connection}. When the
 * connection ends, libfabric's endpoint is closed, so that it lets go of all operations; then each
 * of them is reported.
 *
 * <p>The lock of the domain guards all.
 */
final class NativeConnection implements ConnectedTransport, Connection.Traffic {
  /** How often a queue is read until it is empty: others may fill it at the same time. */
  private static final int READS = 64;

  private final DomainResources domain;
  private final EndpointOpening opening;
  private final @Nullable NativeConnectionRequest request;
  private final EventReader reader;
  private final NativeTransport transport;
  private final Connection connection;
  private final int connectionDataSize;

  /** The peer that the application has asked for a connection, or that has asked it. */
  private @Nullable FabricAddress peer;

  // Read without the lock too; null until libfabric names another one than before.
  private volatile @Nullable FabricAddress name;

  private boolean released;

  private NativeConnection(
      DomainResources domain,
      EndpointOpening opening,
      Events events,
      @Nullable NativeConnectionRequest request) {
    this.domain = domain;
    this.opening = opening;
    this.request = request;
    reader = domain.events();
    ConnectedPeer peers = new ConnectedPeer(reader);
    NativeInfo info =
        request == null ? NativeTransport.asked(domain, opening.info()) : request.info().copy();
    transport =
        // A peer that reads slowly may do so.
        NativeTransport.open(
            domain, opening, info, _ -> peers, engines(events), QueueReader.NO_LIMIT);
    connectionDataSize = transport.endpoint().connectionDataSize();
    domain.lock();
    try {
      connection = new Connection(opening.endpoint(), events, reader, transport.endpoint(), this);
      peers.reachedBy(connection);
    } finally {
      domain.unlock();
    }
  }

  /**
   * Opens an endpoint, for a request if the information names one, which no other can take then.
   */
  static NativeConnection open(DomainResources domain, EndpointOpening opening, Events events) {
    ConnectionHandle handle = opening.info().handle();
    if (handle == null) {
      return new NativeConnection(domain, opening, events, null);
    }
    if (!(handle instanceof NativeConnectionRequest wanted)) {
      throw invalid(handle + " is no connection request of this provider");
    }
    wanted.claim();
    try {
      return new NativeConnection(domain, opening, events, wanted);
    } catch (RuntimeException | Error failed) {
      wanted.giveUp();
      throw failed;
    }
  }

  /**
   * The threads that read the event queue move the data too, unless a thread of the domain does.
   */
  private List<NativeProgress> engines(Events events) {
    List<NativeProgress> engines = new ArrayList<>(NativeTransport.engines(opening));
    if (domain.mover() == null) {
      NativeProgress driving =
          (NativeProgress) events.drive(() -> new NativeProgress(domain.library, null, 0, null));
      if (!engines.contains(driving)) {
        engines.add(driving);
      }
    }
    return engines;
  }

  @Override
  public FabricAddress name() {
    FabricAddress present = name;
    return present == null ? transport.name() : present;
  }

  @Override
  public @Nullable NativeTransmitter transmitter() {
    return transport.transmitter();
  }

  @Override
  public @Nullable NativeReceiver receiver() {
    return transport.receiver();
  }

  @Override
  public void begin() {
    transport.begin();
    transport.bindings().engines().forEach(engine -> engine.add(reader));
  }

  @Override
  public int connectionDataSize() {
    return connectionDataSize;
  }

  // Calls of the application.

  @Override
  public void connect(FabricAddress to, byte[] data) {
    NativeAddress.checkFormat(to, opening.info().addressFormat(), opening.domain());
    transport.lock();
    try {
      connection.connect(to.toBytes(), data, timeout());
      peer = to;
    } finally {
      transport.unlock();
    }
    transport.changed();
  }

  @Override
  public void accept(byte[] data) {
    NativeConnectionRequest wanted = request;
    if (wanted == null) {
      throw invalid(this + " was not opened for a connection request");
    }
    transport.lock();
    try {
      peer = wanted.peer();
      connection.accept(wanted, data, timeout());
    } finally {
      transport.unlock();
    }
    transport.changed();
  }

  private long timeout() {
    return TimeUnit.NANOSECONDS.convert(opening.connections().connectTimeout());
  }

  @Override
  public void shutdown() {
    transport.lock();
    try {
      connection.shutdown();
    } finally {
      transport.unlock();
    }
    transport.changed();
  }

  @Override
  public FabricAddress peer() {
    transport.lock();
    try {
      connection.checkHasPeer();
      FabricAddress present = peer;
      if (present == null) {
        throw new FabricException(Errno.ENOTCONN, this + " has no peer");
      }
      return present;
    } finally {
      transport.unlock();
    }
  }

  // Events of the connection.

  @Override
  public void connected() {
    try {
      name = domain.address(transport.endpoint().name());
      peer = domain.address(transport.endpoint().peer());
    } catch (FabricException unknown) {
      // The connection may have ended already; the former address is kept.
      return;
    }
  }

  @Override
  public void disconnected() {
    // They end as those do that libfabric has; but they have not arrived.
    if (transport.transmitter() != null) {
      transport.transmitter().backlog().clear(waiting -> waiting.withdrawn = true);
    }
    if (transport.receiver() != null) {
      transport.receiver().several().clear(waiting -> {});
    }
    if (!transport.memory.isOfEndpoint()) {
      try {
        transport.endpoint().close();
      } catch (FabricException busy) {
        // Memory is registered for it: the fabric ends what is posted, or closing the endpoint
        // does.
        return;
      }
      released = true;
      domain.closed(opening.endpoint());
      connection.released();
    }
  }

  @Override
  public boolean settle() {
    CompletionReader out = transport.bindings().transmits();
    CompletionReader in = transport.bindings().receives();
    boolean outEmpty = out == null || isEmpty(out);
    boolean inEmpty = in == null || isEmpty(in);
    if (outEmpty && inEmpty && transport.outstanding() > 0) {
      failDropped();
    }
    return transport.outstanding() == 0;
  }

  /** Reads a queue until nothing is in it; false if there is no room for that. */
  private static boolean isEmpty(CompletionReader queue) {
    int reads = 0;
    while (reads < READS && queue.move()) {
      reads++;
    }
    return reads < READS && queue.hasRoom();
  }

  /** Reports operations of which libfabric will say nothing. */
  private void failDropped() {
    for (NativeOperation each : transport.underWay()) {
      boolean sent = each.what != CounterFlag.RECEIVE && !each.withdrawn;
      boolean neverPosted = each.what != CounterFlag.RECEIVE && each.withdrawn;
      FabricException reason = released || neverPosted ? connection.cutOff(sent) : null;
      if (reason != null && each.owner != null) {
        each.owner.fail(each, reason);
      }
    }
  }

  @Override
  public void close() {
    domain.lock();
    try {
      transport.close();
    } finally {
      connection.close();
      domain.unlock();
      transport.bindings().engines().forEach(engine -> engine.remove(reader));
    }
    if (request != null) {
      request.giveUp();
    }
  }

  @Override
  public String toString() {
    return "connection of endpoint " + transport.name();
  }
}
