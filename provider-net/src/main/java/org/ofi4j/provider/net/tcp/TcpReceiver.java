// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.net.connection.PeerDirectory;
import org.ofi4j.provider.net.matching.Matching;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.ReceiveContext;
import org.ofi4j.provider.net.matching.Sender;

/**
 * Receives over TCP: from the kit to one receive context, whose messages {@link Matching} finds.
 */
final class TcpReceiver implements Receiver {
  private final ReceivePoint point;
  private final Matching matching;
  private final ReceiveContext context;

  TcpReceiver(ReceivePoint point, Matching matching, ReceiveContext context) {
    this.point = point;
    this.matching = matching;
    this.context = context;
  }

  ReceivePoint point() {
    return point;
  }

  ReceiveContext context() {
    return context;
  }

  @Override
  public void lock() {
    point.lock();
  }

  @Override
  public void unlock() {
    point.unlock();
  }

  @Override
  public boolean isAnySource(long source) {
    return point.isAnySource(source);
  }

  @Override
  public @Nullable Operation take(
      boolean tagged, long source, boolean directed, long flags, @Nullable Object postedWith) {
    PeerDirectory peers = point.peers(source, directed);
    boolean keyed = (flags & TransferFlag.AUTH_KEY.mask()) != 0;
    if (peers == null && keyed) {
      throw invalid("an endpoint of type MSG has one peer, and no authorization keys");
    }
    int group = peers == null ? 0 : peers.wantedGroup(source);
    int authKey = peers != null && keyed ? peers.authKey(source) : Peers.NO_AUTH_KEY;
    long generation = Receive.UNDIRECTED;
    Sender sender = null;
    if (peers != null && directed && !keyed) {
      generation = peers.generation(source);
      sender = peers.sender(source, generation);
    }
    Receive receive = context.take(tagged);
    if (receive == null) {
      return null;
    }
    receive.direct(generation, sender);
    receive.key.group = group;
    if (authKey != Peers.NO_AUTH_KEY) {
      receive.directAtKey(authKey);
    }
    return receive;
  }

  @Override
  public boolean post(Operation operation) {
    matching.post((Receive) operation);
    return true;
  }

  @Override
  public boolean cancel(@Nullable Object postedWith) {
    return context.cancel(postedWith);
  }

  /** Sets how much of a buffer for several messages must be left; 0 keeps the default. */
  void leaveRest(long bytes) {
    if (bytes > 0) {
      point.lock();
      try {
        context.minMultiReceive = bytes;
      } finally {
        point.unlock();
      }
    }
  }

  @Override
  public long outstanding() {
    return context.outstanding();
  }
}
