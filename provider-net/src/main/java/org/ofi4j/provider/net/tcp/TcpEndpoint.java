// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.EarlyMessages;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.ReadRequest;
import org.ofi4j.ReceiveRequest;
import org.ofi4j.RemotePlace;
import org.ofi4j.SendRequest;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.TagPattern;
import org.ofi4j.TaggedReceiveRequest;
import org.ofi4j.TaggedSendRequest;
import org.ofi4j.TransportSecurity;
import org.ofi4j.TryAgainException;
import org.ofi4j.WriteRequest;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.ConnectionTimes;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * An endpoint over TCP, whichever way it comes by its connections: the checks of what is posted,
 * and what it is set to.
 *
 * @param <T> what it is from being enabled until it is closed
 */
abstract class TcpEndpoint<T extends MessageTraffic> extends AccessingEndpoint<T> {
  private final SendPosts sends = new SendPosts(this, FrameHeader.MESSAGE);
  private final SendPosts taggedSends = new SendPosts(this, FrameHeader.TAGGED);
  private final AccessPosts accesses = new AccessPosts(this);
  private final ReceivePosts untagged;
  private final ReceivePosts tagged;

  // Guarded by the monitor of this object, which enabling takes.
  private ConnectionTimes times = ConnectionTimes.DEFAULTS;
  private @Nullable TransportSecurity security;
  private EarlyMessages early = EarlyMessages.defaults();
  private long leastRest;
  private @Nullable TcpSharedReceiveContext shared;

  // What operations go through; written before the endpoint is enabled, and read after that.
  private @Nullable TransmitContext transmit;
  private @Nullable ReceiveContext receive;

  @SuppressWarnings("this-escape") // kept for later
  TcpEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
    untagged = posts(false, domain, info);
    tagged = posts(true, domain, info);
  }

  private ReceivePosts posts(boolean withTag, EndpointDomain domain, FabricInfo info) {
    boolean keyed = domain.hasKeysInVectors();
    return new ReceivePosts(
        withTag, domain, info, keyed, () -> ready("cannot receive yet"), this::receives);
  }

  /** Says what operations go through, before the endpoint counts as enabled. */
  final void goThrough(@Nullable TransmitContext transmits, @Nullable ReceiveContext receives) {
    transmit = transmits;
    receive = receives;
  }

  @Override
  final @Nullable TransmitContext transmit() {
    return transmit;
  }

  @Override
  public synchronized void bind(SharedReceiveContext context) {
    lifetime.checkOpen();
    required(context, "context");
    checkBindable(context.domain(), domain(), context);
    if (shared != null) {
      throw invalid(this + " is bound to " + shared + " already, and takes receives of one only");
    }
    if (!info().has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    if (!(context instanceof TcpSharedReceiveContext own)) {
      throw foreign(context);
    }
    lifetime.hold(own.lifetime());
    shared = own;
  }

  /** The receives that the endpoint shares with others, or null if it has its own. */
  final synchronized @Nullable SharedReceives shared() {
    TcpSharedReceiveContext bound = shared;
    if (bound == null
        && info().endpoint().receiveContexts() == EndpointAttributes.SHARED_CONTEXT
        && info().has(Capability.RECEIVE)) {
      throw invalid(
          this
              + " was opened with SHARED_CONTEXT for its receives: bind a shared receive context"
              + " before enabling it");
    }
    return bound == null ? null : bound.receives();
  }

  /**
   * The event queue that is being bound, which the endpoint holds from then on.
   *
   * @param present the one that is bound already, if one is
   */
  final CoreEventQueue eventQueue(EventQueue queue, @Nullable CoreEventQueue present) {
    lifetime.checkOpen();
    checkBindable(required(queue, "queue").fabric(), domain().fabric(), queue);
    if (present != null) {
      throw invalid(this + " has an event queue already");
    }
    if (!(queue instanceof CoreEventQueue own)) {
      throw foreign(queue);
    }
    lifetime.hold(own.lifetime());
    return own;
  }

  private void checkSettable(String what) {
    lifetime.checkOpen();
    if (enabled() != null) {
      throw invalid(this + " is enabled: " + what + " before that");
    }
  }

  @Override
  public synchronized void connectTimeout(Duration wanted) {
    checkSettable("say how long a connection may take");
    times = times.withConnect(wanted);
  }

  @Override
  protected final boolean isContentWithCounters() {
    return true;
  }

  @Override
  public synchronized void peerTimeout(Duration wanted) {
    checkSettable("say how long a peer may be silent");
    times = times.withPeer(wanted);
  }

  @Override
  public synchronized void idleTimeout(Duration wanted) {
    checkSettable("say when connections are closed");
    times = times.withIdle(wanted);
  }

  /**
   * What it is enabled with.
   *
   * @param events where connections are reported; null if nobody wants to know
   */
  final synchronized Opening opening(
      @Nullable CoreEventQueue events,
      @Nullable Binding transmits,
      @Nullable Binding receives,
      @Nullable SharedReceives sharing) {
    ConnectionSettings settings = new ConnectionSettings(this, events, times, security);
    return new Opening(domain(), info(), settings, transmits, receives, sharing);
  }

  @Override
  public synchronized void earlyMessages(EarlyMessages bounds) {
    checkSettable("say how much is kept");
    early = required(bounds, "bounds");
  }

  /** Before data is moved, so that no message is kept under other bounds. */
  @Override
  protected synchronized void begin(T ready) {
    ready.bound(early);
    applyRest(ready);
    super.begin(ready);
  }

  @Override
  public synchronized void secure(TransportSecurity wanted) {
    checkSettable("secure it");
    security = required(wanted, "security");
  }

  @Override
  public final void send(
      MemorySegment message, long data, long destination, @Nullable Object context, long flags) {
    postSend(message, null, data, destination, context, flags);
  }

  @Override
  public final void send(
      MemorySegment[] parts, long data, long destination, @Nullable Object context, long flags) {
    PostedPieces.checkCount(parts);
    postSend(MemorySegment.NULL, parts, data, destination, context, flags);
  }

  private void postSend(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot send yet");
    TransmitContext from = sending(message, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send send = taken(from.take(FrameHeader.MESSAGE));
      send.set(message, parts, TcpFlags.ofFrame(flags), data, 0);
      TcpFlags.note(send, context, flags);
      send.departure = TcpFlags.departure(from, flags);
      traffic.post(send, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  @Override
  public final void sendTagged(
      MemorySegment message,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    postTaggedSend(message, null, data, destination, tag, context, flags);
  }

  @Override
  public final void sendTagged(
      MemorySegment[] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    postTaggedSend(MemorySegment.NULL, parts, data, destination, tag, context, flags);
  }

  private void postTaggedSend(
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags) {
    T traffic = ready("cannot send yet");
    TransmitContext from = sending(message, parts, flags);
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send send = taken(from.take(FrameHeader.TAGGED));
      send.set(message, parts, TcpFlags.ofFrame(flags), data, tag);
      TcpFlags.note(send, context, flags);
      send.departure = TcpFlags.departure(from, flags);
      traffic.post(send, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  /** What a message goes through; refuses one that cannot be sent. */
  private TransmitContext sending(
      MemorySegment message, MemorySegment @Nullable [] parts, long flags) {
    checkFlags(flags, TcpFlags.SEND, "send");
    TransmitContext from = sending(transmit);
    PostedPieces.check(message, parts, (flags & TcpFlags.INJECT) != 0, domain().mover());
    return from;
  }

  @Override
  public final void inject(MemorySegment message, long data, long destination) {
    inject(message, FrameHeader.MESSAGE, FrameHeader.HAS_DATA, data, 0, destination);
  }

  @Override
  public final void injectTagged(MemorySegment message, long data, long destination, long tag) {
    inject(message, FrameHeader.TAGGED, FrameHeader.HAS_DATA, data, tag, destination);
  }

  private void inject(
      MemorySegment message, int operation, int frameFlags, long data, long tag, long destination) {
    T traffic = ready("cannot send yet");
    TransmitContext from = sending(transmit);
    PostedPieces.check(message, null, true, domain().mover());
    traffic.lock();
    try {
      Peer peer = traffic.target(destination);
      Send send = taken(from.take(operation));
      send.set(message, null, frameFlags, data, tag);
      TcpFlags.noteInjected(send);
      traffic.post(send, peer, destination);
    } finally {
      traffic.unlock();
    }
  }

  @Override
  public final void receive(
      MemorySegment buffer, long source, @Nullable Object context, long flags) {
    checkPosted(untagged.post(buffer, null, source, 0, 0, context, flags));
  }

  @Override
  public final void receive(
      MemorySegment[] parts, long source, @Nullable Object context, long flags) {
    PostedPieces.checkCount(parts);
    checkPosted(untagged.post(MemorySegment.NULL, parts, source, 0, 0, context, flags));
  }

  @Override
  public final void receiveTagged(
      MemorySegment buffer,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    checkPosted(tagged.post(buffer, null, source, tag, ignore, context, flags));
  }

  @Override
  public final void receiveTagged(
      MemorySegment[] parts,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      long flags) {
    PostedPieces.checkCount(parts);
    checkPosted(tagged.post(MemorySegment.NULL, parts, source, tag, ignore, context, flags));
  }

  private ReceiveContext receives() {
    ReceiveContext own = receive;
    if (own == null && info().has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no receives of its own: post them to its shared context");
    }
    return receiving(own);
  }

  @Override
  public final void minMultiReceive(long bytes) {
    ReceivePosts.minMultiReceive(ready("takes options later"), receives(), bytes);
  }

  @Override
  public final boolean cancel(@Nullable Object context) {
    lifetime.checkOpen();
    T traffic = enabled();
    ReceiveContext from = receive;
    return traffic != null && from != null && ReceivePosts.cancel(traffic, from, context);
  }

  static void checkPosted(boolean posted) {
    if (!posted) {
      throw TryAgainException.receiveQueueFull();
    }
  }

  /** What was taken; throws if all are under way. */
  static Send taken(@Nullable Send send) {
    if (send == null) {
      throw TryAgainException.transmitQueueFull();
    }
    return send;
  }

  @Override
  protected void bind(EndpointOptions options) {
    super.bind(options);
    leaveRest(options.minMultiReceive());
    settle(options.connections());
  }

  /** Says how much of a buffer for several messages must be left; 0 for the default. */
  final synchronized void leaveRest(long bytes) {
    leastRest = bytes;
  }

  final synchronized void applyRest(T ready) {
    if (leastRest > 0) {
      ReceivePosts.minMultiReceive(ready, receives(), leastRest);
    }
  }

  /** Takes what options say of connections. */
  void settle(ConnectionOptions options) {
    connectTimeout(options.connectTimeout());
    peerTimeout(options.peerTimeout());
    earlyMessages(options.earlyMessages());
    if (options.idleTimeout() != null) {
      idleTimeout(options.idleTimeout());
    }
    if (options.security() != null) {
      secure(options.security());
    }
  }

  @Override
  public final boolean trySend(MemorySegment message, long destination, @Nullable Object context) {
    return sends.post(message, null, 0, destination, 0, context, 0);
  }

  @Override
  public final boolean trySend(SendRequest request) {
    return sends.post(request, 0);
  }

  @Override
  public final boolean tryInject(MemorySegment message, long destination) {
    return sends.inject(message, 0, 0, destination, 0);
  }

  @Override
  public final boolean tryInject(SendRequest request) {
    return sends.inject(request, 0);
  }

  @Override
  public final boolean trySendTagged(
      MemorySegment message, long destination, long tag, @Nullable Object context) {
    return taggedSends.post(message, null, 0, destination, tag, context, 0);
  }

  @Override
  public final boolean trySendTagged(TaggedSendRequest request) {
    return taggedSends.post(request, required(request, "request").tag());
  }

  @Override
  public final boolean tryInjectTagged(MemorySegment message, long destination, long tag) {
    return taggedSends.inject(message, 0, 0, destination, tag);
  }

  @Override
  public final boolean tryInjectTagged(TaggedSendRequest request) {
    return taggedSends.inject(request, required(request, "request").tag());
  }

  @Override
  public final boolean tryRead(
      MemorySegment into, long source, RemotePlace place, @Nullable Object context) {
    return accesses.read(into, source, place, context);
  }

  @Override
  public final boolean tryRead(ReadRequest request) {
    return accesses.read(request);
  }

  @Override
  public final boolean tryWrite(
      MemorySegment from, long destination, RemotePlace place, @Nullable Object context) {
    return accesses.write(from, destination, place, context);
  }

  @Override
  public final boolean tryWrite(WriteRequest request) {
    return accesses.write(request);
  }

  @Override
  public final boolean tryInjectWrite(MemorySegment from, long destination, RemotePlace place) {
    return accesses.injectWrite(from, 0, 0, destination, place, 0);
  }

  @Override
  public final boolean tryInjectWrite(WriteRequest request) {
    return accesses.injectWrite(request);
  }

  @Override
  public final boolean tryReceive(MemorySegment buffer, @Nullable Object context) {
    return untagged.post(buffer, context);
  }

  @Override
  public final boolean tryReceive(ReceiveRequest request) {
    return untagged.post(request);
  }

  @Override
  public final boolean tryReceiveTagged(
      MemorySegment buffer, TagPattern pattern, @Nullable Object context) {
    return tagged.post(buffer, pattern, context);
  }

  @Override
  public final boolean tryReceiveTagged(TaggedReceiveRequest request) {
    return tagged.post(request);
  }
}
