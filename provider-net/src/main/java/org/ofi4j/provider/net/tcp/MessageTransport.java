// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Regions;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.connection.PeerDirectory;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.endpoint.Sources;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.rma.AccessedMemory;
import org.ofi4j.provider.net.rma.Commits;
import org.ofi4j.provider.net.rma.RemoteAccess;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.DeliveryWord;

/** An endpoint over TCP that sends and receives, however it comes by its connections. */
abstract class MessageTransport implements Transport, TcpEndpoint.Work, Regions.User, Sharer {
  private static final ReceiveOutcomes[] NONE = {};

  final TcpEndpoint endpoint;
  private final EndpointOpening opening;
  private final @Nullable Receiving receiving;
  private final @Nullable Matching matching;
  private final @Nullable SharedReceives sharing;
  private final @Nullable TcpTransmitter transmitter;
  private final @Nullable TcpReceiver receiver;
  private boolean gaveUp;
  private final Regions regions;
  private final RemoteAccess remote;
  private final Commits commits;

  // The transmit contexts: none, one, or those of a scalable endpoint that are open.
  private final List<TransmitContext> transmits = new ArrayList<>();

  /**
   * Creates an endpoint that has no connection yet.
   *
   * @param receiving what comes is received by, if there is anything
   * @param keyed the peers of the vector whose authorization keys our memory is for; null without
   *     such keys
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   */
  @SuppressWarnings("this-escape") // kept for later
  MessageTransport(
      NetResources resources,
      EndpointOpening opening,
      ConnectionSettings settings,
      FabricAddress name,
      @Nullable Receiving receiving,
      @Nullable Peers keyed,
      @Nullable Selector own) {
    this.opening = opening;
    this.receiving = receiving;
    sharing = SharedReceives.of(opening);
    Stream<NetProgress> engines = settings.engines(opening, resources.progressThread() == null);
    endpoint = new TcpEndpoint(name, this, engines, own, resources.staging(), sharing);
    matching = receiving == null ? null : receiving.matching();
    if (opening.sends() == null) {
      transmitter = null;
    } else {
      opening.sends().wakeThrough(endpoint.wakeups());
      TransmitContext context =
          new TransmitContext(opening.sends(), opening.info().transmit().size());
      transmits.add(context);
      transmitter = new TcpTransmitter(this, context);
    }
    for (ReceiveOutcomes each : receiving == null ? NONE : receiving.outcomes()) {
      each.completions().wakeThrough(endpoint.wakeups());
    }
    receiver =
        matching == null || sharing != null || opening.receives() == null
            ? null
            : new TcpReceiver(this, matching, matching.context(0));
    commits = new Commits(Commits.thread(), endpoint::changed);
    regions = opening.regions();
    remote =
        new RemoteAccess(
            opening.info(),
            new AccessedMemory.Reachable(regions, keyed, this::isEntry),
            this,
            receiving == null ? NONE : receiving.outcomes(),
            opening.counters(),
            commits);
  }

  /** Returns a selector of an endpoint; null if a thread of the domain tells what is ready. */
  static @Nullable Selector selector(NetResources resources) {
    try {
      return resources.progressThread() != null ? null : Selector.open();
    } catch (IOException failed) {
      throw noSelector(failed);
    }
  }

  static FabricException noSelector(IOException failed) {
    return new FabricException(
        Errno.ENOMEM,
        "no selector for the endpoint: " + failed + "; raise the limit of open files",
        failed);
  }

  @Override
  public final FabricAddress name() {
    return endpoint.name();
  }

  @Override
  public final @Nullable TcpTransmitter transmitter() {
    return transmitter;
  }

  @Override
  public final @Nullable TcpReceiver receiver() {
    return receiver;
  }

  @Override
  public final ConnectionStatistics connectionStatistics() {
    return endpoint.mover().totals().statistics();
  }

  /** Says before data is moved how much is kept of messages that come early. */
  @Override
  public final void begin() {
    bound(opening.connections().earlyMessages());
    if (receiver != null) {
      receiver.leaveRest(opening.minMultiReceive());
    }
    endpoint.engines().begin();
  }

  /** Returns the peers of its vector; null if it has one peer. */
  abstract @Nullable PeerDirectory directory();

  @Override
  public final @Nullable PeerDirectory peers(long source, boolean directed) {
    return directory();
  }

  @Override
  public final boolean isAnySource(long source) {
    PeerDirectory all = directory();
    return all == null || all.isAnySource(source);
  }

  @SuppressWarnings("ReferenceEquality") // a peer is itself and no other
  private boolean isEntry(Sender peer, long handle, long generation) {
    PeerDirectory all = directory();
    return all != null
        && all.generation(handle) == generation
        && all.sender(handle, generation) == peer.origin;
  }

  @Override
  public final ReceiveOutcomes sharedOutcomes() {
    return Objects.requireNonNull(Objects.requireNonNull(receiving).sharing());
  }

  /** Returns what gives the frames of a connection a meaning. */
  final FrameHandler arrivals(Connection connection) {
    return new FrameArrivals(connection, receiving, remote, endpoint.mover());
  }

  /**
   * Says how much is kept of messages that come early, and what is announced; before data is moved.
   *
   * @return how much a peer may send early
   */
  long bound(EarlyMessages early) {
    endpoint.lock();
    try {
      endpoint.mover().bounds().early(early);
      return matching == null ? 0 : matching.bound(early);
    } finally {
      endpoint.unlock();
    }
  }

  // Contexts of a scalable endpoint.

  /** A transmit context is open. */
  final void open(TransmitContext context) {
    endpoint.lock();
    try {
      transmits.add(context);
    } finally {
      endpoint.unlock();
    }
  }

  /** A transmit context is closed: nothing of it is sent or touched any more. */
  final void close(TransmitContext context) {
    endpoint.lock();
    try {
      // No other thread may make progress for sends that wait.
      endpoint.mover().writeHeld();
      context.close();
      transmits.remove(context);
      withdraw(context);
    } finally {
      endpoint.unlock();
    }
  }

  /** Takes what a context has posted from all connections. */
  void withdraw(TransmitContext closed) {}

  /** A receive context is open: what comes for it can be received. */
  final TcpReceiver open(int number, Completions completions, FabricInfo info) {
    Receiving all = Objects.requireNonNull(receiving);
    endpoint.lock();
    try {
      ReceiveContext context = all.matching().context(number);
      ReceiveOutcomes outcomes = all.outcomes()[number];
      outcomes.completions().reportTo(completions);
      outcomes.tell(Sources.of(info));
      context.endIn(outcomes);
      context.size(info.receive().size());
      outcomes.completions().reportKept();
      return new TcpReceiver(this, all.matching(), context);
    } finally {
      endpoint.unlock();
    }
  }

  /** A receive context is closed: nothing that was posted to it is touched any more. */
  final void close(int number) {
    Receiving all = Objects.requireNonNull(receiving);
    endpoint.lock();
    try {
      ReceiveContext context = all.matching().context(number);
      all.outcomes()[number].completions().detach();
      endpoint.mover().forEachOpen(link -> link.reader().withdraw(context));
      context.abandon();
    } finally {
      endpoint.unlock();
    }
  }

  // The lock, as receives see it.

  @Override
  public final void lock() {
    endpoint.lock();
  }

  @Override
  public final void unlock() {
    endpoint.unlock();
  }

  @Override
  public final void settle() {
    endpoint.settle();
  }

  @Override
  public final void tell() {
    endpoint.tell();
  }

  @Override
  public final void close() {
    endpoint.close();
  }

  @Override
  public final String toString() {
    return endpoint.toString();
  }

  // Posting.

  /** The peer that a message for a handle goes to; throws if it cannot. */
  abstract Peer target(long destination);

  /** Sends to a peer, which is the {@link #target} of the handle of the send. */
  abstract void send(Peer peer, Send filled);

  /** Returns the {@link DeliveryWord} of a message for a handle. */
  abstract long word(long destination);

  /** Posts an operation that was filled in, to the {@link #target} of its handle. */
  final void post(Send posted, Peer peer) {
    long word = word(posted.peer);
    // Groups say nothing about memory.
    posted.deliver(
        word == DeliveryWord.NONE || posted.isMessage()
            ? word
            : DeliveryWord.of(0, DeliveryWord.receiveContext(word)));
    send(peer, posted);
    posted.beginWait();
  }

  @Override
  public final void reportKept() {
    // Without an iterator, which would be garbage in each turn.
    for (int i = 0; i < transmits.size(); i++) {
      transmits.get(i).reportKept();
    }
    if (receiving != null) {
      for (ReceiveOutcomes each : receiving.outcomes()) {
        each.completions().reportKept();
      }
    }
  }

  @Override
  public final void goOn() {
    remote.goOn();
    if (matching != null) {
      matching.lookAgain();
    }
  }

  @Override
  public void afterwards() {
    if (matching != null && matching.isBehind()) {
      matching.goOn();
    }
  }

  @Override
  public final void awaitQuiet() {
    endpoint.quiesce();
    commits.await();
  }

  /** What has come to it and is shared with others is theirs. */
  @Override
  public void leaving() {
    if (sharing != null) {
      try {
        endpoint.mover().forEachOpen(connection -> connection.reader().giveBack());
      } finally {
        sharing.leave(this, sharedOutcomes());
      }
    }
  }

  @Override
  public void closed() {
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
