// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * {@code struct fid_ep}, fi_endpoint(3): sends and receives messages, reads and writes the memory
 * of peers.
 *
 * <p>Bind an address vector and completion queues, enable it, then post. Any number of threads may
 * post. A posted buffer belongs to the endpoint until its completion was read; closing the endpoint
 * drops what is still posted.
 *
 * <p>Tagged messages go to tagged receives only, other messages to other receives.
 *
 * <p>The contexts of a {@link ScalableEndpoint} are endpoints too, each of which does one half: a
 * transmit context sends, a receive context receives.
 *
 * <p>An endpoint of type {@link EndpointType#MSG} has one peer. Bind an event queue instead of a
 * vector, then {@link #connect connect} or {@link #accept accept}; it can send once {@link
 * Event.Connected} was reported. It takes no notice of handles: any number will do (AV-214). When
 * the connection ends, for whatever reason, what is posted fails and {@link Event.Shutdown} is
 * reported, once; the endpoint is of no use any more then.
 */
public interface Endpoint
    extends Receiver,
        DatagramEndpoint,
        ReliableEndpoint,
        ConnectedEndpoint,
        TransmitContext,
        ReceiveContext {
  @Override
  default FabricAddress address() {
    return name();
  }

  /**
   * {@code fi_ep_bind} of an address vector.
   *
   * @param vector the vector that handles refer to, of the same domain
   */
  default void bind(AddressVector vector) {
    bind(vector, 0);
  }

  /**
   * {@code fi_ep_bind} of an address vector, once and before {@link #enable}.
   *
   * @param vector the vector that handles refer to, of the same domain
   * @param flags must be 0
   * @throws FabricException with {@link Errno#EBADFLAGS} for any flag, {@link Errno#EINVAL} if a
   *     vector is bound already, the domain is another or the endpoint is enabled
   */
  void bind(AddressVector vector, long flags);

  /**
   * {@code fi_ep_bind} of a completion queue.
   *
   * @param queue the queue, of the same domain
   * @param flags what it is for
   */
  default void bind(CompletionQueue queue, BindFlag... flags) {
    bind(queue, Flag.maskOf(flags));
  }

  /**
   * {@code fi_ep_bind} of a completion queue, once for each direction and before {@link #enable}.
   *
   * @param queue the queue, of the same domain
   * @param flags bits of {@link BindFlag}, at least one direction
   * @throws FabricException with {@link Errno#EBADFLAGS} for other flags, {@link Errno#EINVAL} if
   *     the direction has a queue already, the domain is another or the endpoint is enabled
   */
  void bind(CompletionQueue queue, long flags);

  /**
   * {@code fi_ep_bind} of a counter.
   *
   * @param counter the counter, of the same domain
   * @param flags what it counts
   */
  default void bind(Counter counter, CounterFlag... flags) {
    bind(counter, Flag.maskOf(flags));
  }

  /**
   * {@code fi_ep_bind} of a counter, before {@link #enable}. Each kind of operation has one counter
   * at most; one counter may count several kinds, also of several endpoints. It counts beside the
   * completion queue. An endpoint over TCP can do without that one: a direction of which something
   * is counted needs no queue, and then nobody is told what has failed, but that something has.
   *
   * @param counter the counter, of the same domain
   * @param flags bits of {@link CounterFlag}, at least one
   * @throws FabricException with {@link Errno#EBADFLAGS} for other flags, {@link Errno#EINVAL} if
   *     such operations are counted already, the domain is another or the endpoint is enabled
   */
  void bind(Counter counter, long flags);

  /**
   * {@code fi_ep_bind} of an event queue, once and before {@link #enable}: where an endpoint that
   * connects reports how that went, and a reliable one which peers of its vector are {@linkplain
   * Event.PeerLost lost} and {@linkplain Event.PeerReturned back}. With manual progress, reading
   * the queue moves the endpoint's connections and data, as reading its completion queues does.
   *
   * @param queue the queue, of the same fabric
   * @throws FabricException with {@link Errno#EINVAL} if a queue is bound already, the fabric is
   *     another or the endpoint is enabled; {@link Errno#ENOSYS} if the endpoint has no connections
   *     or is a context of a scalable one
   */
  void bind(EventQueue queue);

  /**
   * {@code fi_ep_bind} of a shared receive context, once and before {@link #enable}: messages that
   * come to this endpoint take receives that are posted there. Their completions go to the queue
   * that this endpoint has for receives. The endpoint itself takes no receives then.
   *
   * @param context the shared receive context, of the same domain
   * @throws FabricException with {@link Errno#EINVAL} if one is bound already, the domain is
   *     another or the endpoint is enabled; {@link Errno#EOPNOTSUPP} if the endpoint only sends;
   *     {@link Errno#ENOSYS} if the endpoint cannot share its receives
   */
  void bind(SharedReceiveContext context);

  /**
   * {@code fi_enable}: opens the endpoint for traffic. One that connects then takes receives, and
   * need not be enabled: {@link #connect connect} and {@link #accept accept} do it.
   *
   * @throws FabricException with {@link Errno#ENOCQ} without completion queues, or counters in
   *     their place, {@link Errno#ENOAV} without address vector or, if it connects, {@link
   *     Errno#ENOEQ} without event queue; {@link Errno#EINVAL} where endpoints take authorization
   *     keys and the vector has none, or share receives and no context is bound; or the errno of
   *     the network when its address cannot be used, such as {@link Errno#EADDRINUSE}
   */
  void enable();

  /**
   * {@code fi_getname}: the address that peers insert to reach this endpoint.
   *
   * @return the address in the format of the domain
   * @throws FabricException with {@link Errno#EOPBADSTATE} before {@link #enable}
   */
  FabricAddress name();

  /**
   * {@code fi_setname}: says where the endpoint is to be, in place of the source of its
   * information; before {@link #enable}. Port 0 is any. Whether the address can be had is found out
   * by {@code enable}.
   *
   * @param address an address of this host, of the domain's family
   * @throws FabricException with {@link Errno#EINVAL} if it is of another family, or the endpoint
   *     is enabled, was opened for a connection request, or is a context of a scalable one
   */
  void name(FabricAddress address);

  /**
   * Says how long sends wait for a connection to their peer, before {@link #enable}. A peer that
   * cannot be reached is tried again and again for so long, counted from the first send that waits;
   * then all that wait fail, with {@link Errno#ECONNREFUSED}, {@link Errno#ETIMEDOUT} or what else
   * the network says. With {@link #connect connect} it says how long the peer has to answer; there
   * is one attempt. Ten seconds unless this is called.
   *
   * @param timeout more than nothing
   * @throws FabricException with {@link Errno#EINVAL} for another time or if the endpoint is
   *     enabled; {@link Errno#ENOSYS} if it opens no connections
   */
  void connectTimeout(Duration timeout);

  /**
   * Says what becomes of messages that come before a receive is posted for them, before {@link
   * #enable}. Of endpoints that share a receive context the one that is enabled last says how much
   * is kept for all of them.
   *
   * @param bounds {@link EarlyMessages#defaults} unless this is called
   * @throws FabricException with {@link Errno#EINVAL} if the endpoint is enabled, or is a context
   *     of a scalable one; {@link Errno#ENOSYS} if it keeps no messages
   */
  void earlyMessages(EarlyMessages bounds);

  /**
   * Says how long a connection may go without a sign of life from the peer, before {@link #enable}.
   * Then it is lost: sends of which something is out fail with {@link Errno#ECONNRESET}, others
   * wait for a new connection, and {@link Event.PeerLost} is reported. Peers on ofi4j say several
   * times within that time that they live, also while their application makes no progress. C
   * programs do not: a connection to one is lost when it owes an acknowledgement or the answer to a
   * read, and nothing has come or gone for so long; so it is with endpoints that {@link #connect
   * connect}. Thirty seconds unless this is called.
   *
   * @param timeout a second or more
   * @throws FabricException with {@link Errno#EINVAL} for another time or if the endpoint is
   *     enabled or a context of a scalable one; {@link Errno#ENOSYS} if it has no connections
   */
  void peerTimeout(Duration timeout);

  /**
   * Has connections closed that nobody needs, before {@link #enable}: over which for so long no
   * message, read, write or acknowledgement has gone either way, while nothing is under way. Nobody
   * notices: what is sent next, by either side, opens a new one, nothing is lost or overtaken, and
   * no event is reported. But no more is heard of a peer without a connection, so nor that it is
   * gone. Connections stay to C programs, to whom nobody can say that one is to be closed; to peers
   * to whom none can be opened; and while early messages of the peer wait for receives. The peer
   * needs no such time of its own. They are closed as progress is made, within one and a half times
   * the time as a rule. Never unless this is called.
   *
   * @param timeout a millisecond or more
   * @throws FabricException with {@link Errno#EINVAL} for another time or if the endpoint is
   *     enabled or a context of a scalable one; {@link Errno#ENOSYS} if it opens no connections by
   *     itself
   */
  void idleTimeout(Duration timeout);

  /**
   * Has all connections of the endpoint encrypted, before {@link #enable}. Peers need the same: one
   * that has it and one that has not do not connect. An endpoint that accepts a connection has what
   * the passive endpoint has.
   *
   * @param security who we are, and whom we trust
   * @throws FabricException with {@link Errno#EINVAL} if the endpoint is enabled or was opened for
   *     a connection request; {@link Errno#ENOSYS} if it opens no connections
   */
  void secure(TransportSecurity security);

  /**
   * {@code fi_sendmsg}: sends a message with flags.
   *
   * @param message the bytes
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link MessageSender#trySend(MemorySegment, long, Object)}; {@link
   *     Errno#ENOSYS} for immediate data that the endpoint cannot carry, {@link Errno#EBADFLAGS}
   *     for unknown flags
   */
  void send(
      MemorySegment message, long data, long destination, @Nullable Object context, long flags);

  /**
   * {@code fi_sendv}, or {@code fi_sendmsg} with several pieces of memory: sends one message that
   * is gathered from them.
   *
   * @param parts the bytes, at most {@link FabricInfo.Transmit#iovLimit} pieces; the array is not
   *     looked at after the call
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #send(MemorySegment, long, long, Object, long)}; {@link
   *     Errno#EINVAL} for too many pieces, {@link Errno#ENOSYS} if the endpoint does not gather
   */
  void send(
      MemorySegment[] parts, long data, long destination, @Nullable Object context, long flags);

  /**
   * {@code fi_injectdata}: sends a message with immediate data that may be overwritten as soon as
   * the call returns, without completion.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param data immediate data
   * @param destination handle of the peer
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #send(MemorySegment, long, long, Object, long)}
   */
  void inject(MemorySegment message, long data, long destination);

  /**
   * {@code fi_tsendmsg}: sends a tagged message with flags.
   *
   * @param message the bytes
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #send(MemorySegment, long, long, Object, long)}; {@link
   *     Errno#ENOSYS} if the endpoint has no tagged messages
   */
  void sendTagged(
      MemorySegment message,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_tsendv}, or {@code fi_tsendmsg} with several pieces of memory: sends one tagged
   * message that is gathered from them.
   *
   * @param parts the bytes, at most {@link FabricInfo.Transmit#iovLimit} pieces; the array is not
   *     looked at after the call
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #send(MemorySegment[], long, long, Object, long)}
   */
  void sendTagged(
      MemorySegment[] parts,
      long data,
      long destination,
      long tag,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_tinjectdata}: sends a tagged message with immediate data that may be overwritten as
   * soon as the call returns, without completion.
   *
   * @param message the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param data immediate data
   * @param destination handle of the peer
   * @param tag what receives are chosen by
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #sendTagged(MemorySegment, long, long, long, Object, long)}
   */
  void injectTagged(MemorySegment message, long data, long destination, long tag);

  /**
   * {@code fi_read}: copies from a peer's memory. Completes when the bytes are here.
   *
   * @param into takes the bytes, and says how many; must be left alone until the completion was
   *     read
   * @param source handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they begin
   * @param key the key of that region
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #read(MemorySegment, long, long, long, Object, long)}
   */
  default void read(
      MemorySegment into, long source, long address, long key, @Nullable Object context) {
    read(into, source, address, key, context, 0);
  }

  /**
   * {@code fi_readmsg}: copies from a peer's memory, with flags. An access that the peer refuses,
   * because of the key, the rights or the bounds, costs the connection: it fails with {@link
   * Errno#ECONNRESET}, as does what else had begun.
   *
   * @param into takes the bytes, and says how many
   * @param source handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they begin
   * @param key the key of that region
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry or the memory
   *     cannot be written to, {@link Errno#EBADFLAGS} for unknown flags, {@link Errno#EOPNOTSUPP}
   *     without {@link Capability#READ}, {@link Errno#ENOSYS} if the endpoint has no remote access;
   *     else as {@link MessageSender#trySend(MemorySegment, long, Object)}
   */
  void read(
      MemorySegment into,
      long source,
      long address,
      long key,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_readv}, or {@code fi_readmsg} with several pieces of local memory: copies from one
   * place in a peer's memory, and scatters the bytes.
   *
   * @param parts take the bytes, one after the other, at most {@link FabricInfo.Transmit#iovLimit}
   *     pieces; the array is not looked at after the call
   * @param source handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they begin
   * @param key the key of that region
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #read(MemorySegment, long, long, long, Object, long)}; {@link
   *     Errno#EINVAL} for too many pieces
   */
  void read(
      MemorySegment[] parts,
      long source,
      long address,
      long key,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_readmsg} with several places: copies from them, one after the other, and scatters the
   * bytes. One operation with one completion; if the peer refuses one place, nothing is read.
   *
   * @param parts take the bytes, one after the other, at most {@link FabricInfo.Transmit#iovLimit}
   *     pieces; the array is not looked at after the call
   * @param source handle of the peer
   * @param places where the bytes are, 1 to {@link FabricInfo.Transmit#rmaIovLimit} places, as many
   *     bytes as the parts take; the array is not looked at after the call
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #read(MemorySegment, long, long, long, Object, long)}; {@link
   *     Errno#EINVAL} for too many pieces or places, or if their lengths differ
   */
  void read(
      MemorySegment[] parts,
      long source,
      RemotePlace[] places,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_write}: copies to a peer's memory. Completes when the kernel has taken the bytes; the
   * peer's application is told nothing.
   *
   * @param from the bytes; must stay as they are until the completion was read
   * @param destination handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they go
   * @param key the key of that region
   * @param context comes back in the completion
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #write(MemorySegment, long, long, long, long, Object, long)}
   */
  default void write(
      MemorySegment from, long destination, long address, long key, @Nullable Object context) {
    write(from, 0, destination, address, key, context, 0);
  }

  /**
   * {@code fi_writemsg}, or {@code fi_writedata} with {@link TransferFlag#REMOTE_CQ_DATA}: copies
   * to a peer's memory, with flags. With immediate data the peer gets a completion with {@link
   * CompletionFlag#REMOTE_WRITE} when the bytes are there. With {@link
   * TransferFlag#DELIVERY_COMPLETE} the completion here says that they are. An access that the peer
   * refuses costs the connection; only writes that wait for the peer's acknowledgement then fail
   * for certain, with {@link Errno#ECONNRESET}.
   *
   * @param from the bytes
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they go
   * @param key the key of that region
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry, {@link
   *     Errno#EBADFLAGS} for unknown flags, {@link Errno#EOPNOTSUPP} without {@link
   *     Capability#WRITE}, {@link Errno#ENOSYS} if the endpoint has no remote access; else as
   *     {@link #send(MemorySegment, long, Object)}
   */
  void write(
      MemorySegment from,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_writev}, or {@code fi_writemsg} with several pieces of local memory: gathers bytes,
   * and copies them to one place in a peer's memory.
   *
   * @param parts the bytes, at most {@link FabricInfo.Transmit#iovLimit} pieces; the array is not
   *     looked at after the call
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they go
   * @param key the key of that region
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #write(MemorySegment, long, long, long, long, Object, long)};
   *     {@link Errno#EINVAL} for too many pieces
   */
  void write(
      MemorySegment[] parts,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_writemsg} with several places: gathers bytes, and copies them to places in a peer's
   * memory, one after the other. One operation with one completion; if the peer refuses one place,
   * nothing is written.
   *
   * @param parts the bytes, at most {@link FabricInfo.Transmit#iovLimit} pieces; the array is not
   *     looked at after the call
   * @param data immediate data, with {@link TransferFlag#REMOTE_CQ_DATA}
   * @param destination handle of the peer
   * @param places where the bytes go, 1 to {@link FabricInfo.Transmit#rmaIovLimit} places, as many
   *     bytes as the parts have; the array is not looked at after the call
   * @param context comes back in the completion
   * @param flags bits of {@link TransferFlag}
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #write(MemorySegment, long, long, long, long, Object, long)};
   *     {@link Errno#EINVAL} for too many pieces or places, or if their lengths differ
   */
  void write(
      MemorySegment[] parts,
      long data,
      long destination,
      RemotePlace[] places,
      @Nullable Object context,
      long flags);

  /**
   * {@code fi_inject_write}: copies to a peer's memory from memory that may be overwritten as soon
   * as the call returns, without completion.
   *
   * @param from the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param destination handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they go
   * @param key the key of that region
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #write(MemorySegment, long, long, long, Object)}; {@link
   *     Errno#EMSGSIZE} for too many bytes
   */
  void injectWrite(MemorySegment from, long destination, long address, long key);

  /**
   * {@code fi_inject_writedata}: copies to a peer's memory, with immediate data, from memory that
   * may be overwritten as soon as the call returns, without completion.
   *
   * @param from the bytes, at most {@link FabricInfo.Transmit#injectSize}
   * @param data immediate data
   * @param destination handle of the peer
   * @param address where in the peer's {@link MemoryRegion} they go
   * @param key the key of that region
   * @throws TryAgainException if the transmit queue is full
   * @throws FabricException as {@link #injectWrite(MemorySegment, long, long, long)}
   */
  void injectWrite(MemorySegment from, long data, long destination, long address, long key);
}
