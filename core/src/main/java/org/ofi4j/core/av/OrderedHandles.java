// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.util.Arrays;

/**
 * Handles in the order in which they came, each once. Two arrays: the handles, and a table of their
 * positions plus 1 by hash, less than half full. For one thread at a time.
 */
final class OrderedHandles {
  private static final int FEWEST = 16;
  private static final int MOST_EXPECTED = 1 << 20;

  private long[] handles;
  private int[] table;
  private int count;

  /**
   * None yet.
   *
   * @param expected how many there will be; a guess, for which no more than some memory is taken
   */
  OrderedHandles(int expected) {
    handles = new long[Math.clamp(expected, FEWEST, MOST_EXPECTED)];
    table = new int[tableFor(handles.length)];
  }

  int count() {
    return count;
  }

  long[] toArray() {
    return Arrays.copyOf(handles, count);
  }

  boolean contains(long handle) {
    return table[place(handle)] != 0;
  }

  /** Appends a handle, unless it is there. */
  boolean add(long handle) {
    int place = place(handle);
    if (table[place] != 0) {
      return false;
    }
    if (count == handles.length) {
      grow();
      place = place(handle);
    }
    handles[count++] = handle;
    table[place] = count;
    return true;
  }

  /** Removes a handle, if it is there. Takes a look at all of them. */
  boolean remove(long handle) {
    if (!contains(handle)) {
      return false;
    }
    int at = table[place(handle)] - 1;
    System.arraycopy(handles, at + 1, handles, at, count - at - 1);
    count--;
    fill();
    return true;
  }

  /** Keeps those that another one has, or those that it has not. */
  void keep(OrderedHandles other, boolean having) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (other.contains(handles[i]) == having) {
        handles[kept++] = handles[i];
      }
    }
    count = kept;
    fill();
  }

  private void grow() {
    int room = (int) Math.min((long) count * 2, Integer.MAX_VALUE - 8);
    if (room == count) {
      throw new OutOfMemoryError("a set of " + count + " members cannot take another one");
    }
    int[] larger = new int[tableFor(room)];
    handles = Arrays.copyOf(handles, room);
    table = larger;
    fill();
  }

  private void fill() {
    Arrays.fill(table, 0);
    for (int i = 0; i < count; i++) {
      table[place(handles[i])] = i + 1;
    }
  }

  /** Where the table has a handle, or would have it. */
  private int place(long handle) {
    int mask = table.length - 1;
    int place = (int) ((handle * 0x9E37_79B9_7F4A_7C15L) >>> Integer.SIZE) & mask;
    while (table[place] != 0 && handles[table[place] - 1] != handle) {
      place = place + 1 & mask;
    }
    return place;
  }

  /** A power of two, more than twice as many where that can be. */
  private static int tableFor(int room) {
    return Integer.highestOneBit(Math.min(room, 1 << 28)) << 2;
  }
}
