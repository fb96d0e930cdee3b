// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which peer a handle of the vector has led to, and how often addresses of the vector had changed
 * by then. Open addressing by handle; at most half of the places are used. Guarded by the lock of
 * the domain.
 */
final class PeerCache {
  /** How often addresses have changed, if nobody knows. */
  static final long UNKNOWN = -1;

  private static final int SMALLEST = 64;
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private long[] handles = new long[SMALLEST];
  private long[] changes = new long[SMALLEST];
  private @Nullable Peer[] peers = new @Nullable Peer[SMALLEST];
  private int count;

  /** The peer that a handle has led to; null if it is not known. */
  @Nullable Peer get(long handle) {
    return peers[place(handle)];
  }

  /** The peer that a handle leads to; null if it is not known, or addresses have changed since. */
  @Nullable Peer get(long handle, long addressChanges) {
    int place = place(handle);
    return changes[place] == addressChanges && addressChanges != UNKNOWN ? peers[place] : null;
  }

  void put(long handle, long addressChanges, Peer peer) {
    int place = place(handle);
    if (peers[place] == null && 2 * ++count > peers.length) {
      grow();
      place = place(handle);
    }
    handles[place] = handle;
    changes[place] = addressChanges;
    peers[place] = peer;
  }

  void clear() {
    Arrays.fill(peers, null);
    count = 0;
  }

  /** Where the handle is, or would be. */
  private int place(long handle) {
    int place = (int) ((handle * SPREAD) >>> Integer.SIZE) & (peers.length - 1);
    while (peers[place] != null && handles[place] != handle) {
      place = (place + 1) & (peers.length - 1);
    }
    return place;
  }

  private void grow() {
    long[] oldHandles = handles;
    long[] oldChanges = changes;
    @Nullable Peer[] old = peers;
    handles = new long[2 * old.length];
    changes = new long[2 * old.length];
    peers = new @Nullable Peer[2 * old.length];
    for (int i = 0; i < old.length; i++) {
      if (old[i] != null) {
        int place = place(oldHandles[i]);
        handles[place] = oldHandles[i];
        changes[place] = oldChanges[i];
        peers[place] = old[i];
      }
    }
  }
}
