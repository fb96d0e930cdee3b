// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativePassiveEndpoint;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.ManualNativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgressThread;

/**
 * A passive endpoint over libfabric. It has a fabric and an event queue of libfabric's by itself:
 * of peers that have connected and not asked for anything yet, fabrics keep the passive endpoint
 * for when they do, and touch it after it was closed. Opening and closing take the monitor of the
 * object.
 */
public final class ListeningEndpoint extends CoreObject implements PassiveEndpoint {
  private final Fabric fabric;
  private final FabricInfo info;
  private final Libfabric library;

  /** What it is opened with; some fabrics go on looking at it. */
  private final NativeInfo found;

  // Guarded by the monitor of this object.
  private @Nullable NativeFabric own;
  private @Nullable EventReader reader;
  private @Nullable NativeProgressThread thread;
  private @Nullable NativeProgress engine;

  // Written once; null only while the endpoint is being opened, when nobody else knows of it.
  private volatile @Nullable NativePassiveEndpoint passive;
  private volatile @Nullable ConnectionRequests requests;
  private volatile @Nullable FabricAddress address;
  private volatile int connectionDataSize;

  private ListeningEndpoint(
      Fabric fabric,
      Libfabric library,
      NativeInfo found,
      FabricInfo info,
      @Nullable Object context) {
    super(context);
    this.fabric = fabric;
    this.library = library;
    this.found = found;
    this.info = info;
    lifetime.hold(((CoreObject) fabric).lifetime());
  }

  /**
   * One that listens: what options say is bound to it.
   *
   * @param found libfabric's own information, closed with the endpoint
   */
  public static ListeningEndpoint open(
      Fabric fabric, Libfabric library, NativeInfo found, FabricInfo info, PassiveOptions options) {
    ListeningEndpoint opened =
        new ListeningEndpoint(fabric, library, found, info, options.context());
    return opened(opened, () -> opened.listen(options));
  }

  private synchronized void listen(PassiveOptions options) {
    if (options.security() != null) {
      throw unsupported("libfabric encrypts nothing: leave the certificates out, or use tcp");
    }
    CoreEventQueue bound = bound(options.events());
    lifetime.hold(bound.lifetime());
    NativeFabric ownFabric = NativeFabric.open(library, found);
    own = ownFabric;
    EventReader events = new EventReader(new LockedFabric(ownFabric, new ReentrantLock()));
    reader = events;
    NativePassiveEndpoint opened = ownFabric.openPassiveEndpoint(found);
    passive = opened;
    events.bind(opened);
    ConnectionRequests asking = new ConnectionRequests(this, info, bound, events, opened, options);
    requests = asking;
    events.add(opened, asking);
    opened.listen();
    connectionDataSize = opened.connectionDataSize();
    address = NativeAddress.of(info.addressFormat(), opened.name());
    if (info.domain().progress() == Progress.AUTO) {
      NativeProgressThread mover = new NativeProgressThread(library, info.domain().name());
      thread = mover;
      mover.add(events);
    } else {
      NativeProgress driving =
          (NativeProgress) bound.drive(() -> new ManualNativeProgress(library, null));
      driving.add(events);
      engine = driving;
    }
  }

  @SuppressWarnings("ReferenceEquality") // a fabric is itself and no other
  private CoreEventQueue bound(@Nullable EventQueue queue) {
    if (queue == null) {
      throw new FabricException(Errno.ENOEQ, this + " has no event queue: name one in the options");
    }
    if (queue.fabric() != fabric) {
      throw invalid(queue + " is of " + queue.fabric() + ", but " + this + " of " + fabric);
    }
    if (!(queue instanceof CoreEventQueue ours)) {
      throw invalid(queue + " is not of this provider");
    }
    return ours;
  }

  @Override
  public Fabric fabric() {
    return fabric;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public FabricAddress address() {
    lifetime.checkOpen();
    return Objects.requireNonNull(address);
  }

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    lifetime.checkOpen();
    required(request, "request");
    Connection.checkData(data, connectionDataSize);
    ConnectionRequests present = requests;
    if (present == null
        || !(request instanceof NativeConnectionRequest ours)
        || !ours.isOf(present)) {
      throw invalid(request + " is not a request of " + this);
    }
    present.reject(ours, data);
  }

  @Override
  public int connectionDataSize() {
    lifetime.checkOpen();
    return connectionDataSize;
  }

  @Override
  protected synchronized void release() {
    EventReader events = reader;
    if (events != null) {
      if (engine != null) {
        engine.remove(events);
      }
      if (thread != null) {
        thread.remove(events);
        thread.stop();
      }
      close(events);
    }
    if (own != null) {
      own.close();
    }
    found.close();
  }

  private void close(EventReader events) {
    events.locked().lock().lock();
    try {
      ConnectionRequests asking = requests;
      NativePassiveEndpoint opened = passive;
      if (asking != null) {
        asking.close();
        // Each that has asked meanwhile is refused, as long as there is something to refuse with.
        events.drain();
      }
      if (opened != null) {
        opened.close();
      }
      events.close();
    } finally {
      events.locked().lock().unlock();
    }
  }

  @Override
  public String toString() {
    FabricAddress present = address;
    return "passive endpoint " + (present == null ? "being opened" : present);
  }
}
