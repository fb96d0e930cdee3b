// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.shm.SharedRegions;
import org.ofi4j.provider.libfabric.shm.TransmitSlots;

/**
 * Ends the operations of one endpoint of provider {@code shm} that were posted to peers which are
 * gone. Guarded by the lock of the domain.
 */
final class GonePeers {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final NativeTraffic traffic;
  private final DomainResources domain;
  private final TransmitSlots slots;
  private long nextCheck = System.nanoTime();
  private int closings;

  /**
   * Creates the watch over the peers of an endpoint.
   *
   * @param slots the operations in the region of the endpoint
   */
  GonePeers(NativeTraffic traffic, DomainResources domain, TransmitSlots slots) {
    this.traffic = traffic;
    this.domain = domain;
    this.slots = slots;
  }

  /** Returns the exception for an operation that is not posted, as its peer is gone. */
  static FabricException unreachable() {
    return new FabricException(
        Errno.EHOSTUNREACH, "the peer is gone: its endpoint was closed, or its process has ended");
  }

  /** Checks once in a while, and after each closing in this process. */
  void check() {
    if (traffic.outstandingTransmits() == 0) {
      return;
    }
    long now = System.nanoTime();
    if (now - nextCheck < 0 && closings == SharedRegions.closings()) {
      return;
    }
    nextCheck = now + PAUSE;
    closings = SharedRegions.closings();
    Set<Path> gone = null;
    for (Operation each : domain.contexts().all()) {
      Peer peer = isPosted(each) ? each.peer : null;
      if (peer != null && peer.file != null && peer.isEnded()) {
        gone = gone == null ? new HashSet<>() : gone;
        gone.add(peer.file.path());
      }
    }
    if (gone != null) {
      gone.forEach(peer -> slots.end(context -> isFor(context, peer), peer));
    }
  }

  @SuppressWarnings("ReferenceEquality") // traffic is itself and no other
  private boolean isPosted(Operation operation) {
    return operation.owner == traffic;
  }

  private boolean isFor(long context, Path peer) {
    Operation operation = domain.contexts().owner(context);
    return operation != null
        && isPosted(operation)
        && operation.peer != null
        && operation.peer.file != null
        && operation.peer.file.path().equals(peer);
  }
}
