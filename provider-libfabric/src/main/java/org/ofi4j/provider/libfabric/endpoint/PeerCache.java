// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which peer a handle of the vector has led to, and the stamp of the address that it had then. Open
 * addressing by handle; at most half of the places are used. Guarded by the lock of the domain.
 */
final class PeerCache {
  /** The stamp of an address of which it cannot be told. */
  static final long NO_STAMP = -1;

  private static final int SMALLEST = 64;
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private long[] handles = new long[SMALLEST];
  private long[] stamps = new long[SMALLEST];
  private @Nullable Peer[] peers = new @Nullable Peer[SMALLEST];
  private int count;

  /** The peer that a handle has led to; null if it is not known. */
  @Nullable Peer get(long handle) {
    return peers[place(handle)];
  }

  /** The peer that a handle leads to; null if it is not known, or had another address. */
  @Nullable Peer get(long handle, long stamp) {
    int place = place(handle);
    return stamps[place] == stamp && stamp != NO_STAMP ? peers[place] : null;
  }

  void put(long handle, long stamp, Peer peer) {
    int place = place(handle);
    if (peers[place] == null && 2 * ++count > peers.length) {
      grow();
      place = place(handle);
    }
    handles[place] = handle;
    stamps[place] = stamp;
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
    long[] oldStamps = stamps;
    @Nullable Peer[] old = peers;
    handles = new long[2 * old.length];
    stamps = new long[2 * old.length];
    peers = new @Nullable Peer[2 * old.length];
    for (int i = 0; i < old.length; i++) {
      if (old[i] != null) {
        int place = place(oldHandles[i]);
        handles[place] = oldHandles[i];
        stamps[place] = oldStamps[i];
        peers[place] = old[i];
      }
    }
  }
}
