// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Wakeups;
import org.ofi4j.provider.net.connection.PeerDirectory;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.matching.Senders;

/**
 * Receives that several endpoints share, and those endpoints. All of them have one lock: what comes
 * to one of them may go on with what came to another one. Guarded by that lock, but {@link #lock}.
 */
final class SharedReceives implements ReceivePoint {
  private final ReentrantLock lock = new ReentrantLock();
  private final Wakeups wakeups = new Wakeups(lock::unlock);
  private final ReceiveContext context;
  private final Matching matching;
  private final TcpReceiver receiver;
  private final List<Sharer> sharers = new CopyOnWriteArrayList<>();

  // Of peers that receives are directed at, whichever endpoint their messages come to.
  private final Senders<Sender> origins = new Senders<>();

  // That of all who share, or of the last who did.
  private @Nullable Peers vector;
  private int claims;
  private final boolean grouped;

  /**
   * Receives without endpoints.
   *
   * @param minMultiReceive how much of a buffer for several messages must be left; 0 for the
   *     default
   */
  @SuppressWarnings("this-escape") // kept for later
  SharedReceives(FabricInfo info, long minMultiReceive) {
    matching = new Matching(info, 1, () -> claims > 0 ? vector : null);
    context = matching.context(0);
    grouped = info.domain().maxGroupId() > 0;
    receiver = new TcpReceiver(this, matching, context);
    receiver.leaveRest(minMultiReceive);
  }

  /** Returns the receives that an endpoint shares; null if it has its own. */
  static @Nullable SharedReceives of(EndpointOpening opening) {
    return opening.shared() instanceof TcpReceiver shared
            && shared.point() instanceof SharedReceives receives
        ? receives
        : null;
  }

  TcpReceiver receiver() {
    return receiver;
  }

  // The lock.

  /** The lock of all who share. */
  ReentrantLock guard() {
    return lock;
  }

  /** Returns what wakes the readers of completions that are reported under the lock. */
  Wakeups wakeups() {
    return wakeups;
  }

  @Override
  public void lock() {
    lock.lock();
  }

  /** Gives the lock back, and tells those who sleep what has changed at any of the endpoints. */
  @Override
  public void unlock() {
    try {
      for (Sharer each : sharers) {
        each.settle();
      }
      if (matching.isBehind()) {
        matching.goOn();
      }
    } finally {
      wakeups.releaseAndWake();
      sharers.forEach(Sharer::tell);
    }
  }

  // Those who share.

  /**
   * An endpoint is about to share: all must have one vector.
   *
   * @param its the vector of the endpoint; null if it has one peer and needs none
   */
  private void claim(@Nullable Peers its) {
    lock.lock();
    try {
      if (!Objects.equals(vector, its)) {
        if (claims > 0) {
          throw invalid(
              ("the endpoint is bound to %s, but others that share its receive context are bound"
                      + " to %s: all must have the same address vector")
                  .formatted(its, vector));
        }
        context.forgetDirected();
      }
      vector = its;
      claims++;
    } finally {
      lock.unlock();
    }
  }

  /** An endpoint that was to share does not, or does not any more. */
  void giveUp() {
    lock.lock();
    try {
      claims--;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Opens an endpoint, which shares receives if there are some to be shared.
   *
   * @param sharing those receives, if there are any
   * @param its the vector of the endpoint; null if it has one peer and needs none
   */
  static <T extends Sharer> T opened(
      @Nullable SharedReceives sharing, @Nullable Peers its, Supplier<T> opening) {
    if (sharing == null) {
      return opening.get();
    }
    sharing.claim(its);
    try {
      T opened = opening.get();
      sharing.join(opened);
      return opened;
    } catch (Throwable failed) {
      sharing.giveUp();
      throw failed;
    }
  }

  /** Returns what messages of an endpoint are received by; null if it receives none. */
  static @Nullable Receiving receiving(EndpointOpening opening, @Nullable Peers peers) {
    Completions completions = opening.receives();
    if (completions == null) {
      return null;
    }
    SharedReceives sharing = of(opening);
    if (sharing == null) {
      return Receiving.own(completions, peers, opening.info());
    }
    ReceiveOutcomes its = new ReceiveOutcomes(completions, peers, Sources.of(opening.info()));
    return new Receiving(sharing.matching, new ReceiveOutcomes[] {its}, its);
  }

  private void join(Sharer sharer) {
    lock.lock();
    try {
      sharers.add(sharer);
      chooseOutcomes();
    } finally {
      lock.unlock();
    }
  }

  /** An endpoint shares no more: forgets what has come to it. Called with the lock held. */
  void leave(Sharer sharer, ReceiveOutcomes its) {
    sharers.remove(sharer);
    chooseOutcomes();
    matching.forget(its);
    its.completions().detach();
  }

  /** What no message came for is reported by whoever has shared longest. */
  private void chooseOutcomes() {
    context.endIn(sharers.isEmpty() ? null : sharers.getFirst().sharedOutcomes());
  }

  // Peers.

  /** What stands for a peer with all who share. */
  Sender origin(Sender peer) {
    Sender known = origins.find(peer.high, peer.low, peer.scopeAndPort);
    if (known == null) {
      known = new Sender(peer.high, peer.low, peer.scopeAndPort, peer.authKey, peer.packed);
      origins.add(known);
    }
    return known;
  }

  @Override
  public boolean isAnySource(long source) {
    return source == Handles.UNSPECIFIED
        || (!sharers.isEmpty() && sharers.getFirst().isAnySource(source));
  }

  @Override
  public @Nullable PeerDirectory peers(long source, boolean directed) {
    if (!sharers.isEmpty()) {
      return sharers.getFirst().peers(source, directed);
    }
    // The vector knows which bits are a group.
    boolean mayHaveGroup = grouped && source >>> Handles.GROUP_SHIFT != 0;
    if (source != Handles.UNSPECIFIED && (directed || mayHaveGroup)) {
      throw invalid(
          ("source 0x%x belongs to the address vector of the endpoints that share the receive"
                  + " context, and none is open yet")
              .formatted(source));
    }
    return null;
  }
}
