// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The peers that handles of a vector have led to, so that a send need not read the address of its
 * destination again. A peer is found as long as no address of the vector has changed since ({@link
 * Peers#addressChanges}). For one thread at a time.
 *
 * <p>A direct-mapped cache, by the lowest bits of a handle: those are the index of its entry, so as
 * many peers as there are slots share none. It grows with the peers up to {@value #LARGEST} slots.
 *
 * @param <P> what the transport has for a peer
 */
public final class PeerCache<P> {
  private static final int SMALLEST = 16;
  private static final int LARGEST = 1 << 12;

  private long[] handles = new long[SMALLEST];
  private long[] changes = new long[SMALLEST];
  private @Nullable Object[] peers = new @Nullable Object[SMALLEST];

  /** Creates an empty cache. */
  public PeerCache() {}

  private int slot(long handle) {
    return (int) handle & (peers.length - 1);
  }

  /**
   * Returns the peer that a handle leads to.
   *
   * @param handle the handle
   * @param addressChanges the number of changes now
   * @return the peer; null if it is not known, or addresses have changed since, or changes are not
   *     counted
   */
  public @Nullable P get(long handle, long addressChanges) {
    return changes[slot(handle)] == addressChanges && addressChanges >= 0 ? last(handle) : null;
  }

  /**
   * Returns the peer that a handle has led to last, whatever has changed since.
   *
   * @param handle the handle
   * @return the peer; null if it is not known
   */
  @SuppressWarnings("unchecked") // only these are added
  public @Nullable P last(long handle) {
    int slot = slot(handle);
    return handles[slot] == handle ? (P) peers[slot] : null;
  }

  /**
   * Adds the peer of a handle, in the place of another one if they share a slot.
   *
   * @param handle the handle
   * @param addressChanges the number of changes, read before the address was read
   * @param peer the peer
   */
  public void put(long handle, long addressChanges, P peer) {
    int slot = slot(handle);
    if (peers[slot] != null && handles[slot] != handle && peers.length < LARGEST) {
      int length = 2 * peers.length;
      handles = new long[length];
      changes = new long[length];
      peers = new @Nullable Object[length];
      slot = slot(handle);
    }
    handles[slot] = handle;
    changes[slot] = addressChanges;
    peers[slot] = peer;
  }

  /** Forgets all peers. */
  public void clear() {
    Arrays.fill(peers, null);
  }
}
