// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest.Fate;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativePassiveEndpoint;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * Who wants to connect to a passive endpoint, until there is an answer, or the time for that is
 * over. Requests beyond the backlog are refused at once; those for which the event queue has no
 * room are kept, and count. Guarded by the lock of the passive endpoint, which calls from outside
 * take.
 */
final class ConnectionRequests implements EventTarget {
  private static final byte[] NOTHING = {};

  private final PassiveEndpoint source;
  private final FabricInfo info;
  private final CoreEventQueue events;
  private final EventReader reader;
  private final NativePassiveEndpoint passive;
  private final int backlog;
  private final long answerTimeout;

  // The oldest first, and each waits as long as the others.
  private final SequencedSet<NativeConnectionRequest> waiting = new LinkedHashSet<>();
  private final UnreportedEvents unreported;
  private boolean closed;

  ConnectionRequests(
      PassiveEndpoint source,
      FabricInfo info,
      CoreEventQueue events,
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

  @Override
  public void happened(NativeEventQueue.Event event) {
    NativeInfo asked = event.info();
    if (asked == null) {
      return;
    }
    byte[] from = asked.destination();
    if (closed || from == null || waiting.size() >= backlog) {
      refuse(asked);
      return;
    }
    FabricAddress peer = NativeAddress.of(info.addressFormat(), from);
    NativeConnectionRequest request =
        new NativeConnectionRequest(this, asked, peer, System.nanoTime() + answerTimeout);
    waiting.add(request);
    FabricInfo its = info.withSource(source.address()).withRequest(request, peer);
    unreported.add(new Event.ConnectionRequest(source, its, event.data()));
  }

  private void refuse(NativeInfo asked) {
    passive.reject(asked, NOTHING);
    asked.close();
  }

  @Override
  public long attend(long now) {
    boolean all = unreported.report();
    while (!waiting.isEmpty() && now - waiting.getFirst().deadline >= 0) {
      forget(waiting.removeFirst());
    }
    if (!all) {
      return UnreportedEvents.PAUSE;
    }
    return waiting.isEmpty() ? QueueReader.NO_LIMIT : waiting.getFirst().deadline - now;
  }

  /** A request is not there any more, whether the application knows of it or not. */
  private void forget(NativeConnectionRequest request) {
    request.become(Fate.GONE);
    unreported.drop(event ->
        event instanceof Event.ConnectionRequest asked && request.equals(asked.info().handle()));
    refuse(request.info());
  }

  // Answers.

  void claim(NativeConnectionRequest request) {
    lock();
    try {
      request.checkWaiting();
      waiting.remove(request);
      request.become(Fate.CLAIMED);
    } finally {
      unlock();
    }
  }

  void giveUp(NativeConnectionRequest claimed) {
    lock();
    try {
      if (!closed) {
        passive.reject(claimed.info(), NOTHING);
      }
      claimed.info().close();
    } finally {
      unlock();
    }
  }

  void reject(NativeConnectionRequest request, byte[] data) {
    lock();
    try {
      if (!request.isGone()) {
        request.checkWaiting();
        waiting.remove(request);
        request.become(Fate.REJECTED);
        passive.reject(request.info(), data);
        request.info().close();
      }
    } finally {
      unlock();
    }
  }

  private void lock() {
    reader.locked().lock().lock();
  }

  private void unlock() {
    reader.locked().lock().unlock();
  }

  /** Refuses all. */
  void close() {
    closed = true;
    while (!waiting.isEmpty()) {
      forget(waiting.removeFirst());
    }
  }

  @Override
  public String toString() {
    return waiting.size() + " requests for " + source + ", reported to " + events;
  }
}
