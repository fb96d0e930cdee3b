// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;

/**
 * Handles on their way to the store that is to remove their entries: many at once, each step a loop
 * of its own. Used again and again by whoever holds the vector's lock.
 */
final class RemovalBatch {
  /** Few enough to stay in the nearest cache with what they lead to. */
  private static final int MOST = 256;

  private final EntryStore store;
  private final HandleLayout layout;
  private final AuthKeys keys;
  private final AddressKey scratch = new AddressKey();
  private long[] given = {};
  private int[] numbers = {};
  private int removed;

  RemovalBatch(EntryStore store, HandleLayout layout, AuthKeys keys) {
    this.store = store;
    this.keys = keys;
    this.layout = layout;
  }

  /**
   * That some handles led to no removal.
   *
   * @param first the position of the first one
   * @param firstHandle the first one
   * @param lackedMemory whether the first one was refused for want of memory, not because it names
   *     no entry
   */
  record Refusals(int first, long firstHandle, boolean lackedMemory) {}

  /** How many the last removal removed, be it that it failed behind them. */
  int removed() {
    return removed;
  }

  /** Removes in the order given, past handles that name no entry (D-30); null if none did. */
  @Nullable Refusals remove(MemorySegment handles, int count) {
    removed = 0;
    if (numbers.length < Math.min(MOST, count)) {
      long[] wider = new long[Math.min(MOST, count)];
      // Both or none.
      numbers = new int[wider.length];
      given = wider;
    }
    int first = -1;
    long firstHandle = 0;
    int firstOutcome = 0;
    for (int from = 0; from < count; from += MOST) {
      int together = Math.min(MOST, count - from);
      long offset = (long) from * Long.BYTES;
      MemorySegment.copy(handles, JAVA_LONG_UNALIGNED, offset, given, 0, together);
      for (int i = 0; i < together; i++) {
        numbers[i] = layout.index(given[i]);
      }
      if (keys.isEmpty()) {
        store.remove(numbers, together, numbers);
      } else {
        removeKeyed(together);
      }
      for (int i = 0; i < together; i++) {
        if (numbers[i] >= 0) {
          removed++;
        } else if (first < 0) {
          first = from + i;
          firstHandle = given[i];
          firstOutcome = numbers[i];
        }
      }
    }
    return first < 0
        ? null
        : new Refusals(first, firstHandle, firstOutcome == -Errno.ENOMEM.number());
  }

  /** Where entries may be under keys, those are told of it: one by one. */
  private void removeKeyed(int together) {
    for (int i = 0; i < together; i++) {
      int index = numbers[i];
      int authKey =
          store.ipv4(index) < 0 && store.load(index, scratch)
              ? scratch.takeAuthKey()
              : KeyNumbers.NONE;
      numbers[i] = store.remove(index);
      if (authKey >= 0 && numbers[i] == 0) {
        keys.countEntries(authKey, -1);
      }
    }
  }
}
