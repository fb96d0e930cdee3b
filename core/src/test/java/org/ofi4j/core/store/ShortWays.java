// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.ofi4j.core.testing.Quick.same;

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
      int found = store.fastReads().copy(index, buffer);
      if (found == 0) {
        same(buffer.mismatch(untouched), -1, "buffer for %s", index);
      } else {
        lookups++;
        same(found, length, "length of %s", index);
        same(buffer.mismatch(right), -1, "address of %s", index);
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
    int found = store.fastReads().find(key.ipv4());
    if (found >= 0) {
      same(found, expected, "index of %x", key.ipv4());
    }
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
