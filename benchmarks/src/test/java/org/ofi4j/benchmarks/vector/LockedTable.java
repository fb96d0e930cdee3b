// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/**
 * A table with one lock, as an application might write it: a word for each entry, and an index from
 * words to entries that a subclass has. A word is the family, port and node of a packed address.
 */
abstract class LockedTable implements PeerTable {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int LENGTH = 16;

  final StampedLock lock = new StampedLock();

  /** The word of each entry; 0 where there is none. */
  long[] words = new long[16];

  /** Removed entries, to be used again. */
  private int[] free = new int[16];

  private int freed;
  private int end;

  /** Finds the entry of a word; negative if there is none. Callers hold the lock. */
  abstract int search(long word);

  /** Adds an entry that {@link #words} has. Callers hold the lock. */
  abstract void put(long word, int entry);

  /** Removes an entry that {@link #words} still has. Callers hold the lock. */
  abstract void delete(long word);

  static long word(MemorySegment packed, long offset) {
    return packed.get(WORD, offset);
  }

  @Override
  public void insert(MemorySegment packed, int count, MemorySegment handles) {
    long stamp = lock.writeLock();
    try {
      for (int i = 0; i < count; i++) {
        long word = word(packed, (long) i * LENGTH);
        int entry = freed > 0 ? free[--freed] : end++;
        if (entry == words.length) {
          words = Arrays.copyOf(words, 2 * entry);
        }
        words[entry] = word;
        put(word, entry);
        handles.setAtIndex(ValueLayout.JAVA_LONG, i, entry);
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public void lookup(long handle, MemorySegment buffer) {
    long stamp = lock.tryOptimisticRead();
    long word = stamp == 0 ? 0 : at(handle);
    if (stamp == 0 || !lock.validate(stamp)) {
      stamp = lock.readLock();
      try {
        word = at(handle);
      } finally {
        lock.unlockRead(stamp);
      }
    }
    if (word == 0) {
      throw new IllegalArgumentException("no entry " + handle);
    }
    buffer.set(WORD, 0, word);
    buffer.set(WORD, 8, 0);
  }

  private long at(long handle) {
    long[] current = words;
    return handle >= 0 && handle < current.length ? current[(int) handle] : 0;
  }

  @Override
  public long find(MemorySegment packed) {
    long stamp = lock.readLock();
    try {
      return search(word(packed, 0));
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  public void remove(MemorySegment handles, int count) {
    long stamp = lock.writeLock();
    try {
      for (int i = 0; i < count; i++) {
        int entry = (int) handles.getAtIndex(ValueLayout.JAVA_LONG, i);
        if (at(entry) == 0) {
          throw new IllegalArgumentException("no entry " + entry);
        }
        delete(words[entry]);
        words[entry] = 0;
        if (freed == free.length) {
          free = Arrays.copyOf(free, 2 * freed);
        }
        free[freed++] = entry;
      }
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public void close() {}
}
