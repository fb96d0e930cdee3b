// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.store.EntryStore;

/**
 * What the short ways of a named vector say, asked before anything else is: general ways go over to
 * another file of it if there is one, and so do the short ones from then on.
 */
final class ShortLooks {
  private static final MemorySegment BUFFER = Arena.ofAuto().allocate(32, 8);

  /**
   * The address of each index, as {@link View} tells it; nothing of those that none was told of.
   */
  private final Map<Integer, List<Long>> addresses = new TreeMap<>();

  /** Where IPv4 addresses were found. */
  private final Map<Long, Integer> found = new TreeMap<>();

  /** Asks about some indices, and for the addresses that they have. */
  ShortLooks(EntryStore store, int[] indices) {
    if (!(store instanceof NamedStore)) {
      // What is copied to be saved knows nothing of holes in runs, as nobody asks it.
      return;
    }
    for (int index : indices) {
      int length = store.fastReads().copy(index, BUFFER);
      if (length == PackedIpv4.SIZE) {
        long address = PackedIpv4.read(BUFFER, 0);
        addresses.put(index, List.of(address));
        int at = store.fastReads().find(address);
        if (at >= 0) {
          found.put(address, at);
        }
      } else if (length == PackedIpv6.SIZE) {
        addresses.put(index, List.of(word(8), word(16)));
      }
    }
  }

  private static long word(long offset) {
    return BUFFER.get(JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN), offset);
  }

  /** That they told nothing but what there is, if nothing has changed since they were asked. */
  void check(View view) {
    addresses.forEach((index, address) -> {
      View.Entry entry = view.entries().get(index);
      if (entry == null
          || !entry.address().subList(0, address.size()).equals(address)
          || (address.size() == 1 && entry.address().size() != 1)) {
        throw new AssertionError(
            "a short lookup says of index " + index + " " + address + ", it has " + entry);
      }
    });
    found.forEach((address, index) -> {
      View.Entry entry = view.entries().get(index);
      // What was not looked at may be anything.
      if (entry != null && !entry.address().equals(List.of(address))) {
        throw new AssertionError(
            "a short search finds " + address + " at " + index + ", which has " + entry);
      }
    });
  }

  /** Numbers from 0 on. */
  static int[] first(int count) {
    int[] indices = new int[count];
    Arrays.setAll(indices, i -> i);
    return indices;
  }
}
