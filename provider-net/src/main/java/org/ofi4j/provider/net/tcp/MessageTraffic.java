package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.endpoint.Counters;
import org.ofi4j.provider.net.endpoint.Regions;
import org.ofi4j.provider.net.progress.NetProgress;

/** An endpoint over TCP that sends and receives, however it comes by its connections. */
abstract class MessageTraffic extends TcpTraffic implements Regions.User {
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();

  private final @Nullable TransmitContext transmit;
  private final @Nullable ReceiveContext receive;
  private final @Nullable Matching matching;
  private final FrameArrivals arrivals;
  private final Regions regions;
  private final RemoteAccess remote;

  /**
   * Traffic without connections.
   *
   * @param engines those of its queues
   * @param transmit what sends go through, if there are any
   * @param receive what receives go through, if there are any
   * @param counters count what has ended
   * @param regions the memory that peers may reach
   * @param info what the endpoint is opened with
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   */
  @SuppressWarnings("this-escape") // kept for later
  MessageTraffic(
      FabricAddress name,
      Stream<NetProgress> engines,
      @Nullable TransmitContext transmit,
      @Nullable ReceiveContext receive,
      Counters counters,
      Regions regions,
      FabricInfo info,
      @Nullable Selector own) {
    super(name, engines, own);
    this.transmit = transmit;
    this.receive = receive;
    matching = receive == null ? null : new Matching(receive, mover());
    remote = new RemoteAccess(info, regions, this, receive, counters, mover());
    arrivals = new FrameArrivals(matching, remote);
    this.regions = regions;
  }

  final @Nullable TransmitContext transmit() {
    return transmit;
  }

  final @Nullable ReceiveContext receive() {
    return receive;
  }

  final FrameArrivals arrivals() {
    return arrivals;
  }

  // Posting.

  /** The peer that a message for a handle goes to; throws if it cannot. */
  abstract Peer target(long destination);

  /** Sends to a peer, which is a {@link #target}. */
  abstract void send(Peer peer, Send filled);

  /** Which life the entry of a handle has that a receive is directed at. */
  abstract long life(long source);

  /** The peer that a receive is directed at; null for any. */
  abstract @Nullable Peer sender(long source, long life);

  /**
   * Sends a message.
   *
   * @param message the message
   * @param parts what it is gathered from instead, if there are any
   * @param operation {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}
   * @param frameFlags flags of the frame
   */
  final void send(
      TransmitContext from,
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      int operation,
      int frameFlags,
      long data,
      long tag,
      long destination,
      @Nullable Object context,
      boolean silent,
      boolean inject,
      boolean more) {
    lock();
    try {
      Peer peer = target(destination);
      Send send = from.take(operation);
      send.set(message, parts, frameFlags, data, tag);
      send.context = context;
      send.silent = silent;
      send.more = more;
      send.inject = inject;
      post(send, peer, destination);
    } finally {
      unlock();
    }
  }

  /**
   * Reads or writes memory of a peer.
   *
   * @param local takes the bytes, or has them
   * @param parts do it instead, if there are any
   * @param operation {@link FrameHeader#READ_REQUEST} or {@link FrameHeader#WRITE}
   * @param frameFlags flags of the frame
   */
  final void access(
      TransmitContext from,
      MemorySegment local,
      MemorySegment @Nullable [] parts,
      int operation,
      int frameFlags,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      boolean silent,
      boolean inject) {
    lock();
    try {
      Peer peer = target(destination);
      Send send = from.take(operation);
      send.set(local, parts, frameFlags, data, 0);
      send.reach(address, key);
      send.context = context;
      send.silent = silent;
      send.inject = inject;
      post(send, peer, destination);
    } finally {
      unlock();
    }
  }

  private void post(Send send, Peer peer, long destination) {
    send.destination = destination;
    send(peer, send);
    if (send.inject) {
      send.keep();
    }
  }

  /**
   * Posts a buffer for a message, or for several ones, or asks for one that has come.
   *
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param source the handle of the only sender, or {@link Handles#UNSPECIFIED}
   * @param flags bits of {@link TransferFlag}
   */
  final void receive(
      ReceiveContext into,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      boolean tagged,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      boolean silent,
      long flags) {
    lock();
    try {
      long life = Receive.UNDIRECTED;
      Peer sender = null;
      if (source != Handles.UNSPECIFIED) {
        life = life(source);
        sender = sender(source, life);
      }
      Receive receive = into.take(tagged);
      receive.set(buffer, parts, tag, ignore);
      receive.direct(source, life, sender);
      receive.context = context;
      receive.silent = silent;
      receive.several = (flags & MULTI_RECEIVE) != 0;
      post(receive, flags);
    } finally {
      unlock();
    }
  }

  /** Posts a receive that was filled in, or asks with it for a message that has come. */
  private void post(Receive filled, long flags) {
    Matching matches = Objects.requireNonNull(matching);
    if ((flags & PEEK) != 0) {
      matches.peek(filled, (flags & CLAIM) != 0, (flags & DISCARD) != 0);
    } else if ((flags & CLAIM) != 0) {
      matches.claim(filled, (flags & DISCARD) != 0);
    } else {
      matches.post(filled);
    }
    matches.goOn();
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  final boolean cancel(ReceiveContext from, @Nullable Object context) {
    lock();
    try {
      return from.cancel(context);
    } finally {
      unlock();
    }
  }

  /** How much of a buffer for several messages must be left for it to take another one. */
  final void minMultiReceive(ReceiveContext into, long bytes) {
    lock();
    try {
      into.minMultiReceive = bytes;
    } finally {
      unlock();
    }
  }

  @Override
  final void reportKept() {
    if (transmit != null) {
      transmit.reportKept();
    }
    if (receive != null) {
      receive.reportKept();
    }
  }

  @Override
  final void goOn() {
    remote.goOn();
    if (matching != null) {
      matching.goOn();
    }
  }

  @Override
  public final void awaitQuiet() {
    quiesce();
  }

  @Override
  protected void end() {
    regions.leave(this);
    super.end();
  }

  @Override
  void afterwards() {
    if (matching != null && matching.isBehind()) {
      matching.goOn();
    }
  }
}
