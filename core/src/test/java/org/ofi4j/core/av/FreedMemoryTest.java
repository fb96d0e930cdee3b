// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.packed;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.RemoveFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorStatistics;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.ForwardingStore;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.FabricPeers;

/** Memory of a caller's that another thread frees while a call uses it. */
class FreedMemoryTest {
  private static final int COUNT = 1000;

  /** So many go to the store at once. */
  private static final int TOGETHER = 256;

  private final Arena arena = Arena.ofShared();
  private Runnable atBegin = () -> {};
  private Runnable behindChange = () -> {};

  private CoreAddressVector open(TestInfo info) {
    TestDomain domain = TestDomain.of(info);
    return CoreAddressVector.open(
        domain,
        domain.lifetime(),
        VectorOptions.table(),
        FabricPeers.ANY,
        MemorySource::system,
        (options, memory) -> new Watched(new EntryStore(options, memory)));
  }

  private static FabricAddress[] addresses() {
    return IntStream.rangeClosed(1, COUNT).mapToObj(VectorFixture::a).toArray(FabricAddress[]::new);
  }

  private void free() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private static void assertCounted(CoreAddressVector vector, int insertions, int removals) {
    VectorStatistics statistics = vector.statistics();
    assertThat(statistics.insertions()).as("insertions").isEqualTo(insertions);
    assertThat(statistics.failedInsertions()).as("failed insertions").isZero();
    assertThat(statistics.removals()).as("removals").isEqualTo(removals);
    assertThat(vector.size()).isEqualTo(insertions - removals);
  }

  @Test
  @DisplayName(
      "Addresses that are freed end the insertion; those before them are there and counted")
  void addressesOfAnInsertion() {
    try (CoreAddressVector vector = open(TestInfo.defaults())) {
      MemorySegment addresses = arena.allocate(16 * COUNT).copyFrom(packed(addresses()));
      behindChange = this::free;
      fails(Errno.EINVAL, "was freed", () -> vector.insert(addresses, COUNT, null, null, 0, null));
      assertCounted(vector, TOGETHER, 0);
    }
  }

  @Test
  @DisplayName("So do handles")
  void handlesOfAnInsertion() {
    try (CoreAddressVector vector = open(TestInfo.defaults())) {
      MemorySegment handles = arena.allocate(8 * COUNT);
      behindChange = this::free;
      fails(
          Errno.EINVAL,
          "was freed",
          () -> vector.insert(packed(addresses()), COUNT, handles, null, 0, null));
      assertCounted(vector, TOGETHER, 0);
    }
  }

  @Test
  @DisplayName("So do handles of services, and of addresses with user ids, which go one by one")
  void oneByOne() {
    try (CoreAddressVector vector = open(TestInfo.defaults().capabilities(Capability.AV_USER_ID))) {
      MemorySegment handles = arena.allocate(8 * COUNT);
      long flags = InsertFlag.USER_ID.mask();
      vector.insert(a(COUNT + 1));
      behindChange = this::free;
      fails(
          Errno.EINVAL,
          "was freed",
          () -> vector.insert(packed(addresses()), COUNT, handles, null, flags, null));
      assertCounted(vector, 2, 0);
      fails(Errno.EINVAL, () -> vector.insertService("10.7.7.7", "80", handles, null, 0, null));
      assertCounted(vector, 2, 0);
    }
  }

  @Test
  @DisplayName("Handles that are freed end the removal; those before them are gone and counted")
  void removal() {
    try (CoreAddressVector vector = open(TestInfo.defaults())) {
      vector.insert(packed(addresses()), COUNT, null, null, 0, null);
      MemorySegment handles = arena.allocate(8 * COUNT);
      MemorySegment.copy(
          LongStream.range(0, COUNT).toArray(), 0, handles, ValueLayout.JAVA_LONG, 0, COUNT);
      behindChange = this::free;
      fails(Errno.EINVAL, "was freed", () -> vector.remove(handles, COUNT, 0));
      assertCounted(vector, COUNT, TOGETHER);
    }
  }

  @Test
  @DisplayName("So do handles of keys")
  void removalOfKeys() {
    try (CoreAddressVector vector = open(TestInfo.defaults().keysInVector(1))) {
      long key = vector.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]);
      MemorySegment handles = arena.allocate(8);
      handles.set(ValueLayout.JAVA_LONG, 0, key);
      atBegin = this::free;
      fails(Errno.EINVAL, "was freed", () -> vector.remove(handles, 1, RemoveFlag.AUTH_KEY.mask()));
      assertThat(vector.lookupAuthKey(key)).hasSize(AddressVector.AUTH_KEY_SIZE);
    }
  }

  /** A store at whose changes something happens. */
  private final class Watched extends ForwardingStore {
    Watched(EntryStore store) {
      super(store);
    }

    @Override
    public void begin(long deadline) {
      atBegin.run();
    }

    @Override
    protected <T> T write(Function<EntryStore, T> change) {
      T answer = super.write(change);
      behindChange.run();
      return answer;
    }
  }
}
