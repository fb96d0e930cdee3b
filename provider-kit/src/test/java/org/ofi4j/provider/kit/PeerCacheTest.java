// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Peers that are found by their handles without reading addresses. */
class PeerCacheTest {
  private final PeerCache<String> cache = new PeerCache<>();

  @Test
  void peerIsFoundUntilAnAddressChanges() {
    cache.put(0, 3, "zero");
    assertThat(cache.get(0, 3)).isEqualTo("zero");
    assertThat(cache.get(0, 4)).isNull();
    assertThat(cache.last(0)).isEqualTo("zero");
    cache.put(0, 4, "another");
    assertThat(cache.get(0, 4)).isEqualTo("another");
    assertThat(cache.get(0, 3)).isNull();
    cache.clear();
    assertThat(cache.get(0, 4)).isNull();
  }

  @Test
  void nothingIsFoundWhereChangesAreNotCounted() {
    cache.put(7, -1, "seven");
    assertThat(cache.get(7, -1)).isNull();
    assertThat(cache.last(7)).isEqualTo("seven");
  }

  @Test
  void handlesOfOneSlotAreToldApart() {
    long other = 1L << 40;
    cache.put(0, 0, "zero");
    cache.put(other, 0, "other");
    assertThat(cache.get(other, 0)).isEqualTo("other");
    assertThat(cache.get(0, 0)).isNotEqualTo("other");
  }

  @Test
  void manyPeersAreFoundOnceTheCacheHasGrown() {
    int peers = 1_000;
    for (int round = 0; round < 10; round++) {
      for (long handle = 0; handle < peers; handle++) {
        cache.put(handle, 0, "peer " + handle);
      }
    }
    for (long handle = 0; handle < peers; handle++) {
      assertThat(cache.get(handle, 0)).isEqualTo("peer " + handle);
    }
  }
}
