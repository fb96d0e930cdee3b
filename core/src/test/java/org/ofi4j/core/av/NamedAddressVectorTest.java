// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.mapped.VectorTraits;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/** Vectors with a name, opened several times in one process as several processes would. */
class NamedAddressVectorTest {
  private final String name = "test " + UUID.randomUUID();
  private final VectorOptions table = VectorOptions.table().withName(name);
  private final VectorOptions reading = table.withFlags(VectorFlag.READ);

  private static TestInfo info() {
    return TestInfo.defaults().capabilities(Capability.SHARED_AV);
  }

  private static CoreAddressVector open(VectorOptions options) {
    return VectorFixture.open(info(), options);
  }

  private static TestInfo withUserIds() {
    return info().capabilities(Capability.AV_USER_ID);
  }

  private static long reported(CoreAddressVector vector, int i) {
    MessageSource source = new MessageSource();
    return vector.peers().findSource(packed(a(i)), source) ? source.reported() : NA - 1;
  }

  @Test
  @Tag("AV-041")
  void whoComesLaterSeesAndAdds() {
    try (CoreAddressVector first = open(table)) {
      assertThat(first.insert(a(1))).isZero();
      assertThat(first.insert(a(2))).isEqualTo(1);
      try (CoreAddressVector second = open(table.withCount(1_000_000))) {
        assertThat(second.size()).isEqualTo(2);
        assertThat(second.lookup(1)).isEqualTo(a(2));
        assertThat(second.insert(a(3))).isEqualTo(2);
        assertThat(second.insert(a(1))).as("shared").isZero();
        first.remove(1);
        fails(Errno.EINVAL, () -> second.lookup(1));
        assertThat(second.insert(v4Range(), InsertOptions.none()).handle(0)).isEqualTo(1);
        assertThat(first.insertSymmetric("10.9.0.1", 4, "7000", 2).result()).isEqualTo(8);
        assertThat(second.find(FabricAddress.parse("fi_sockaddr_in://10.9.0.4:7001")))
            .isEqualTo(12);
      }
      first.remove(0);
      assertThat(first.lookup(0)).as("of two insertions one is left").isEqualTo(a(1));
    }
    fails(Errno.ENOENT, () -> open(reading));
  }

  private static List<FabricAddress> v4Range() {
    return List.of(a(50), a(51), a(52));
  }

  @Test
  @Tag("AV-048")
  @Tag("AV-049")
  void readersChangeNothing() {
    fails(Errno.EINVAL, () -> open(VectorOptions.table().withFlags(VectorFlag.READ)));
    fails(Errno.ENOENT, name, () -> open(reading));
    try (CoreAddressVector writer = open(table);
        CoreAddressVector reader = open(reading)) {
      writer.insert(a(1));
      assertThat(reader.lookup(0)).isEqualTo(a(1));
      MemorySegment handles = longs(0, 0);
      fails(Errno.EACCES, "FI_READ", () -> reader.insert(a(9)));
      fails(Errno.EACCES, () -> reader.insert(List.of(a(9)), InsertOptions.none()));
      fails(Errno.EACCES, () -> reader.insert(packed(a(9)), 1, handles, null, 0, null));
      fails(Errno.EACCES, () -> reader.insertService("10.1.1.9", "80"));
      fails(Errno.EACCES, () -> reader.insertSymmetric("10.1.1.9", 2, "80", 1));
      fails(Errno.EACCES, () -> reader.remove(0));
      fails(Errno.EACCES, () -> reader.remove(handles, 1, 0));
      fails(Errno.EACCES, () -> reader.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]));
      assertThat(writer.size()).isEqualTo(1);
      assertThat(longs(handles)).containsExactly(0, 0);
      assertThat(reader.find(a(1))).isZero();
    }
  }

  @Test
  @Tag("AV-040")
  void namesAndWhatSharesThemAreChecked() {
    fails(Errno.EINVAL, "empty", () -> open(table.withName("")));
    fails(Errno.EINVAL, "256 bytes", () -> open(table.withName("x".repeat(256))));
    fails(Errno.EINVAL, "256 bytes", () -> open(table.withName("\u00e4".repeat(128))));
    open(table.withName("\u00e4".repeat(127) + "/")).close();
    fails(Errno.EINVAL, "half a surrogate pair", () -> open(table.withName("q\ud800")));
    fails(Errno.EINVAL, "lockTimeout", () -> open(table.withLockTimeout(Duration.ZERO)));
    fails(Errno.ENOSYS, "FI_SHARED_AV", () -> VectorFixture.open(TestInfo.defaults(), table));
    VectorFixture.open(TestInfo.defaults().version(ApiVersion.V1_3), table).close();
  }

  @Test
  @Tag("AV-040")
  @DisplayName("Calls about a named vector refuse what is no name, and a timeout of null")
  void argumentsOfCallsByName() {
    CoreSharedVectors vectors = new CoreSharedVectors(info().build());
    String half = "half a surrogate pair";
    fails(Errno.EINVAL, half, () -> vectors.status("q\ud800"));
    fails(Errno.EINVAL, half, () -> vectors.unlink("q\udc00"));
    fails(Errno.EINVAL, half, () -> vectors.verify("q\ud800", Duration.ofSeconds(1)));
    fails(Errno.EINVAL, "name is empty", () -> vectors.unlink(""));
    fails(Errno.EINVAL, "name is null", () -> vectors.unlink(null));
    fails(Errno.EINVAL, "timeout is null", () -> vectors.verify(name, null));
  }

  @Test
  @Tag("AV-041")
  void differencesAreRefusedByName() {
    try (CoreAddressVector first = open(table)) {
      fails(Errno.EINVAL, "type", () -> open(table.withType(VectorType.MAP)));
      fails(Errno.EINVAL, "rx_ctx_bits", () -> open(table.withReceiveContextBits(3)));
      fails(
          Errno.EINVAL,
          "duplicate policy",
          () -> open(table.withDuplicates(DuplicatePolicy.REJECT)));
      fails(
          Errno.EINVAL,
          "address format",
          () -> VectorFixture.open(info().format(AddressFormat.SOCKADDR_IN6), table));
      fails(
          Errno.EINVAL, "FI_AV_AUTH_KEY", () -> VectorFixture.open(info().keysInVector(4), table));
      fails(Errno.EINVAL, "max_group_id", () -> VectorFixture.open(info().maxGroup(7), table));
      fails(
          Errno.EINVAL,
          "class of API versions",
          () ->
              VectorFixture.open(
                  info().version(ApiVersion.V1_0), table.withDuplicates(DuplicatePolicy.SHARE)));
      VectorFixture.open(info().version(ApiVersion.V1_20), table).close();
      first.insert(a(1));
    }
    fails(Errno.ENOENT, () -> open(reading));
  }

  @Test
  @Tag("AV-042")
  @Tag("AV-045")
  @Tag("AV-046")
  void handlesOfMapVectorsBeginAtTheirBase() {
    TestInfo old = info().version(ApiVersion.V1_20);
    VectorOptions map = VectorOptions.map().withName(name);
    for (long wrong : new long[] {8, -16, Long.MIN_VALUE, 1L << 62}) {
      fails(Errno.EINVAL, "mapAddress", () -> VectorFixture.open(old, map.withMapAddress(wrong)));
    }
    fails(
        Errno.EINVAL, "at most 28", () -> VectorFixture.open(old, map.withReceiveContextBits(29)));
    VectorFixture.open(old, map.withReceiveContextBits(28)).close();
    try (CoreAddressVector first = VectorFixture.open(old, map)) {
      long base = first.options().mapAddress();
      assertThat(base).isPositive();
      long handle = first.insert(a(1));
      try (CoreAddressVector second = VectorFixture.open(old, map.withMapAddress(base));
          CoreAddressVector chosen = VectorFixture.open(old, map);
          CoreAddressVector own = VectorFixture.open(old, map.withMapAddress(base + 64))) {
        assertThat(second.lookup(handle)).isEqualTo(a(1));
        assertThat(chosen.lookup(handle)).isEqualTo(a(1));
        assertThat(own.options().mapAddress()).isEqualTo(base + 64);
        assertThat(own.find(a(1))).isEqualTo(handle + 64);
      }
    }
    try (CoreAddressVector mine = VectorFixture.open(old, map.withMapAddress(0x70_0000_0010L))) {
      mine.insert(a(1));
      try (CoreAddressVector chosen = VectorFixture.open(old, map)) {
        assertThat(chosen.options().mapAddress()).isEqualTo(0x70_0000_0010L);
      }
    }
    try (CoreAddressVector indices = open(map)) {
      assertThat(indices.insert(a(1))).isZero();
      assertThat(indices.options().mapAddress()).isNotZero();
    }
  }

  @Test
  @Tag("AV-175")
  @Tag("AV-176")
  @Tag("AV-188")
  void userIdsAreOfOneOpeningAndOneGeneration() {
    VectorOptions later = table.withFlags(VectorFlag.USER_ID);
    VectorOptions reader = table.withFlags(VectorFlag.USER_ID, VectorFlag.READ);
    try (CoreAddressVector one = VectorFixture.open(withUserIds(), later);
        CoreAddressVector other = VectorFixture.open(withUserIds(), later);
        CoreAddressVector third = VectorFixture.open(withUserIds(), reader)) {
      one.insert(List.of(a(1), a(2), a(3)), InsertOptions.none());
      one.setUserId(1, new UserId(0xdead));
      one.setUserId(1, new UserId(0xbeef));
      third.setUserId(1, new UserId(3));
      assertThat(reported(one, 2)).isEqualTo(0xbeef);
      assertThat(reported(third, 2)).isEqualTo(3);
      assertThat(reported(other, 2)).isEqualTo(NA);
      other.remove(1);
      assertThat(other.insert(a(7))).isEqualTo(1);
      assertThat(reported(one, 7)).as("another generation").isEqualTo(NA);
      assertThat(reported(third, 7)).isEqualTo(NA);
      fails(Errno.EINVAL, () -> one.setUserId(9, new UserId(1)));
      one.setUserId(1, new UserId(5));
      assertThat(reported(one, 7)).isEqualTo(5);
      other.insertSymmetric("10.3.0.1", 1000, "5000", 4);
      long far = one.find(FabricAddress.parse("fi_sockaddr_in://10.3.0.200:5002"));
      one.setUserId(far, new UserId(77));
      MessageSource source = new MessageSource();
      assertThat(one.peers().findSource(packed(one.lookup(far)), source)).isTrue();
      assertThat(source.reported()).isEqualTo(77);
    }
  }

  @Test
  @Tag("AV-189")
  void userIdsOfInsertionsAreOfOneOpening() {
    try (CoreAddressVector one = VectorFixture.open(withUserIds(), table);
        CoreAddressVector other = VectorFixture.open(withUserIds(), table)) {
      MemorySegment ids = longs(0x10, 0x20);
      long flag = InsertFlag.USER_ID.mask();
      assertThat(one.insert(packed(a(1), a(1)), 2, ids, null, flag, null)).isEqualTo(2);
      assertThat(longs(ids)).containsExactly(0, 0);
      assertThat(reported(one, 1)).as("the last one wins").isEqualTo(0x20);
      assertThat(reported(other, 1)).as("its handle").isZero();
      // The index that the duplicate gave back begins the same generation for whoever takes it.
      assertThat(other.insert(a(3))).isEqualTo(1);
      assertThat(reported(one, 3)).isEqualTo(1);
    }
  }

  @Test
  @Tag("AV-086")
  @SuppressWarnings("deprecation")
  void asynchronousInsertionsReserveAmongAll() throws InterruptedException {
    CountDownLatch resolve = new CountDownLatch(1);
    VectorOptions later =
        table
            .withFlags(VectorFlag.EVENT)
            .withResolver(host -> {
              resolve.await();
              return List.of();
            });
    TestDomain domain = TestDomain.of(info());
    try (CoreEventQueue queue = (CoreEventQueue) domain.fabric().openEventQueue();
        CoreAddressVector slow = domain.openAddressVector(later);
        CoreAddressVector other = open(table);
        Arena arena = Arena.ofShared()) {
      HistoricVector.of(slow).bind(queue, 0);
      MemorySegment handles = arena.allocate(16);
      slow.insertService("no.such.host", "80", handles.asSlice(0, 8), null, 0, "first");
      slow.insert(packed(a(4)), 1, handles.asSlice(8, 8), null, 0, "second");
      assertThat(other.insert(a(5))).as("two are reserved").isEqualTo(2);
      assertThat(next(queue)).isInstanceOf(Event.InsertionComplete.class);
      resolve.countDown();
      assertThat(next(queue)).isInstanceOf(Event.Failure.class);
      assertThat(next(queue)).isInstanceOf(Event.InsertionComplete.class);
      assertThat(other.lookup(1)).isEqualTo(a(4));
      assertThat(other.insert(a(6))).as("what failed is unused").isZero();
    }
  }

  private static Event next(CoreEventQueue queue) throws InterruptedException {
    while (true) {
      try {
        Event event = queue.read();
        if (event != null) {
          return event;
        }
      } catch (FabricException waiting) {
        return queue.readError();
      }
      Thread.sleep(5);
    }
  }

  @Test
  void whoKeepsTheLockIsWaitedForAndNamed() throws Exception {
    NamedVector stopped = holder();
    try (stopped;
        CoreAddressVector vector = open(table.withLockTimeout(Duration.ofMillis(200)));
        var holder = Executors.newSingleThreadExecutor()) {
      vector.insert(a(1));
      holder.submit(() -> NamedStores.begin(stopped)).get();
      fails(Errno.EAGAIN, "" + ProcessHandle.current().pid(), () -> vector.insert(a(2)));
      fails(Errno.EAGAIN, () -> vector.remove(0));
      assertThat(vector.lookup(0)).isEqualTo(a(1));
      try (AddressVectorSet set = vector.openSet(VectorSetOptions.range(0, 9))) {
        assertThat(set.handles()).containsExactly(0);
      }
      holder
          .submit(() -> {
            stopped.locks().end();
            return 0;
          })
          .get();
      assertThat(vector.insert(a(2))).isEqualTo(1);
    }
  }

  /** That none waits longer because of those before it is for {@code VectorLockTest}. */
  @Test
  void manyThreadsWaitAndGiveUp() throws Exception {
    int threads = 12;
    Duration timeout = Duration.ofMillis(300);
    try (NamedVector stopped = holder();
        CoreAddressVector vector = open(table.withLockTimeout(timeout));
        var others = Executors.newFixedThreadPool(threads)) {
      vector.insert(a(1));
      NamedStores.begin(stopped);
      long start = System.nanoTime();
      List<Future<?>> late = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int which = i;
        late.add(
            others.submit(() -> {
              String process = "" + ProcessHandle.current().pid();
              if (which % 3 == 0) {
                fails(Errno.EAGAIN, process, () -> vector.remove(0));
              } else {
                fails(Errno.EAGAIN, process, () -> vector.insert(a(1 + which)));
              }
            }));
      }
      for (Future<?> each : late) {
        each.get();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(timeout);
      stopped.locks().end();
      assertThat(vector.insert(a(2))).isEqualTo(1);
    }
  }

  @Test
  @Tag("AV-016")
  void domainsStayOpenAsLongAsTheirVectors() {
    TestDomain domain = TestDomain.of(info());
    fails(Errno.ENOENT, () -> domain.openAddressVector(reading));
    fails(
        Errno.EINVAL,
        () ->
            domain.openAddressVector(
                table.withFlags(VectorFlag.SYMMETRIC).withReceiveContextBits(99)));
    domain.close();
    TestDomain another = TestDomain.of(info());
    CoreAddressVector vector = another.openAddressVector(table);
    fails(Errno.EBUSY, another::close);
    vector.close();
    vector.close();
    fails(Errno.EINVAL, () -> vector.insert(a(1)));
    fails(Errno.EINVAL, () -> vector.lookup(0));
    another.close();
  }

  @Test
  @Tag("AV-101")
  void flagsOfInsertionsWorkAsInPrivateVectors() {
    try (CoreAddressVector one = open(table);
        CoreAddressVector other = open(table)) {
      Insertion marked =
          one.insert(
              List.of(a(1), VectorFixture.BAD, v6(1)),
              InsertOptions.of(InsertFlag.FIREWALL_ADDRESS));
      assertThat(marked.result()).isEqualTo(1);
      assertThat(marked.error(1)).isEqualTo(Errno.EADDRNOTAVAIL.number());
      assertThat(marked.error(2)).isEqualTo(Errno.EINVAL.number());
      assertThat(other.peers().isFirewalled(0)).isTrue();
      assertThat(one.statistics().memory().held()).isPositive();
      assertThat(one.toString()).contains("1 entries");
    }
  }

  @Test
  @Tag("AV-226")
  void setsBeginWithWhatOthersInserted() {
    try (CoreAddressVector one = open(table);
        CoreAddressVector other = open(table);
        CoreAddressVector reader = open(reading)) {
      one.insertSymmetric("10.5.0.1", 50, "5000", 2);
      other.remove(7);
      for (CoreAddressVector vector : List.of(other, reader)) {
        try (AddressVectorSet all = vector.openSet(VectorSetOptions.universe());
            AddressVectorSet some = vector.openSet(VectorSetOptions.range(5, 20).withStride(2))) {
          assertThat(all.size()).isEqualTo(99);
          assertThat(some.handles()).containsExactly(5, 9, 11, 13, 15, 17, 19);
          one.remove(99);
          assertThat(all.contains(99)).as("as it was").isTrue();
          fails(Errno.EINVAL, () -> some.insert(99));
          assertThat(one.insert(a(1))).isEqualTo(7);
          some.insert(7);
          one.remove(7);
          one.insertSymmetric("10.6.0.1", 2, "5000", 1);
          other.remove(7);
        }
      }
    }
  }

  /** A writer that is stopped keeps an insertion from ending when its vector is closed. */
  @Test
  @Tag("AV-065")
  @SuppressWarnings("deprecation")
  void reservationsThatCannotBeGivenBackGoToWhoWritesNext() throws Exception {
    VectorOptions later =
        table
            .withFlags(VectorFlag.EVENT)
            .withLockTimeout(Duration.ofMillis(100))
            .withResolver(host -> {
              Thread.sleep(TestDomain.PATIENCE);
              return List.of();
            });
    TestDomain domain = TestDomain.of(info());
    try (CoreAddressVector other = open(table);
        NamedVector stopped = holder();
        var holder = Executors.newSingleThreadExecutor();
        CoreEventQueue queue = (CoreEventQueue) domain.fabric().openEventQueue()) {
      CoreAddressVector slow = domain.openAddressVector(later);
      HistoricVector.of(slow).bind(queue, 0);
      slow.insertService("no.such.host", "80");
      assertThat(other.insert(a(1))).as("one index is reserved").isEqualTo(1);
      holder.submit(() -> NamedStores.begin(stopped)).get();
      slow.close();
      assertThat(next(queue)).isInstanceOf(Event.Failure.class);
      assertThat(next(queue)).isEqualTo(Event.InsertionComplete.of(slow, null, 0));
      holder
          .submit(() -> {
            stopped.locks().end();
            return 0;
          })
          .get();
      // All are of one process here, which lives: nobody gives the index back before it ends.
      assertThat(other.insert(a(2))).isEqualTo(2);
    }
    fails(Errno.ENOENT, () -> open(reading));
  }

  @Test
  void whereThereIsNoRoomOpeningSaysSo(@TempDir Path directory) throws Exception {
    Path said = directory.resolve("said");
    Path files = directory.resolve("own");
    Process user =
        Jvm.startWithoutRoom(FullShareUser.class, said, 50, "-Dofi4j.share.directory=" + files);
    assertThat(user.waitFor()).isZero();
    List<String> lines = Files.readAllLines(said);
    assertThat(lines).as("%s", lines).hasSize(3).last().isEqualTo("0");
    assertThat(lines.subList(0, 2))
        .allSatisfy(
            line -> assertThat(line).contains("ENOMEM", "no room", "the disk is full (ENOSPC)"));
    try (var left = Files.list(files)) {
      assertThat(left).noneMatch(file -> file.toString().endsWith(".entries"));
    }
  }

  /** Each way to insert tells the full disk from want of memory, threads or indices. */
  @Test
  void whereTheDiskBecomesFullInsertionSaysSo(@TempDir Path directory) throws Exception {
    Path said = directory.resolve("said");
    Path files = directory.resolve("own");
    Process user =
        Jvm.startWithoutRoom(FullShareUser.class, said, 200, "-Dofi4j.share.directory=" + files);
    assertThat(user.waitFor()).isZero();
    List<String> lines = Files.readAllLines(said);
    assertThat(lines).as("%s", lines).hasSize(7).last().isEqualTo("0");
    assertThat(lines.subList(0, 6))
        .allSatisfy(line ->
            assertThat(line)
                .contains("ENOMEM", "the disk is full (ENOSPC): no room for", "own/test")
                .doesNotContain("unused index"));
  }

  private NamedVector holder() {
    return NamedVector.open(
        ShareDirectory.ofUser(),
        "test:test domain:test fabric",
        name,
        new VectorTraits(3, 2, 1, 2, 0, 0, 0, 0, 0).withBase().toBytes(),
        false,
        TestDomain.PATIENCE,
        file -> NamedStore.found(file, StoreOptions.of(0, true, DuplicatePolicy.SHARE)));
  }
}
