// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.PassiveOptions;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.kit.WaitingByHost;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest.Fate;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativePassiveEndpoint;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * Requests for connections to a passive endpoint, until there is an answer, or the time for that is
 * over. The backlog bounds them, and one host has a part of it only. Those for which the event
 * queue has no space are kept, and count. Guarded by the lock of the passive endpoint, which calls
 * from outside take.
 */
final class ConnectionRequests implements EventTarget {
  private static final byte[] NOTHING = {};

  private final FabricObject source;

  // Guarded by the lock; of the address at which the endpoint listens from then on.
  private FabricInfo info;

  private final Events events;
  private final EventReader reader;
  private final NativePassiveEndpoint passive;
  private final int backlog;
  private final long answerTimeout;

  // Each waits as long as the others.
  private final WaitingByHost<NativeConnectionRequest> waiting = new WaitingByHost<>();
  private final UnreportedEvents unreported;
  private boolean closed;

  ConnectionRequests(
      FabricObject source,
      FabricInfo info,
      Events events,
      EventReader reader,
      NativePassiveEndpoint passive,
      PassiveOptions options) {
    this.source = source;
    this.info = info;
    this.events = events;
    this.reader = reader;
    this.passive = passive;
    backlog = options.backlog();
    answerTimeout =
        Math.min(TimeUnit.NANOSECONDS.convert(options.answerTimeout()), Long.MAX_VALUE / 4);
    unreported = new UnreportedEvents(events);
  }

  /** Sets the address at which the endpoint listens. */
  void reachedAt(FabricAddress address) {
    info = info.withSource(address);
  }

  @Override
  public void happened(NativeEventQueue.Event event) {
    NativeInfo asked = event.info();
    if (asked == null) {
      return;
    }
    byte[] from = asked.destination();
    FabricAddress peer = from == null ? null : NativeAddress.of(info.addressFormat(), from);
    if (closed || peer == null || !waiting.makeSpace(host(peer), backlog, this::forget)) {
      refuse(asked);
      return;
    }
    NativeConnectionRequest request =
        new NativeConnectionRequest(this, asked, peer, System.nanoTime() + answerTimeout);
    waiting.add(request, host(peer));
    FabricInfo its = info.withRequest(request, peer);
    unreported.add(Event.ConnectionRequest.of(source, its, event.data()));
  }

  /** Returns the host of a peer; the address itself if the format does not tell. */
  private static Object host(FabricAddress peer) {
    return switch (peer) {
      case FabricAddress.SocketAddress4 ip -> ip.toSocketAddress().getAddress();
      case FabricAddress.SocketAddress6 ip -> ip.toSocketAddress().getAddress();
      case FabricAddress other -> other;
    };
  }

  private void refuse(NativeInfo asked) {
    passive.reject(asked, NOTHING);
    asked.close();
  }

  @Override
  public long attend(long now) {
    boolean all = unreported.report();
    NativeConnectionRequest oldest = waiting.oldest();
    while (oldest != null && now - oldest.deadline >= 0) {
      forget(oldest);
      oldest = waiting.oldest();
    }
    if (!all) {
      return REPORT_PAUSE;
    }
    return oldest == null ? QueueReader.NO_LIMIT : oldest.deadline - now;
  }

  /** A request is not there any more, whether the application knows of it or not. */
  private void forget(NativeConnectionRequest request) {
    waiting.remove(request);
    request.become(Fate.GONE);
    unreported.drop(event ->
        event instanceof Event.ConnectionRequest asked && request.equals(asked.info().handle()));
    refuse(request.info());
  }

  // Answers.

  void claim(NativeConnectionRequest request) {
    locked(() -> {
      request.checkWaiting();
      waiting.remove(request);
      request.become(Fate.CLAIMED);
    });
  }

  void giveUp(NativeConnectionRequest claimed) {
    locked(() -> {
      if (!closed) {
        passive.reject(claimed.info(), NOTHING);
      }
      claimed.info().close();
    });
  }

  void reject(NativeConnectionRequest request, byte[] data) {
    locked(() -> {
      if (!request.isGone()) {
        request.checkWaiting();
        waiting.remove(request);
        request.become(Fate.REJECTED);
        passive.reject(request.info(), data);
        request.info().close();
      }
    });
  }

  private void locked(Runnable answer) {
    reader.locked().lock();
    try {
      answer.run();
    } finally {
      reader.locked().unlock();
    }
  }

  /** Refuses all. */
  void close() {
    closed = true;
    List.copyOf(waiting.all()).forEach(this::forget);
  }

  @Override
  public String toString() {
    return waiting.size() + " requests for " + source + ", reported to " + events;
  }
}
