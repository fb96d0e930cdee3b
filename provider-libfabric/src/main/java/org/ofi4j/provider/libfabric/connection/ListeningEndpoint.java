// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.connection;

import static org.ofi4j.provider.kit.Misuse.invalid;
import static org.ofi4j.provider.kit.Misuse.unsupported;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.PassiveTransport;
import org.ofi4j.provider.kit.UnreportedEvents;
import org.ofi4j.provider.kit.WaitingByHost;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest.Fate;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEventQueue;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativePassiveEndpoint;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.provider.libfabric.progress.NativeProgressThread;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * A passive endpoint over libfabric, and the requests for connections to it until there is an
 * answer, or the time for that is over. The backlog bounds the requests, and one host has a part of
 * it only. Those for which the event queue has no space are kept, and count.
 *
 * <p>The endpoint has a fabric and an event queue of libfabric's by itself: of peers that have
 * connected and not asked for anything yet, fabrics keep the passive endpoint for when they do, and
 * touch it after it was closed. The lock of that fabric guards all; calls from outside take it.
 */
public final class ListeningEndpoint implements PassiveTransport, EventTarget {
  private static final byte[] NOTHING = {};

  private final FabricObject source;
  private final FabricInfo info;
  private final NativeFabric own;

  /** The information that it is opened with; some fabrics go on reading it. */
  private final NativeInfo found;

  private final EventReader reader;
  private final NativePassiveEndpoint passive;
  private final FabricAddress name;
  private final int connectionDataSize;
  private final @Nullable NativeProgressThread thread;
  private final NativeProgress engine;
  private final int backlog;
  private final long answerTimeout;

  // Each waits as long as the others.
  private final WaitingByHost<NativeConnectionRequest> waiting = new WaitingByHost<>();
  private final UnreportedEvents unreported;
  private boolean closed;

  /**
   * Opens an endpoint that listens.
   *
   * @param source the endpoint of the application, which events name
   * @param found libfabric's own information, closed with the endpoint or if it is refused
   * @param queue takes the connection requests
   */
  public ListeningEndpoint(
      Libfabric library,
      NativeInfo found,
      FabricInfo info,
      FabricObject source,
      Events queue,
      PassiveOptions options) {
    this.source = source;
    this.found = found;
    backlog = options.backlog();
    answerTimeout =
        Math.min(TimeUnit.NANOSECONDS.convert(options.answerTimeout()), Long.MAX_VALUE / 4);
    unreported = new UnreportedEvents(queue);
    try (Rollback rollback = new Rollback()) {
      rollback.add(found::close);
      if (options.security() != null) {
        throw unsupported("libfabric encrypts nothing: leave the certificates out, or use tcp");
      }
      own = new NativeFabric(library, found);
      rollback.add(own::close);
      reader = new EventReader(new LockedFabric(own, false));
      rollback.add(reader::close);
      passive = new NativePassiveEndpoint(own, found);
      rollback.add(passive::close);
      reader.bind(passive);
      reader.add(passive, this);
      passive.listen();
      connectionDataSize = passive.connectionDataSize();
      name = NativeAddress.of(info.addressFormat(), passive.name());
      if (info.domain().progress() == Progress.AUTO) {
        thread = new NativeProgressThread(library, info.domain().name());
        engine = new NativeProgress(library, thread, 0, null);
      } else {
        thread = null;
        engine = (NativeProgress) queue.drive(() -> new NativeProgress(library, null, 0, null));
      }
      rollback.keep(this);
    }
    this.info = info.withSource(name);
    // From now on events are read.
    engine.add(reader);
  }

  @Override
  public FabricAddress name() {
    return name;
  }

  @Override
  public int connectionDataSize() {
    return connectionDataSize;
  }

  // Requests of peers.

  @Override
  public void happened(NativeEventQueue.Event event) {
    NativeInfo asked = event.info();
    if (asked == null) {
      return;
    }
    byte[] from = asked.destination();
    FabricAddress peer = from == null ? null : NativeAddress.of(info.addressFormat(), from);
    if (closed || peer == null || !waiting.makeSpace(host(peer), backlog, this::forget)) {
      refuse(asked, NOTHING);
      return;
    }
    NativeConnectionRequest request =
        new NativeConnectionRequest(this, asked, peer, System.nanoTime() + answerTimeout);
    waiting.add(request, host(peer));
    unreported.add(
        Event.ConnectionRequest.of(source, info.withRequest(request, peer), event.data()));
  }

  /** Returns the host of a peer; the address itself if the format does not tell. */
  private static Object host(FabricAddress peer) {
    return switch (peer) {
      case FabricAddress.SocketAddress4 ip -> ip.toSocketAddress().getAddress();
      case FabricAddress.SocketAddress6 ip -> ip.toSocketAddress().getAddress();
      case FabricAddress other -> other;
    };
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
    refuse(request.info(), NOTHING);
  }

  private void refuse(NativeInfo asked, byte[] data) {
    passive.reject(asked, data);
    asked.close();
  }

  // Answers.

  @Override
  public void reject(ConnectionHandle request, byte[] data) {
    if (!(request instanceof NativeConnectionRequest ours) || !ours.isOf(this)) {
      throw invalid(request + " is not a request of passive endpoint " + name);
    }
    locked(() -> {
      if (!ours.isGone()) {
        answer(ours, Fate.REJECTED);
        refuse(ours.info(), data);
      }
    });
  }

  void claim(NativeConnectionRequest request) {
    locked(() -> answer(request, Fate.CLAIMED));
  }

  private void answer(NativeConnectionRequest request, Fate fate) {
    request.checkWaiting();
    waiting.remove(request);
    request.become(fate);
  }

  void giveUp(NativeConnectionRequest claimed) {
    locked(() -> {
      if (!closed) {
        passive.reject(claimed.info(), NOTHING);
      }
      claimed.info().close();
    });
  }

  private void locked(Runnable answer) {
    try (var _ = reader.locked().lock()) {
      answer.run();
    }
  }

  @Override
  public void close() {
    engine.remove(reader);
    if (thread != null) {
      thread.stop();
    }
    locked(() -> {
      closed = true;
      List.copyOf(waiting.all()).forEach(this::forget);
      // Requests that have arrived are refused first: that needs the passive endpoint open.
      reader.drain();
      passive.close();
      reader.close();
      own.close();
      found.close();
    });
  }

  @Override
  public String toString() {
    return "passive endpoint " + name + ", " + waiting.size() + " requests for " + source;
  }
}
