// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import static org.ofi4j.provider.kit.Misuse.invalid;
import static org.ofi4j.provider.kit.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.PassiveTransport;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativePassiveEndpoint;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgressThread;

/**
 * A passive endpoint over libfabric. It has a fabric and an event queue of libfabric's by itself:
 * of peers that have connected and not asked for anything yet, fabrics keep the passive endpoint
 * for when they do, and touch it after it was closed.
 */
public final class ListeningEndpoint implements PassiveTransport {
  private final NativeFabric own;

  /** What it is opened with; some fabrics go on looking at it. */
  private final NativeInfo found;

  private final EventReader reader;
  private final NativePassiveEndpoint passive;
  private final ConnectionRequests requests;
  private final FabricAddress name;
  private final int connectionDataSize;
  private final @Nullable NativeProgressThread thread;
  private final NativeProgress engine;

  /**
   * Opens an endpoint that listens.
   *
   * @param endpoint the endpoint of the application, which events name
   * @param found libfabric's own information, closed with the endpoint or if it is refused
   * @param queue takes the connection requests
   */
  public ListeningEndpoint(
      Libfabric library,
      NativeInfo found,
      FabricInfo info,
      FabricObject endpoint,
      Events queue,
      PassiveOptions options) {
    this.found = found;
    NativeFabric fabric = null;
    EventReader events = null;
    NativePassiveEndpoint listening = null;
    try {
      if (options.security() != null) {
        throw unsupported("libfabric encrypts nothing: leave the certificates out, or use tcp");
      }
      fabric = NativeFabric.open(library, found);
      events = new EventReader(new LockedFabric(fabric, false));
      listening = fabric.openPassiveEndpoint(found);
      events.bind(listening);
      requests = new ConnectionRequests(endpoint, info, queue, events, listening, options);
      events.add(listening, requests);
      listening.listen();
      connectionDataSize = listening.connectionDataSize();
      name = NativeAddress.of(info.addressFormat(), listening.name());
      requests.reachedAt(name);
      if (info.domain().progress() == Progress.AUTO) {
        thread = new NativeProgressThread(library, info.domain().name());
        engine = new NativeProgress(library, thread, 0, null);
      } else {
        thread = null;
        engine = (NativeProgress) queue.drive(() -> new NativeProgress(library, null, 0, null));
      }
    } catch (RuntimeException | Error refused) {
      close(listening, events, fabric);
      throw refused;
    }
    own = fabric;
    reader = events;
    passive = listening;
    engine.add(reader);
  }

  @Override
  public FabricAddress name() {
    return name;
  }

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    if (!(request instanceof NativeConnectionRequest ours) || !ours.isOf(requests)) {
      throw invalid(request + " is not a request of passive endpoint " + name);
    }
    requests.reject(ours, data);
  }

  @Override
  public int connectionDataSize() {
    return connectionDataSize;
  }

  @Override
  public void close() {
    engine.remove(reader);
    if (thread != null) {
      thread.stop();
    }
    reader.locked().lock();
    try {
      requests.close();
      // Requests that have arrived are refused first: that needs the passive endpoint open.
      reader.drain();
      close(passive, reader, own);
    } finally {
      reader.locked().unlock();
    }
  }

  private void close(
      @Nullable NativePassiveEndpoint opened,
      @Nullable EventReader events,
      @Nullable NativeFabric fabric) {
    if (opened != null) {
      opened.close();
    }
    if (events != null) {
      events.close();
    }
    if (fabric != null) {
      fabric.close();
    }
    found.close();
  }

  @Override
  public String toString() {
    return "passive endpoint " + name + ", " + requests;
  }
}
