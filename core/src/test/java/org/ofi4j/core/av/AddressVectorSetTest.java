// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricBusyException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.core.testing.TestInfo;

@Tag("AV-226")
class AddressVectorSetTest {
  private final CoreAddressVector vector = VectorFixture.table();

  private AddressVectorSet set(long... handles) {
    AddressVectorSet set = vector.openSet(VectorSetOptions.empty());
    for (long handle : handles) {
      set.insert(handle);
    }
    return set;
  }

  private void fill(int count) {
    for (int i = 1; i <= count; i++) {
      vector.insert(a(i));
    }
  }

  @Test
  void rangesIncludeTheirEnd() {
    fill(10);
    assertThat(vector.openSet(VectorSetOptions.range(2, 8).withStride(3)).handles())
        .containsExactly(2, 5, 8);
    assertThat(vector.openSet(VectorSetOptions.range(2, 7).withStride(3)).handles())
        .containsExactly(2, 5);
    assertThat(vector.openSet(VectorSetOptions.range(4, 4).withStride(9)).handles())
        .containsExactly(4);
    vector.remove(5);
    assertThat(vector.openSet(VectorSetOptions.range(4, 7)).handles()).containsExactly(4, 6, 7);
    long last = Handles.MAX_ENTRIES - 1;
    assertThat(vector.openSet(VectorSetOptions.range(0, last)).size()).isEqualTo(9);
    assertThat(vector.openSet(VectorSetOptions.range(9, last).withStride(last - 1)).size()).isOne();
    assertThat(vector.openSet(VectorSetOptions.universe()).handles())
        .containsExactly(0, 1, 2, 3, 4, 6, 7, 8, 9);
  }

  @Test
  void endsAfterTheLastEntryAndNotAfterTheLastIndex() {
    fill(10);
    vector.remove(3);
    long last = Handles.MAX_ENTRIES - 1;
    // Each would take seconds, if all indices were looked at, and nobody could insert meanwhile.
    for (int i = 0; i < 1_000; i++) {
      assertThat(vector.openSet(VectorSetOptions.range(2, last).withStride(2)).handles())
          .containsExactly(2, 4, 6, 8);
      assertThat(vector.openSet(VectorSetOptions.range(last - 1, last)).size()).isZero();
    }
  }

  @Test
  void countIsNoMoreThanAGuess() {
    fill(3);
    AddressVectorSet set =
        vector.openSet(VectorSetOptions.range(0, 2).withCount(Integer.MAX_VALUE));
    assertThat(set.handles()).containsExactly(0, 1, 2);
  }

  @Test
  void setsOfARangeOfManyEntries() {
    vector.insertSymmetric("10.3.0.1", 5_000, "5000", 4);
    AddressVectorSet every = vector.openSet(VectorSetOptions.range(1, 19_999).withStride(2));
    assertThat(every.handles())
        .isEqualTo(LongStream.range(0, 10_000).map(i -> 2 * i + 1).toArray());
    AddressVectorSet all = vector.openSet(VectorSetOptions.universe());
    all.difference(every);
    assertThat(all.handles()).isEqualTo(LongStream.range(0, 10_000).map(i -> 2 * i).toArray());
  }

  /** Each would take a minute, if indices before the range or dead ones were looked at. */
  @Test
  void membersFarBehindAreFoundAtOnce() {
    long count = 30_000L * 32_768;
    Insertion inserted =
        vector.insertSymmetric("10.0.0.1", 30_000, "1024", 32_768, InsertOptions.none());
    assertThat(inserted.inserted()).isEqualTo(count);
    for (int i = 0; i < 100; i++) {
      long first = 900_000_000 + i;
      assertThat(vector.openSet(VectorSetOptions.range(first, first + 9).withCount(10)).handles())
          .isEqualTo(LongStream.range(first, first + 10).toArray());
      assertThat(
              vector.openSet(VectorSetOptions.range(i, count - 1).withStride(100_000_000)).size())
          .isEqualTo(10);
      fails(
          Errno.EINVAL,
          "count 9",
          () -> vector.openSet(VectorSetOptions.range(0, count - 1).withCount(9)));
    }
  }

  /** Every second entry stays; the others go and come while sets are opened. */
  @Test
  void whatStaysIsAMemberWhateverComesAndGoes() throws InterruptedException {
    vector.insertSymmetric("10.3.0.1", 100, "5000", 3);
    fill(700);
    long[] stay = LongStream.range(0, 500).map(i -> 2 * i).toArray();
    AtomicBoolean ended = new AtomicBoolean();
    Thread changing =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; !ended.get(); i++) {
                int odd = i % 500 * 2 + 1;
                vector.remove(odd);
                vector.insert(new SocketAddress4(0x0B00_0000 + i % 3_000, 77));
              }
            });
    try {
      for (int i = 0; i < 300; i++) {
        try (AddressVectorSet set = vector.openSet(VectorSetOptions.range(0, 999))) {
          long[] even = LongStream.of(set.handles()).filter(handle -> handle % 2 == 0).toArray();
          assertThat(even).as("in order").isEqualTo(stay);
        }
      }
    } finally {
      ended.set(true);
      changing.join();
    }
  }

  @Test
  void optionsThatDoNotFit() {
    fill(10);
    VectorSetOptions range = VectorSetOptions.range(2, 8).withStride(3);
    fails(Errno.EINVAL, "count 2", () -> vector.openSet(range.withCount(2)));
    assertThat(vector.openSet(range.withCount(3)).size()).isEqualTo(3);
    fails(Errno.EINVAL, () -> vector.openSet(null));
    fails(Errno.EINVAL, () -> vector.openSet(range.withCount(-1)));
    fails(Errno.EINVAL, () -> vector.openSet(range.withFlags(1)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.universe().withFlags(1L << 57 | 1)));
    fails(Errno.EINVAL, () -> vector.openSet(range.withFlags(1L << 57)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(2, NA)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(NA, 2)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(NA, NA)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(2, 1)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(2, 8).withStride(0)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(2, 8).withStride(-1)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(-5, 8)));
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.range(0, Handles.MAX_ENTRIES)));
    assertThat(vector.openSet(VectorSetOptions.range(NA, NA).withStride(0)).size()).isZero();
    vector.openSet(VectorSetOptions.empty()).close();
    CoreAddressVector map = open(TestInfo.defaults().version(1, 20), VectorOptions.map());
    long handle = map.insert(a(1));
    fails(Errno.EINVAL, "MAP", () -> map.openSet(VectorSetOptions.range(0, 0)));
    assertThat(map.openSet(VectorSetOptions.universe()).handles()).containsExactly(handle);
    CoreAddressVector old = open(TestInfo.defaults().version(1, 8), VectorOptions.table());
    fails(Errno.ENOSYS, "1.9", () -> old.openSet(VectorSetOptions.empty()));
  }

  @Test
  void membersKeepTheirOrder() {
    fill(10);
    AddressVectorSet set = set(7, 3, 5, 1);
    fails(Errno.EINVAL, () -> set.insert(5));
    fails(Errno.EINVAL, () -> set.insert(10));
    fails(Errno.EINVAL, () -> set.insert(NA));
    assertThat(set.handles()).containsExactly(7, 3, 5, 1);
    set.union(set(1, 9, 7, 0));
    assertThat(set.handles()).containsExactly(7, 3, 5, 1, 9, 0);
    set.remove(5);
    fails(Errno.EINVAL, () -> set.remove(5));
    assertThat(set.handles()).containsExactly(7, 3, 1, 9, 0);
    set.intersect(set(0, 1, 2, 3, 4, 9));
    assertThat(set.handles()).containsExactly(3, 1, 9, 0);
    set.difference(set(9, 8, 3));
    assertThat(set.handles()).containsExactly(1, 0);
    set.union(set);
    assertThat(set.handles()).containsExactly(1, 0);
    set.difference(set);
    assertThat(set.size()).isZero();
    assertThat(set.contains(1)).isFalse();
  }

  @Test
  void othersAreOfTheSameVector() {
    AddressVectorSet set = set();
    AddressVectorSet other = VectorFixture.table().openSet(VectorSetOptions.empty());
    fails(Errno.EINVAL, () -> set.union(other));
    fails(Errno.EINVAL, () -> set.intersect(null));
    fails(Errno.EINVAL, () -> set.difference(other));
  }

  @Test
  void addressesNameNothingElse() {
    fill(2);
    CoreAddressVector keyed = open(TestInfo.defaults().keysInVector(2), VectorOptions.table());
    long key = keyed.insertAuthKey(new byte[32]);
    AddressVectorSet one = keyed.openSet(VectorSetOptions.empty().withContext("mine"));
    AddressVectorSet two = keyed.openSet(VectorSetOptions.empty());
    assertThat(one.address()).isNotEqualTo(two.address()).isNotEqualTo(key).isNotEqualTo(NA);
    fails(Errno.EINVAL, () -> keyed.lookup(one.address()));
    fails(Errno.EINVAL, () -> keyed.lookupAuthKey(one.address()));
    fails(Errno.EINVAL, () -> keyed.removeAuthKey(one.address()));
    fails(Errno.EINVAL, () -> one.insert(two.address()));
    assertThat(one.context()).isEqualTo("mine");
    assertThat(one.vector()).isSameAs(keyed);
  }

  @Test
  void aSetKeepsItsVectorOpen() {
    AddressVectorSet set = set();
    assertThatThrownBy(vector::close).isInstanceOf(FabricBusyException.class);
    assertThat(vector.isOpen()).isTrue();
    set.close();
    set.close();
    assertThat(set.isOpen()).isFalse();
    fails(Errno.EINVAL, set::handles);
    fails(Errno.EINVAL, () -> set.union(set));
    vector.close();
    fails(Errno.EINVAL, () -> vector.openSet(VectorSetOptions.empty()));
  }

  @Test
  @DisplayName("Every call on a set that is closed, as its vector is, says so")
  void closedSets() {
    fill(1);
    AddressVectorSet set = set();
    AddressVectorSet other = set();
    set.close();
    other.close();
    vector.close();
    List<Runnable> calls =
        List.of(
            set::size,
            set::handles,
            set::address,
            () -> set.contains(0),
            () -> set.insert(0),
            () -> set.remove(0),
            () -> set.union(other),
            () -> set.intersect(other),
            () -> set.difference(other));
    assertThat(calls)
        .allSatisfy(call -> fails(Errno.EINVAL, "is closed: open a new one", call::run));
  }

  @Test
  void setsAreWhatListsSay() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("AddressVectorSetTest: -Dofi4j.seed=" + seed);
    Random random = new Random(seed);
    fill(100);
    AddressVectorSet[] sets = {set(), set(), set()};
    List<List<Long>> lists = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int step = 0; step < 20_000; step++) {
      int which = random.nextInt(3);
      AddressVectorSet set = sets[which];
      List<Long> list = lists.get(which);
      int other = random.nextInt(3);
      long handle = random.nextInt(100);
      switch (random.nextInt(20)) {
        case 0 -> {
          set.union(sets[other]);
          List.copyOf(lists.get(other)).stream().filter(h -> !list.contains(h)).forEach(list::add);
        }
        case 1 -> {
          set.intersect(sets[other]);
          list.retainAll(List.copyOf(lists.get(other)));
        }
        case 2 -> {
          set.difference(sets[other]);
          list.removeAll(List.copyOf(lists.get(other)));
        }
        case 3, 4, 5 -> {
          if (list.remove(handle)) {
            set.remove(handle);
          } else {
            fails(Errno.EINVAL, () -> set.remove(handle));
          }
        }
        default -> {
          if (list.contains(handle)) {
            fails(Errno.EINVAL, () -> set.insert(handle));
          } else {
            set.insert(handle);
            list.add(handle);
          }
        }
      }
      assertThat(set.contains(handle)).isEqualTo(list.contains(handle));
      assertThat(set.handles()).containsExactly(list.stream().mapToLong(h -> h).toArray());
    }
  }
}
