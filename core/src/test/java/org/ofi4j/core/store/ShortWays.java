// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

/** Compares what the short ways of a store find, where they find something, with what is true. */
final class ShortWays {
  private static final int ROOM = 32;
  private static final byte UNTOUCHED = 0x55;

  private final List<MemorySegment> buffers =
      List.of(
          Arena.ofAuto().allocate(ROOM, 8),
          MemorySegment.ofArray(new byte[ROOM]),
          MemorySegment.ofArray(new long[ROOM / Long.BYTES]));

  private final MemorySegment right = MemorySegment.ofArray(new byte[ROOM]);
  private final MemorySegment untouched = MemorySegment.ofArray(new byte[ROOM]).fill(UNTOUCHED);
  private long lookups;
  private long searches;

  /**
   * Looks an index up.
   *
   * @param store the store
   * @param index any number
   * @param expected its address; null if it is no entry
   */
  void lookUp(EntryStore store, int index, @Nullable AddressKey expected) {
    right.fill(UNTOUCHED);
    int length = expected == null ? 0 : AddressCodec.socketAddress(expected, right);
    for (MemorySegment buffer : buffers) {
      buffer.fill(UNTOUCHED);
      int found = store.packedLookups().copy(index, buffer);
      if (found == 0) {
        assertThat(buffer.mismatch(untouched)).as("buffer for %s", index).isEqualTo(-1);
      } else {
        lookups++;
        assertThat(found).as("length of %s", index).isEqualTo(length);
        assertThat(buffer.mismatch(right)).as("address of %s", index).isEqualTo(-1);
      }
    }
  }

  /**
   * Searches for an address.
   *
   * @param store the store
   * @param key the address
   * @param expected its index, or -1
   */
  void find(EntryStore store, AddressKey key, int expected) {
    if (key.kind() != AddressKey.Kind.IPV4) {
      return;
    }
    int found = store.ipv4Searches().find(key.ipv4());
    assertThat(found).as("index of %x", key.ipv4()).isIn(-1, expected);
    searches += found >= 0 ? 1 : 0;
  }

  /** How many entries were looked up. */
  long lookups() {
    return lookups;
  }

  /** How many addresses were found. */
  long searches() {
    return searches;
  }
}
