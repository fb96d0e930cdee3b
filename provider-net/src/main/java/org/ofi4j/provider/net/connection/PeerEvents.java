// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.net.SocketTimeoutException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Peers;

/**
 * Reports which peers of the vector are lost, and which of those are back. Strangers are no news:
 * anybody could fill the queue with them. Guarded by the lock of the endpoint.
 */
final class PeerEvents {
  private final FabricObject endpoint;
  private final @Nullable Events events;
  private final Peers entries;
  private final MessageSource source = new MessageSource();

  /**
   * For one endpoint.
   *
   * @param events where they are reported; null if nobody wants to know
   */
  PeerEvents(FabricObject endpoint, @Nullable Events events, Peers entries) {
    this.endpoint = endpoint;
    this.events = events;
    this.entries = entries;
  }

  void lost(Peer peer, int incarnation, Throwable why) {
    Events queue = events;
    if (queue == null || !isKnown(peer)) {
      return;
    }
    peer.reportedLost = true;
    peer.lostIncarnation = incarnation;
    Errno errno = why instanceof SocketTimeoutException ? Errno.ETIMEDOUT : Errno.ECONNRESET;
    queue.post(
        Event.PeerLost.of(endpoint, source.reported(), errno, String.valueOf(why.getMessage())));
  }

  void open(Peer peer, int incarnation) {
    Events queue = events;
    if (queue == null || !peer.reportedLost) {
      return;
    }
    peer.reportedLost = false;
    if (isKnown(peer)) {
      queue.post(
          Event.PeerReturned.of(endpoint, source.reported(), peer.lostIncarnation != incarnation));
    }
  }

  private boolean isKnown(Peer peer) {
    source.unknown();
    peer.find(entries, source);
    return source.isKnown();
  }
}
