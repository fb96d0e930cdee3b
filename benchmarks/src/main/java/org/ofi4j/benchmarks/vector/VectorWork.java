// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.ofi4j.AddressVector;

/** The loops that are timed, each in a method of its own and without anything else in it. */
public final class VectorWork {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

  private VectorWork() {}

  /** Inserts each address by a call of its own; answers how many went in. */
  static int insertSingly(AddressVector vector, AddressList addresses, MemorySegment handles) {
    MemorySegment packed = addresses.packed();
    long length = addresses.family().length();
    int count = addresses.count();
    int inserted = 0;
    for (int i = 0; i < count; i++) {
      inserted +=
          vector.insert(
              packed.asSlice(i * length, length), 1, handles.asSlice(8L * i, 8), null, 0, null);
    }
    return inserted;
  }

  /**
   * Looks up handles into a buffer; answers the sum of its first two longs. Of the machine code for
   * a lookup, six instructions are the loop's own.
   */
  public static long lookup(AddressVector vector, long[] handles, MemorySegment buffer) {
    long sum = 0;
    for (long handle : handles) {
      vector.lookup(handle, buffer);
      sum += buffer.get(LONG, 0) + buffer.get(LONG, 8);
    }
    return sum;
  }

  /** Looks up addresses; answers the sum of their handles. */
  public static long find(AddressVector vector, AddressList addresses) {
    MemorySegment packed = addresses.packed();
    long length = addresses.family().length();
    int count = addresses.count();
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += vector.find(packed.asSlice(i * length, length));
    }
    return sum;
  }

  /** Exchanges entries for other addresses; answers how many were exchanged. */
  static int churn(
      AddressVector vector, AddressList others, MemorySegment handles, int[] order, int cycles) {
    MemorySegment packed = others.packed();
    long length = others.family().length();
    int done = 0;
    for (int i = 0; i < cycles; i++) {
      int at = order[i];
      MemorySegment handle = handles.asSlice(8L * at, 8);
      vector.remove(handle, 1, 0);
      done += vector.insert(packed.asSlice(at * length, length), 1, handle, null, 0, null);
    }
    return done;
  }
}
