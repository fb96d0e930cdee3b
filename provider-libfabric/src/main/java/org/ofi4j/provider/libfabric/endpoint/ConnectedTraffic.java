// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.libfabric.connection.Connection;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.RawMemory;
import org.ofi4j.provider.libfabric.library.TransferStructs.ErrorEntry;
import org.ofi4j.provider.libfabric.progress.NativeProgress;

/**
 * An endpoint with one peer, and the operations that are under way on it. When its connection ends,
 * libfabric's endpoint is closed, so that it lets go of them all; then each of them is reported.
 *
 * <p>The lock of the domain guards all.
 */
final class ConnectedTraffic extends NativeTraffic implements Connection.Traffic {
  /** How often a queue is read until it is empty: others may fill it meanwhile. */
  private static final int READS = 64;

  /** ECANCELED, ENOTCONN, ECONNRESET and EPIPE. */
  private static final Set<Integer> CUT_OFF = Set.of(125, 107, 104, 32);

  private final NativeConnectedEndpoint connected;
  private final EventReader reader;
  private final Connection connection;

  /** Whom the application has asked for a connection, or who has asked it. */
  private @Nullable FabricAddress peer;

  // Read without the lock too; null until libfabric says another one than before.
  private volatile @Nullable FabricAddress name;

  private boolean released;
  private String reason = "";

  /**
   * What is around an endpoint that is open.
   *
   * @param connected the application's endpoint
   */
  ConnectedTraffic(
      NativeConnectedEndpoint connected,
      CoreEventQueue events,
      NativeEndpoint opened,
      FabricAddress name,
      ConnectedPeer peers,
      Counters counters,
      EndpointBindings bindings) {
    super(
        connected.domain().resources(), opened, name, peers, counters, bindings, connected.sizes());
    this.connected = connected;
    reader = domain.events();
    connection = new Connection(connected, events, reader, opened, this);
    peers.reachedBy(connection);
  }

  @Override
  public FabricAddress name() {
    FabricAddress present = name;
    return present == null ? super.name() : present;
  }

  @Override
  void join() {
    super.join();
    bindings.engines().forEach(engine -> engine.add(reader));
  }

  // What the application wants.

  void connect(FabricAddress to, byte[] data) {
    lock();
    try {
      connection.connect(to.toBytes(), data, connected.connectTimeout());
      peer = to;
    } finally {
      unlock();
    }
    changed();
  }

  void accept(NativeConnectionRequest request, byte[] data) {
    lock();
    try {
      peer = request.peer();
      connection.accept(request, data, connected.connectTimeout());
    } finally {
      unlock();
    }
    changed();
  }

  void shutdown() {
    lock();
    try {
      connection.shutdown();
    } finally {
      unlock();
    }
    changed();
  }

  FabricAddress peer() {
    lock();
    try {
      connection.checkHasPeer();
      FabricAddress present = peer;
      if (present == null) {
        throw new FabricException(Errno.ENOTCONN, this + " has no peer");
      }
      return present;
    } finally {
      unlock();
    }
  }

  private void changed() {
    bindings.engines().forEach(NativeProgress::changed);
  }

  // What becomes of the connection.

  @Override
  public void connected() {
    try {
      name = connected.domain().address(endpoint.name());
      peer = connected.domain().address(endpoint.peer());
    } catch (FabricException unknown) {
      // What was known before is as good, and the connection may be over already.
      return;
    }
  }

  @Override
  public void disconnected(String why) {
    reason = why;
    // They end as those do that libfabric has; but they have not arrived.
    backlog.clear(waiting -> waiting.withdrawn = true);
    several.clear(waiting -> {});
    if (!memory().isOfEndpoint()) {
      try {
        endpoint.close();
      } catch (FabricException busy) {
        // Memory is registered for it: the fabric ends what is posted, or closing the endpoint
        // does.
        return;
      }
      released = true;
      domain.endpoints().remove(connected.lifetime());
      connection.released();
    }
  }

  @Override
  public boolean settle() {
    CompletionReader out = bindings.transmits();
    CompletionReader in = bindings.receives();
    boolean outEmpty = out == null || isEmpty(out);
    boolean inEmpty = in == null || isEmpty(in);
    if (outEmpty && inEmpty) {
      failDropped();
      bindings.eachReader(CompletionReader::move);
    }
    return outstandingTransmits() + outstandingReceives() == 0;
  }

  /** Reads a queue until nothing is in it; false if there is no room for that. */
  private static boolean isEmpty(CompletionReader queue) {
    int reads = 0;
    while (reads < READS && queue.move()) {
      reads++;
    }
    return reads < READS && queue.hasRoom();
  }

  /** Reports what libfabric will say nothing of, as far as there is room. */
  private void failDropped() {
    if (outstandingTransmits() + outstandingReceives() == 0) {
      return;
    }
    for (Operation each : underWay()) {
      boolean receive = each.what == CounterFlag.RECEIVE;
      boolean neverPosted = !receive && each.withdrawn;
      CompletionReader queue = receive ? bindings.receives() : bindings.transmits();
      if ((released || neverPosted) && queue != null && queue.hasRoom()) {
        outcomes.notPosted(each, cutOff(!receive && !neverPosted));
      }
    }
  }

  /** What was sent may have arrived, unless it was cancelled here. */
  private FabricException cutOff(boolean sent) {
    boolean mayHaveArrived = sent && !connection.isShutDownHere();
    return new FabricException(mayHaveArrived ? Errno.ECONNRESET : Errno.ECANCELED, reason);
  }

  // What becomes of operations.

  @Override
  boolean postReceive(Operation operation) {
    if (!connection.isOver()) {
      return super.postReceive(operation);
    }
    CompletionReader queue = bindings.receives();
    if (queue == null || !queue.hasRoom()) {
      giveBack(operation);
      return false;
    }
    outcomes.notPosted(operation, cutOff(false));
    changed();
    return true;
  }

  @Override
  boolean takesReceives() {
    return super.takesReceives() && !connection.isOver();
  }

  @Override
  boolean withdraw(Operation receive) {
    return !connection.isOver() && super.withdraw(receive);
  }

  /**
   * Fabrics have several errors for what the end of a connection has cut off, and the same for what
   * may have arrived and what has not.
   */
  @Override
  public void failed(Operation operation, long entry, @Nullable String words) {
    int errno = Math.abs(RawMemory.getInt(entry + ErrorEntry.ERR));
    if (CUT_OFF.contains(errno)) {
      Errno cutOff = cutOff(operation.what != CounterFlag.RECEIVE).errno();
      RawMemory.putInt(entry + ErrorEntry.ERR, cutOff.number());
    }
    super.failed(operation, entry, words);
  }

  @Override
  void giveMemoryBack() {
    if (!released) {
      super.giveMemoryBack();
    }
  }

  @Override
  public void close() {
    domain.lock().lock();
    try {
      super.close();
    } finally {
      connection.close();
      domain.lock().unlock();
      bindings.engines().forEach(engine -> engine.remove(reader));
    }
  }
}
