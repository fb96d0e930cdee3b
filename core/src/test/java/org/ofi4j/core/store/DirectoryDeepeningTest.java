// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.Directory;
import org.ofi4j.core.mapped.Soundness;
import org.ofi4j.core.memory.ForwardingMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** A directory becomes deeper, and then memory runs out for the partition that wanted it. */
class DirectoryDeepeningTest {
  private static final int BATCH = 60;

  /** Sizes of blocks in units, the largest first. */
  private static final int[] SIZES = {4096, 256, 64, 32, 20, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1};

  private static final class EndingMemory extends ForwardingMemory {
    private boolean ended;

    private EndingMemory() {
      super(MemorySource.system());
    }

    @Override
    public MemorySegment allocate(long bytes) {
      if (ended) {
        throw new OutOfMemoryError("no more memory");
      }
      return super.allocate(bytes);
    }
  }

  @Test
  @Tag("AV-065")
  void addressesOfTheSameCallAreCountedInTheDirectoryInUse() {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.REJECT).withSeed(42);
    int entries = entriesBeforeDeepening(options);
    EndingMemory memory = new EndingMemory();
    try (SegmentEntryStore store = new SegmentEntryStore(options, memory)) {
      for (int i = 0; i < entries; i++) {
        store.insert(key(i));
      }
      assertThat(depth(store)).isEqualTo(1);
      List<int[]> taken = leaveLittle(store.parts().allocator(), memory);

      // The first address is there already, in the full partition; the rest are for the other one.
      long full = half(store, entries);
      AddressKey[] keys = new AddressKey[BATCH];
      int first = 0;
      while (half(store, first) != full) {
        first++;
      }
      keys[0] = key(first);
      int next = entries + 1;
      for (int i = 1; i < BATCH; next++) {
        if (half(store, next) != full) {
          keys[i++] = key(next);
        }
      }
      store.insert(keys, BATCH, new int[BATCH]);

      assertThat(depth(store)).isEqualTo(2);
      taken.forEach(block -> store.parts().allocator().free(block[0], block[1]));
      Soundness.check(store, options);
    }
  }

  private static int entriesBeforeDeepening(StoreOptions options) {
    try (SegmentEntryStore store = new SegmentEntryStore(options, MemorySource.system())) {
      int inserted = 0;
      while (depth(store) < 2) {
        store.insert(key(inserted++));
      }
      return inserted - 1;
    }
  }

  /** Takes all memory but some blocks of few units, and one of one unit; what it took. */
  private static List<int[]> leaveLittle(SlabAllocator allocator, EndingMemory memory) {
    List<int[]> spare = new ArrayList<>();
    spare.add(new int[] {allocator.allocate(1), 1});
    for (int units : SIZES) {
      for (int i = 0; i < 8 && units > 1 && units <= 20; i++) {
        spare.add(new int[] {allocator.allocate(units), units});
      }
    }
    memory.ended = true;
    List<int[]> taken = new ArrayList<>();
    for (int units : SIZES) {
      takeAll(allocator, units, taken);
    }
    spare.forEach(block -> allocator.free(block[0], block[1]));
    return taken;
  }

  private static void takeAll(SlabAllocator allocator, int units, List<int[]> taken) {
    try {
      while (true) {
        taken.add(new int[] {allocator.allocate(units), units});
      }
    } catch (OutOfMemoryError none) {
      // That was the last one.
    }
  }

  /** Which of two partitions has an address. */
  private static long half(SegmentEntryStore store, int i) {
    return store.parts().entries().hash(key(i)) >>> 63;
  }

  private static int depth(SegmentEntryStore store) {
    SlabAllocator allocator = store.parts().allocator();
    long word = allocator.root().get(JAVA_LONG, Superblock.DIRECTORY);
    return word == 0 ? 0 : new Directory(allocator, word).depth();
  }

  private static AddressKey key(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4((0x0A00_0000L + i * 7L) << 16 | 1000 + i % 5000);
    return key;
  }
}
