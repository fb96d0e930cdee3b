// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.shm;

import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.RawMemory;

/**
 * The peers that a vector of libfabric 1.17 knows, over {@code shm}: those that were inserted, and
 * those that have asked an endpoint of the vector to connect. A peer that comes when there is no
 * place left gets the place of another one, which messages do not reach any more. libfabric does
 * not check that.
 *
 * <p>Guarded by the lock of the domain. The map is there as long as the vector.
 *
 * <pre>
 *   region:   32 address of the map (8)
 *   map:      16 how many peers (4) | 88 256 peers of 280: name, ended by a zero byte (256)
 * </pre>
 */
final class PeerMap {
  private static final int MAP = 32;
  private static final int COUNT = 16;
  private static final int PEERS = 88;
  private static final int PEER = 280;
  private static final int NAME = 256;
  private static final int PLACES = 256;

  /** Places for requests that come between a check and the next reading of commands. */
  private static final int SPARE = 8;

  private final long start;

  private PeerMap(long start) {
    this.start = start;
  }

  /**
   * Returns the map of the vector of an open endpoint; null if the layout is not known.
   *
   * @param file that of the region of the endpoint
   */
  static @Nullable PeerMap of(Path file, Libfabric library) {
    long region = library.isBefore(1, 18) ? SharedRegions.address(file) : 0;
    return region == 0 || RawMemory.getByte(region) != SharedRegions.V4
        ? null
        : new PeerMap(RawMemory.getLong(region + MAP));
  }

  /** Returns whether there is no place for a peer that is inserted. */
  boolean isFull() {
    return RawMemory.getInt(start + COUNT) >= PLACES;
  }

  /** Returns whether there is no place for a peer that asks to connect. */
  boolean isFullForRequests() {
    return RawMemory.getInt(start + COUNT) >= PLACES - SPARE;
  }

  /**
   * Returns whether a peer has a place.
   *
   * @param name its packed address, ended by a zero byte
   */
  boolean contains(byte[] name) {
    for (int i = 0; i < PLACES && name.length <= NAME; i++) {
      if (Arrays.equals(RawMemory.bytes(start + PEERS + (long) PEER * i, name.length), name)) {
        return true;
      }
    }
    return false;
  }
}
