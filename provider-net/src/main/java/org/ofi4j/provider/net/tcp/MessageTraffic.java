// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EarlyMessages;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.Regions;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.ReceiveOutcomes;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.rma.AccessedMemory;
import org.ofi4j.provider.net.rma.Commits;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.DeliveryWord;

/** An endpoint over TCP that sends and receives, however it comes by its connections. */
abstract class MessageTraffic extends TcpTraffic implements Regions.User, Sharer {
  private static final ReceiveOutcomes[] NONE = {};

  private final @Nullable Receiving receiving;
  private final @Nullable Matching matching;
  private final @Nullable SharedReceives sharing;
  private boolean gaveUp;
  private final Regions regions;
  private final RemoteAccess remote;
  private final Commits commits;

  // What sends go through: none, one, or those of a scalable endpoint that are open.
  private TransmitContext[] transmits;

  /**
   * Traffic without connections.
   *
   * @param receiving what comes is received by, if there is anything
   * @param keyed the vector whose authorization keys our memory is for; null without such keys
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   */
  @SuppressWarnings("this-escape") // kept for later
  MessageTraffic(
      Opening opening,
      FabricAddress name,
      @Nullable Receiving receiving,
      @Nullable CoreAddressVector keyed,
      @Nullable Selector own) {
    super(name, opening.engines(), own, opening.domain().staging(), opening.sharing());
    EndpointDomain domain = opening.domain();
    TransmitContext transmit = opening.sends();
    this.receiving = receiving;
    sharing = opening.sharing();
    transmits = transmit == null ? new TransmitContext[0] : new TransmitContext[] {transmit};
    matching = receiving == null ? null : receiving.matching();
    commits = new Commits(Commits.thread(), this::changed);
    regions = domain.regions();
    remote =
        new RemoteAccess(
            opening.info(),
            new AccessedMemory.Reachable(regions, keyed, this::isEntry),
            this,
            receiving == null ? NONE : receiving.outcomes(),
            opening.counters(),
            commits);
  }

  @SuppressWarnings("ReferenceEquality") // a peer is itself and no other
  private boolean isEntry(Sender peer, long handle, long generation) {
    return generation(handle) == generation && sender(handle, generation) == peer.origin;
  }

  /** What sends of an endpoint go through that is not scalable. */
  final @Nullable TransmitContext transmit() {
    return transmits.length == 0 ? null : transmits[0];
  }

  /** What receives of an endpoint go through that has its own, and is not scalable. */
  final @Nullable ReceiveContext receive() {
    return matching == null || sharing != null ? null : matching.context(0);
  }

  @Override
  public final ReceiveOutcomes sharedOutcomes() {
    return Objects.requireNonNull(Objects.requireNonNull(receiving).sharing());
  }

  /** Returns what gives the frames of a connection a meaning. */
  final FrameHandler arrivals(Connection connection) {
    return new FrameArrivals(connection, receiving, remote, mover());
  }

  /**
   * Says how much is kept of messages that come early, and what is announced; before data is moved.
   *
   * @return how much a peer may send early
   */
  long bound(EarlyMessages early) {
    lock();
    try {
      mover().bounds().early(early);
      return matching == null ? 0 : matching.bound(early);
    } finally {
      unlock();
    }
  }

  // Contexts of a scalable endpoint.

  /** A transmit context is open. */
  final void open(TransmitContext context) {
    lock();
    try {
      TransmitContext[] more = Arrays.copyOf(transmits, transmits.length + 1);
      more[transmits.length] = context;
      transmits = more;
    } finally {
      unlock();
    }
  }

  /** A transmit context is closed: nothing of it is sent or touched any more. */
  final void close(TransmitContext context) {
    lock();
    try {
      // Nobody may make progress any more for whom it waits.
      mover().writeHeld();
      context.close();
      transmits =
          Arrays.stream(transmits)
              .filter(each -> !each.equals(context))
              .toArray(TransmitContext[]::new);
      withdraw(context);
    } finally {
      unlock();
    }
  }

  /** Takes what a context has posted from all connections. */
  void withdraw(TransmitContext closed) {}

  /** A receive context is open: what comes for it can be received. */
  final ReceiveContext open(int number, Binding binding, FabricInfo info) {
    Receiving all = Objects.requireNonNull(receiving);
    lock();
    try {
      ReceiveContext context = all.matching().context(number);
      ReceiveOutcomes outcomes = all.outcomes()[number];
      outcomes.reportTo(binding);
      outcomes.tell(Sources.of(info));
      context.endIn(outcomes);
      context.size(info.receive().size());
      outcomes.reportKept();
      return context;
    } finally {
      unlock();
    }
  }

  /** A receive context is closed: nothing that was posted to it is touched any more. */
  final void close(int number) {
    Receiving all = Objects.requireNonNull(receiving);
    lock();
    try {
      ReceiveContext context = all.matching().context(number);
      all.outcomes()[number].detach();
      connections().forEachOpen(link -> link.reader().withdraw(context));
      all.matching().abandon(context);
    } finally {
      unlock();
    }
  }

  // Posting.

  /** The peer that a message for a handle goes to; throws if it cannot. */
  abstract Peer target(long destination);

  /** Sends to a peer, which is the {@link #target} of a handle. */
  abstract void send(Peer peer, Send filled, long destination);

  /** Where at the target a message for a handle belongs: a {@link DeliveryWord}. */
  abstract long word(long destination);

  @Override
  public final Matching matching() {
    return Objects.requireNonNull(matching);
  }

  /** Sends a message that was filled in, to the {@link #target} of a handle. */
  final void post(Send message, Peer peer, long destination) {
    message.deliver(word(destination));
    hand(message, peer, destination);
  }

  /** Reads or writes memory of a peer, which is the {@link #target} of a handle. */
  final void access(Send filled, Peer peer, long destination) {
    // Groups say nothing about memory.
    filled.deliver(DeliveryWord.of(0, DeliveryWord.receiveContext(word(destination))));
    hand(filled, peer, destination);
  }

  private void hand(Send send, Peer peer, long destination) {
    send(peer, send, destination);
    send.beginWait();
  }

  @Override
  final void reportKept() {
    for (TransmitContext each : transmits) {
      each.reportKept();
    }
    if (receiving != null) {
      for (ReceiveOutcomes each : receiving.outcomes()) {
        each.reportKept();
      }
    }
  }

  @Override
  final void goOn() {
    remote.goOn();
    if (matching != null) {
      matching.lookAgain();
    }
  }

  @Override
  void afterwards() {
    if (matching != null && matching.isBehind()) {
      matching.goOn();
    }
  }

  @Override
  public final void awaitQuiet() {
    quiesce();
    commits.await();
  }

  /** What has come to it and is shared with others is theirs. */
  @Override
  void leaving() {
    if (sharing != null) {
      try {
        connections().forEachOpen(connection -> connection.reader().giveBack());
      } finally {
        sharing.leave(this, sharedOutcomes());
      }
    }
  }

  @Override
  void closed() {
    try {
      commits.await();
    } finally {
      regions.leave(this);
      if (sharing != null && !gaveUp) {
        // A close that ended for lack of memory runs again.
        gaveUp = true;
        sharing.giveUp();
      }
    }
  }
}
