// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.ints;
import static org.ofi4j.core.av.VectorFixture.longs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.Profile;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/** Vectors that run out of indices, which are far fewer here than handles could name. */
@Tag("AV-083")
class CapacityTest {
  private static final int ENOMEM = 12;

  private static CoreAddressVector open(TestInfo info, VectorOptions options, int capacity) {
    return open(TestDomain.of(info), options, capacity, MemorySource.system());
  }

  private static CoreAddressVector open(
      TestDomain domain, VectorOptions options, int capacity, MemorySource source) {
    return CoreAddressVector.open(
        domain,
        domain.lifetime(),
        options,
        FabricPeers.ANY,
        () -> source,
        (expected, memory) ->
            new EntryStore(
                new StoreOptions(
                    expected.expected(),
                    expected.reuse(),
                    expected.duplicates(),
                    capacity,
                    expected.seed(),
                    false),
                memory));
  }

  private static TestInfo candidate() {
    return TestInfo.defaults().version(1, 0).profile(Profile.CANDIDATE_1_0);
  }

  @Test
  void theCandidateNeverUsesAnIndexAgain() {
    CoreAddressVector vector = open(candidate(), VectorOptions.table(), 5);
    for (int i = 0; i < 5; i++) {
      assertThat(vector.insert(a(i + 1))).isEqualTo(i);
      vector.remove(i);
    }
    assertThat(vector.size()).isZero();
    assertThat(Errno.ENOMEM.number()).isEqualTo(ENOMEM);
    fails(Errno.ENOMEM, "no unused index left", () -> vector.insert(a(9)));
    fails(Errno.ENOMEM, () -> vector.insertService("10.0.0.1", "80"));
    MemorySegment handles = longs(7, 7, 7);
    MemorySegment addresses = VectorFixture.packed(a(7), a(8), a(9));
    assertThat(vector.insert(addresses, 3, handles, null, 0, null)).isZero();
    assertThat(longs(handles)).containsExactly(NA, NA, NA);
    Insertion range = vector.insertSymmetric("10.0.0.1", 2, "80", 2, InsertOptions.none());
    assertThat(range.failures())
        .extracting(InsertionFailure::errno)
        .containsExactly(Errno.ENOMEM, Errno.ECANCELED, Errno.ECANCELED, Errno.ECANCELED);
    assertThat(vector.find(a(1))).isEqualTo(NA);
    assertThat(vector.size()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 100, 300, 999})
  void theCandidateEndsInTheMiddleOfACall(int capacity) {
    List<FabricAddress> addresses =
        IntStream.rangeClosed(1, 1000).mapToObj(VectorFixture::a).toList();
    CoreAddressVector vector =
        open(
            candidate(), VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX), capacity);
    Insertion outcome = vector.insert(addresses, InsertOptions.none());
    assertThat(outcome.inserted()).isEqualTo(capacity);
    assertThat(outcome.error(capacity - 1)).isZero();
    assertThat(outcome.error(capacity)).isEqualTo(ENOMEM);
    assertThat(outcome.failures()).hasSize(1000 - capacity);
    for (int i = capacity + 1; i < 1000; i++) {
      assertThat(outcome.error(i)).isEqualTo(Errno.ECANCELED.number());
    }
    // What is there stays usable, and removal makes no room.
    assertThat(contents(vector, capacity)).isEqualTo(addresses.subList(0, capacity));
    vector.remove(0);
    fails(Errno.ENOMEM, () -> vector.insert(a(2000)));
    assertThat(vector.size()).isEqualTo(capacity - 1L);
  }

  @Test
  void otherVersionsFillTheHoles() {
    CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table(), 5);
    vector.insertSymmetric("10.0.0.1", 5, "80", 1, InsertOptions.none()).orThrow();
    fails(Errno.ENOMEM, () -> vector.insert(a(1)));
    vector.remove(3);
    vector.remove(1);
    MemorySegment errors = MemorySegment.ofArray(new int[4]);
    MemorySegment handles = longs(0, 0, 0, 0);
    int inserted =
        vector.insert(
            VectorFixture.packed(a(1), a(2), a(3), a(4)),
            4,
            handles,
            errors,
            InsertFlag.SYNC_ERR.mask(),
            null);
    assertThat(inserted).isEqualTo(2);
    assertThat(longs(handles)).containsExactly(1, 3, NA, NA);
    assertThat(ints(errors)).containsExactly(0, 0, ENOMEM, Errno.ECANCELED.number());
  }

  @Test
  @Tag("AV-178")
  @DisplayName(
      "D-15: a duplicate with a user id or a mark takes no index, so a full vector takes it")
  void duplicatesWithSomethingAttached() {
    CoreAddressVector vector = open(withIds(), VectorOptions.table(), 2);
    vector.insert(List.of(a(1), a(2)));
    InsertOptions mark = InsertOptions.of(InsertFlag.FIREWALL_ADDRESS);
    assertThat(
            vector.insert(List.of(a(1)), InsertOptions.none().withUserIds(79)).orThrow().handle(0))
        .isZero();
    assertThat(vector.userId(0)).hasValue(79);
    assertThat(vector.insert(List.of(a(2)), mark).orThrow().handle(0)).isOne();
    assertThat(vector.peers().isFirewalled(1)).isTrue();
    Insertion another = vector.insert(List.of(a(3)), InsertOptions.none().withUserIds(80));
    assertThat(another.error(0)).isEqualTo(ENOMEM);
    vector.remove(new long[] {0, 1});
    assertThat(vector.find(a(1))).isZero();
    assertThat(vector.find(a(2))).isOne();
    vector.remove(new long[] {0, 1});
    assertThat(vector.size()).isZero();
  }

  @Test
  @Tag("AV-178")
  @DisplayName("D-15: with the other policies, too, an id or a mark changes nothing of the outcome")
  void duplicatesWithOtherPolicies() {
    for (DuplicatePolicy policy : List.of(DuplicatePolicy.REJECT, DuplicatePolicy.NEW_INDEX)) {
      CoreAddressVector vector = open(withIds(), VectorOptions.table().withDuplicates(policy), 1);
      vector.insert(a(1));
      int plain = vector.insert(List.of(a(1)), InsertOptions.none()).error(0);
      assertThat(vector.insert(List.of(a(1)), InsertOptions.none().withUserIds(7)).error(0))
          .as("%s", policy)
          .isEqualTo(plain)
          .isNotZero();
      assertThat(vector.userId(0)).isEmpty();
    }
  }

  @Test
  @Tag("AV-178")
  @DisplayName("D-15: a duplicate whose id finds no memory leaves no share behind")
  void duplicatesWithoutMemoryForTheirIds() {
    ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
    TestDomain domain = TestDomain.of(withIds());
    int count = 100_000;
    CoreAddressVector vector = open(domain, VectorOptions.table(), count, memory);
    vector.insert(IntStream.range(0, count).mapToObj(VectorFixture::a).toList());
    memory.limit(memory.held());
    InsertOptions id = InsertOptions.none().withUserIds(79);
    int entry = 0;
    int error = 0;
    while (error == 0) {
      error = vector.insert(List.of(a(entry++)), id).error(0);
    }
    assertThat(error).isEqualTo(ENOMEM);
    memory.limit(Long.MAX_VALUE);
    vector.remove(entry - 1);
    assertThat(vector.find(a(entry - 1))).isEqualTo(NA);
  }

  private static TestInfo withIds() {
    return TestInfo.defaults().capabilities(Capability.AV_USER_ID);
  }

  /** An entry of a range has no slot that could say that it is dead. */
  @Test
  @Tag("AV-127")
  void anEntryOfARangeStaysIfNothingCanRecordThatItIsGone() {
    ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
    TestDomain domain = TestDomain.of(TestInfo.defaults());
    CoreAddressVector vector =
        CoreAddressVector.open(
            domain,
            domain.lifetime(),
            VectorOptions.table(),
            FabricPeers.ANY,
            () -> memory,
            EntryStore::new);
    int count = 10 << 16;
    vector.insertSymmetric("10.0.0.1", count, "80", 1, InsertOptions.none());
    memory.limit(memory.held());
    int removed = 0;
    for (int i = 0; i < count; i += 2) {
      MemorySegment handle = longs(i);
      try {
        vector.remove(handle, 1, 0);
        removed++;
      } catch (FabricException refused) {
        assertThat(refused.errno()).isEqualTo(Errno.ENOMEM);
        assertThat(refused).hasMessageContaining("stays").hasMessageContaining("0 of 1 removed");
        assertThat(vector.lookup(i)).isEqualTo(new SocketAddress4(0x0A00_0001 + i, 80));
        assertThat(vector.size()).isEqualTo(count - removed);
        memory.limit(Long.MAX_VALUE);
        vector.remove(i);
        assertThat(vector.find(new SocketAddress4(0x0A00_0001 + i, 80))).isEqualTo(NA);
        return;
      }
    }
    throw new AssertionError("no removal wanted memory");
  }
}
