// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.SocketEndpoint;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.transfer.TransmitContext;

/**
 * An endpoint over TCP, or a context of a scalable one: what its operations go through.
 *
 * @param <T> what it is from being opened until it is closed
 */
abstract class TcpEndpoint<T extends MessageTraffic> extends SocketEndpoint<T>
    implements TransmitPoint {
  private final TransmitPosts transmits;
  private final ReceivePosts untagged;
  private final ReceivePosts tagged;

  // Written while the endpoint is being opened, and read after that.
  private @Nullable TransmitContext transmit;
  private @Nullable ReceiveContext receive;
  private long leastRest;

  @SuppressWarnings("this-escape") // kept for later
  TcpEndpoint(EndpointDomain domain, FabricInfo info, @Nullable Object context) {
    super(domain, info, context);
    transmits = TransmitPosts.of(this);
    untagged = posts(false, domain, info);
    tagged = posts(true, domain, info);
  }

  private ReceivePosts posts(boolean withTag, EndpointDomain domain, FabricInfo info) {
    return new ReceivePosts(
        withTag, domain, info, domain.hasKeysInVectors(), this::ready, this::receives);
  }

  public final TransmitPosts transmits() {
    return transmits;
  }

  public final ReceivePosts untagged() {
    return untagged;
  }

  public final ReceivePosts tagged() {
    return tagged;
  }

  /** Says what operations go through, before there are any. */
  final void goThrough(@Nullable TransmitContext sends, @Nullable ReceiveContext receives) {
    transmit = sends;
    receive = receives;
  }

  /** What sends go through; null for one that only receives. */
  final @Nullable TransmitContext transmit() {
    return transmit;
  }

  @Override
  public final TransmitContext sends() {
    return sending(transmit);
  }

  @Override
  public final TransmitContext accesses(Capability needed) {
    TransmitContext from = transmit;
    if (from == null || !info().has(needed)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " has no capability " + needed + ": ask for it and RMA");
    }
    return from;
  }

  @Override
  public final @Nullable Thread mover() {
    return domain().mover();
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
  protected final long outstandingTransmits(T present) {
    TransmitContext from = transmit;
    return from == null ? 0 : from.outstanding();
  }

  @Override
  protected final long outstandingReceives(T present) {
    ReceiveContext own = receive;
    return own == null ? 0 : own.outstanding();
  }

  /** Says how much of a buffer for several messages must be left; 0 for the default. */
  final void leaveRest(long bytes) {
    leastRest = bytes;
  }

  /** Before data is moved, so that no message goes by another rule. */
  final void applyRest(T ready) {
    if (leastRest > 0) {
      ReceivePosts.minMultiReceive(ready, receives(), leastRest);
    }
  }

  @Override
  protected final boolean isContentWithCounters() {
    return true;
  }

  public final boolean cancel(@Nullable Object context) {
    T traffic = ready();
    ReceiveContext from = receive;
    return from != null && ReceivePosts.cancel(traffic, from, context);
  }
}
