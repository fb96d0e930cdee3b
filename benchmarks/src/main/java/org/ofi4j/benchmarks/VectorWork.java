package org.ofi4j.benchmarks;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;

/** The loops that are timed, each in a method of its own and without anything else in it. */
final class VectorWork {
  private static final int WORDS = 4;

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
   * Looks up handles into an array on the heap, as libfabric's side does into one on the stack:
   * neither pays for reading it. Answers the sum of its first two longs.
   */
  static long lookup(AddressVector vector, long[] handles) {
    long[] words = new long[WORDS];
    MemorySegment buffer = MemorySegment.ofArray(words);
    long sum = 0;
    for (long handle : handles) {
      vector.lookup(handle, buffer);
      sum += words[0] + words[1];
    }
    return sum;
  }

  /** Looks up addresses; answers the sum of their handles. */
  static long find(AddressVector vector, AddressList addresses) {
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
