// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.memory.ContextBlocks;
import org.ofi4j.provider.libfabric.shm.SharedRegions;
import org.ofi4j.provider.libfabric.shm.TransmitSlots;

/**
 * Ends the operations of one endpoint of provider {@code shm} that were posted to peers which are
 * gone. Guarded by the lock of the domain.
 */
final class GonePeers {
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(50);

  private final NativeOperation.Owner transmitter;
  private final ContextBlocks<NativeOperation> contexts;
  private final TransmitSlots slots;
  private long nextCheck = System.nanoTime();
  private int closings;

  /**
   * Creates the watch over the peers of an endpoint.
   *
   * @param contexts the operations of all endpoints of the domain
   * @param slots the operations in the region of the endpoint
   */
  GonePeers(
      NativeOperation.Owner transmitter,
      ContextBlocks<NativeOperation> contexts,
      TransmitSlots slots) {
    this.transmitter = transmitter;
    this.contexts = contexts;
    this.slots = slots;
  }

  /** Returns the exception for an operation that is not posted, as its peer is gone. */
  static FabricException unreachable() {
    return new FabricException(
        Errno.EHOSTUNREACH, "the peer is gone: its endpoint was closed, or its process has ended");
  }

  /** Checks once in a while, and after each closing in this process. */
  void check() {
    long now = System.nanoTime();
    if (now - nextCheck < 0 && closings == SharedRegions.closings()) {
      return;
    }
    nextCheck = now + PAUSE;
    closings = SharedRegions.closings();
    Set<Path> gone = null;
    for (NativeOperation each : contexts.all()) {
      Peer peer = isPosted(each) ? each.to : null;
      if (peer != null && peer.file != null && peer.isEnded()) {
        gone = gone == null ? new HashSet<>() : gone;
        gone.add(peer.file.path());
      }
    }
    if (gone != null) {
      gone.forEach(peer -> slots.end(context -> isFor(context, peer), peer));
    }
  }

  @SuppressWarnings("ReferenceEquality") // a transmitter is itself and no other
  private boolean isPosted(NativeOperation operation) {
    return operation.owner == transmitter && !operation.ended;
  }

  private boolean isFor(long context, Path peer) {
    NativeOperation operation = contexts.owner(context);
    return operation != null
        && isPosted(operation)
        && operation.to != null
        && operation.to.file != null
        && operation.to.file.path().equals(peer);
  }
}
