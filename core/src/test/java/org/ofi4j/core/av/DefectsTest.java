// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.Allocation;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;

/** What went wrong in other address vectors. */
class DefectsTest {
  private final CoreAddressVector vector = table();

  private static List<FabricAddress> range(int from, int to) {
    return IntStream.range(from, to).mapToObj(VectorFixture::a).toList();
  }

  @Test
  @DisplayName("B4: 1,100 entries go without end in libfabric's rxd")
  void removeAllOfMany() {
    long[] handles = vector.insert(range(1, 1101)).handles();
    vector.remove(handles);
    assertThat(vector.size()).isZero();
    assertThat(vector.insert(a(5))).isZero();
  }

  @Test
  @DisplayName("B5: with a bad one first the good ones go in, and every status says so")
  void badOneFirstWithStatuses() {
    MemorySegment errors = MemorySegment.ofArray(new int[] {-1, -1, -1});
    assertThat(
            vector.insert(
                packed(BAD, a(1), a(2)), 3, null, errors, InsertFlag.SYNC_ERR.mask(), null))
        .isEqualTo(2);
    assertThat(VectorFixture.ints(errors)).containsExactly(99, 0, 0);
  }

  @Test
  @DisplayName("B14: duplicates leave nothing behind, ten thousand times")
  void duplicatesLeakNothing() {
    vector.insert(a(1));
    // The first duplicate takes a page, which stays.
    vector.insert(a(2));
    vector.insert(a(2));
    vector.remove(new long[] {1, 1});
    long live = vector.statistics().memory().live();
    long held = vector.statistics().memory().held();
    for (int i = 0; i < 10_000; i++) {
      vector.insert(a(2));
      vector.insert(a(2));
      vector.remove(new long[] {1, 1});
    }
    // What cells of the dead there are may have a partition to themselves.
    assertThat(vector.statistics().memory().live()).isBetween(live, live + 128);
    assertThat(vector.statistics().memory().held()).isLessThan(held + 65_536);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("B18, B19: insert, remove, insert again, alone and with another")
  void serverThenServerAndClient() {
    assertThat(vector.insert(a(1))).isZero();
    vector.remove(0);
    assertThat(vector.insert(List.of(a(1), a(2))).handles()).containsExactly(0, 1);
    assertThat(vector.find(a(1))).isZero();
    assertThat(vector.find(a(2))).isEqualTo(1);
  }

  @Test
  @DisplayName("B22: two addresses never share a handle; a model of the rules agrees at every step")
  void randomOperationsAgainstModel() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    List<FabricAddress> entries = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      String where = "-Dofi4j.seed=" + seed + ", step " + step;
      FabricAddress address = a(1 + random.nextInt(200));
      int known = entries.indexOf(address);
      if (random.nextInt(5) < 3) {
        int expected = known >= 0 ? known : lowestUnused(entries);
        assertThat(vector.insert(address)).as(where).isEqualTo(expected);
        if (expected == entries.size()) {
          entries.add(address);
          counts.add(0);
        }
        entries.set(expected, address);
        counts.set(expected, counts.get(expected) + 1);
      } else {
        int index = random.nextInt(entries.size() + 2);
        boolean live = index < entries.size() && entries.get(index) != null;
        if (!live) {
          fails(Errno.EINVAL, () -> vector.remove(index));
          continue;
        }
        vector.remove(index);
        counts.set(index, counts.get(index) - 1);
        if (counts.get(index) == 0) {
          entries.set(index, null);
        }
      }
      int now = entries.indexOf(address);
      assertThat(vector.find(address)).as(where).isEqualTo(now < 0 ? NA : now);
    }
    assertThat(contents(vector, entries.size())).as("-Dofi4j.seed=" + seed).isEqualTo(entries);
  }

  private static int lowestUnused(List<FabricAddress> entries) {
    int hole = entries.indexOf(null);
    return hole < 0 ? entries.size() : hole;
  }

  @Test
  @DisplayName("D-36, B33: readers beside a writer see whole addresses or none")
  void readersBesideWriter() throws InterruptedException {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    AtomicBoolean stop = new AtomicBoolean();
    List<Throwable> wrong = Collections.synchronizedList(new ArrayList<>());
    List<Thread> readers = new ArrayList<>();
    for (int r = 0; r < 2; r++) {
      SplittableRandom random = new SplittableRandom(seed + r);
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                MemorySegment buffer = MemorySegment.ofArray(new byte[16]);
                try {
                  while (!stop.get()) {
                    int index = random.nextInt(3000);
                    try {
                      vector.lookup(index, buffer);
                      // Entry i holds address i + 1, or nothing.
                      assertThat(buffer.mismatch(packed(a(index + 1)))).isEqualTo(-1);
                    } catch (FabricException unset) {
                      assertThat(unset.errno()).isEqualTo(Errno.EINVAL);
                    }
                    long found = vector.find(a(index + 1));
                    assertThat(found).isIn(NA, (long) index);
                  }
                } catch (Throwable e) {
                  wrong.add(e);
                }
              }));
    }
    for (int round = 0; round < 30; round++) {
      vector.insert(range(1, 3001));
      long[] all = new long[3000];
      Arrays.setAll(all, i -> i);
      vector.remove(all);
    }
    stop.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(wrong).as("-Dofi4j.seed=%d", seed).isEmpty();
  }

  @Test
  @DisplayName("B36: lookups and removals agree on bounds after growth")
  void boundsAfterGrowth() {
    vector.insert(range(1, 5001));
    vector.remove(4999);
    for (long index : new long[] {4999, 5000, 5001, 8191, 8192, 65_536, 1 << 20}) {
      fails(Errno.EINVAL, () -> vector.lookup(index));
      fails(Errno.EINVAL, () -> vector.remove(index));
    }
    assertThat(vector.lookup(4998)).isEqualTo(a(4999));
  }

  @Test
  @DisplayName("B41: the same order of insertion gives the same index in every vector")
  void sameOrderSameIndex() {
    TestDomain domain = TestDomain.of(TestInfo.defaults());
    CoreAddressVector one = domain.openAddressVector(VectorOptions.table());
    CoreAddressVector two =
        domain.openAddressVector(VectorOptions.map().withFlags(VectorFlag.SYMMETRIC).withCount(7));
    for (int i = 1; i < 300; i++) {
      assertThat(one.insert(a(i))).isEqualTo(two.insert(a(i)));
    }
  }

  @Test
  @Tag("AV-006")
  @DisplayName("Many threads insert at once: every address once, every index once")
  void concurrentInsertions() throws InterruptedException {
    int threads = 4;
    int each = 2000;
    BitSet seen = new BitSet();
    List<Thread> running = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int first = 1 + t * each / 2; // neighbours share half of their addresses
      running.add(
          Thread.startVirtualThread(() -> {
            for (int i = first; i < first + each; i++) {
              long handle = vector.insert(a(i));
              assertThat(vector.lookup(handle)).isEqualTo(a(i));
            }
          }));
    }
    for (Thread thread : running) {
      thread.join();
    }
    int distinct = each + (threads - 1) * each / 2;
    assertThat(vector.size()).isEqualTo(distinct);
    for (int i = 1; i <= distinct; i++) {
      long handle = vector.find(a(i));
      assertThat(handle).isBetween(0L, distinct - 1L);
      assertThat(seen.get((int) handle)).isFalse();
      seen.set((int) handle);
    }
  }

  @Test
  @Tag("AV-081")
  @DisplayName("B20: without an array for handles, one address and many")
  void withoutHandles() {
    assertThat(vector.insert(packed(a(1)), 1, null, null, 0, null)).isEqualTo(1);
    assertThat(vector.insert(packed(a(2), a(3)), 2, null, null, 0, null)).isEqualTo(2);
    assertThat(contents(vector, 3)).containsExactly(a(1), a(2), a(3));
  }

  @Test
  @DisplayName("An insertion and a removal of one address allocate nothing")
  void singleChangesAllocateNothing() {
    int count = 20_000;
    FabricAddress[] addresses = new FabricAddress[count];
    for (int i = 0; i < count; i++) {
      addresses[i] = a(i + 1);
    }
    vector.insert(a(count + 2));
    MemorySegment one = packed(a(count + 1));
    MemorySegment handle = MemorySegment.ofArray(new long[1]);
    // One object a round would be 16 bytes; a table that is moved is a new object.
    long most = 8L * count;
    long least = Long.MAX_VALUE;
    int rounds = 0;
    // Until everything is compiled, which may take long on a busy machine.
    for (; least >= most && rounds < 100; rounds++) {
      long before = Allocation.bytes();
      for (int i = 0; i < count; i++) {
        vector.insert(one, 1, handle, null, 0, null);
        vector.remove(handle, 1, 0);
        long inserted = vector.insert(addresses[i]);
        vector.remove(inserted);
      }
      least = Math.min(least, Allocation.bytes() - before);
    }
    assertThat(vector.size()).isEqualTo(1);
    assertThat(least).as("bytes for %d rounds", count).isLessThan(most);
  }

  @Test
  @Tag("AV-081")
  void handleOfOneAddressThatWouldOverwriteItIsRefused() {
    MemorySegment memory = packed(a(1));
    fails(Errno.EINVAL, () -> vector.insert(memory, 1, memory.asSlice(8), null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(memory, 1, memory.asReadOnly(), null, 0, null));
    assertThat(vector.size()).isZero();
  }

  @Test
  @DisplayName("Insertions into memory allocate nothing for each address")
  void bulkInsertionAllocatesNothingPerAddress() {
    CoreAddressVector hinted = open(TestInfo.defaults(), VectorOptions.table().withCount(100_000));
    int count = 50_000;
    MemorySegment addresses = MemorySegment.ofArray(new byte[16 * count]);
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(packed(a(i + 1)), 0, addresses, 16L * i, 16);
    }
    MemorySegment handles = MemorySegment.ofArray(new long[count]);
    MemorySegment one = packed(a(7));
    MemorySegment buffer = MemorySegment.ofArray(new byte[28]);
    long before = 0;
    for (int warm = 0; warm < 4; warm++) {
      hinted.remove(handles, warm == 0 ? 0 : count, 0);
      before = Allocation.bytes();
      hinted.insert(addresses, count, handles, null, 0, null);
    }
    long bulk = Allocation.bytes() - before;
    // They are a run, which gets other objects with each part of the call.
    assertThat(bulk).as("bytes for %d addresses", count).isLessThan(8L * count);

    TransferPeers peers = hinted.peers();
    MessageSource source = new MessageSource();
    int calls = 20_000;
    long sum = 0;
    for (int warm = 0; warm < 2; warm++) {
      before = Allocation.bytes();
      for (int i = 0; i < calls; i++) {
        sum += hinted.lookup(i, buffer);
        sum += peers.socketAddress(i, buffer);
        sum += hinted.find(one);
        sum += peers.findSource(buffer, source) ? source.reported() : 0;
      }
    }
    long lookups = Allocation.bytes() - before;
    assertThat(sum).isPositive();
    assertThat(lookups).as("bytes for %d rounds of lookups", calls).isLessThan(calls);
  }
}
