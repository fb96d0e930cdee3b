// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.reported;
import static org.ofi4j.core.av.VectorFixture.source;
import static org.ofi4j.core.av.VectorFixture.table;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricBusyException;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.MemoryUse;
import org.ofi4j.RemoveFlag;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/** Opening, removing, looking up, printing, user ids and closing. */
class CoreAddressVectorTest {
  private static final long USER_ID = VectorFlag.USER_ID.mask();

  private final CoreAddressVector vector = table();

  private static MemorySegment bytes(int count) {
    return MemorySegment.ofArray(new byte[count]);
  }

  // ---- opening ----

  @Test
  @Tag("AV-014")
  @Tag("AV-017")
  @Tag("AV-030")
  @Tag("AV-046")
  void optionsInEffect() {
    VectorOptions passed =
        VectorOptions.defaults().withMapAddress(0x1234).withContext("ctx").withCount(4);
    CoreAddressVector opened = open(TestInfo.defaults(), passed);
    assertThat(opened.options().type()).isEqualTo(VectorType.TABLE);
    assertThat(opened.options().duplicates()).isEqualTo(DuplicatePolicy.SHARE);
    assertThat(opened.options().mapAddress()).isEqualTo(0x1234);
    assertThat(opened.options().count()).isEqualTo(4);
    assertThat(opened.context()).isEqualTo("ctx");
    assertThat(passed.type()).isEqualTo(VectorType.UNSPECIFIED);
    assertThat(opened.format()).isEqualTo(AddressFormat.SOCKADDR_IN);
    assertThat(
            open(TestInfo.defaults().vectorType(VectorType.MAP), VectorOptions.defaults())
                .options()
                .type())
        .isEqualTo(VectorType.MAP);
    assertThat(
            open(TestInfo.defaults().version(1, 14), VectorOptions.defaults())
                .options()
                .duplicates())
        .isEqualTo(DuplicatePolicy.NEW_INDEX);
  }

  @Test
  @Tag("AV-015")
  @Tag("AV-020")
  @Tag("AV-033")
  @Tag("AV-038")
  @Tag("AV-040")
  @Tag("AV-048")
  @Tag("AV-051")
  void openingThatIsRefused() {
    VectorOptions table = VectorOptions.table();
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), null));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), table.withFlags(1 << 3)));
    fails(Errno.EINVAL, "capability", () -> open(TestInfo.defaults(), table.withFlags(USER_ID)));
    TestInfo ids = TestInfo.defaults().capabilities(Capability.AV_USER_ID);
    assertThat(open(ids, table.withFlags(USER_ID | VectorFlag.SYMMETRIC.mask())).isOpen()).isTrue();
    fails(Errno.EINVAL, () -> open(ids.version(1, 15), table.withFlags(USER_ID)));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults().vectorType(VectorType.MAP), table));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), table.withReceiveContextBits(-1)));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), table.withReceiveContextBits(32)));
    fails(
        Errno.EINVAL,
        () ->
            open(
                TestInfo.defaults().version(1, 3), VectorOptions.map().withReceiveContextBits(30)));
    fails(
        Errno.EINVAL,
        () -> open(TestInfo.defaults().maxGroup(65_535), table.withReceiveContextBits(16)));
    fails(Errno.ENOSYS, () -> open(TestInfo.defaults(), table.withName("x")));
    fails(
        Errno.ENOSYS,
        () -> open(TestInfo.defaults(), table.withName("x").withFlags(VectorFlag.READ)));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), table.withName("")));
    fails(Errno.EINVAL, () -> open(TestInfo.defaults(), table.withFlags(VectorFlag.READ)));
    fails(
        Errno.EINVAL, () -> open(TestInfo.defaults(), table.withResolutionTimeout(Duration.ZERO)));
    fails(Errno.EINVAL, "count -1", () -> open(TestInfo.defaults(), table.withCount(-1)));
    fails(
        Errno.EINVAL,
        "endpointsPerNode -2",
        () -> open(TestInfo.defaults(), table.withEndpointsPerNode(-2)));
    fails(
        Errno.EINVAL,
        () -> open(TestInfo.defaults().version(1, 4).format(AddressFormat.STR), table));
    fails(
        Errno.EINVAL,
        () -> open(TestInfo.defaults().version(2, 2).format(AddressFormat.SOCKADDR_IP), table));
  }

  @ParameterizedTest
  @Tag("AV-035")
  @ValueSource(longs = {0, 1, 1 << 16, 1L << 40, Long.MAX_VALUE})
  @DisplayName("A10: the count is a hint, whatever it is")
  void countIsAHint(long count) {
    CoreAddressVector hinted =
        open(
            TestInfo.defaults(),
            VectorOptions.table().withCount(count).withEndpointsPerNode(count));
    for (int i = 1; i <= 300; i++) {
      assertThat(hinted.insert(a(i))).isEqualTo(i - 1);
    }
  }

  @Test
  @Tag("AV-013")
  @Tag("AV-016")
  void vectorsAreApartAndKeepTheirDomainOpen() {
    TestDomain domain = TestDomain.of(TestInfo.defaults());
    CoreAddressVector first = domain.openAddressVector(VectorOptions.table());
    CoreAddressVector second = domain.openAddressVector(VectorOptions.table());
    first.insert(a(1));
    fails(Errno.EINVAL, () -> second.lookup(0));
    assertThatThrownBy(domain::close)
        .isInstanceOf(FabricBusyException.class)
        .hasMessageContaining("address vector (TABLE, 1 entries)");
    first.close();
    second.close();
    domain.close();
    fails(Errno.EINVAL, () -> domain.openAddressVector(VectorOptions.table()));
  }

  // ---- handles ----

  @Test
  @Tag("AV-021")
  @Tag("AV-024")
  @Tag("AV-080")
  void mapHandles() {
    CoreAddressVector map = open(TestInfo.defaults().version(1, 3), VectorOptions.map());
    fails(Errno.EINVAL, "MAP", () -> map.insert(packed(a(1)), 1, null, null, 0, null));
    MemorySegment handles = longs(0, 0);
    assertThat(map.insert(packed(a(1), a(2)), 2, handles, null, 0, null)).isEqualTo(2);
    long[] values = longs(handles);
    assertThat(map.lookup(values[0])).isEqualTo(a(1));
    assertThat(map.lookup(values[1])).isEqualTo(a(2));
    assertThat(map.handleAt(1)).isEqualTo(values[1]);
    assertThat(map.find(a(2))).isEqualTo(values[1]);
    fails(Errno.EINVAL, () -> map.lookup(0));
    fails(Errno.EINVAL, () -> map.lookup(1));
    map.remove(values[0]);
    fails(Errno.EINVAL, () -> map.lookup(values[0]));
    CoreAddressVector modern = open(TestInfo.defaults(), VectorOptions.map());
    assertThat(modern.insert(List.of(a(1), a(2))).handles()).containsExactly(0, 1);
    assertThat(modern.insert(packed(a(3)), 1, null, null, 0, null)).isEqualTo(1);
  }

  @Test
  @Tag("AV-223")
  @DisplayName("B24: whatever names no entry is errno 22, in every call that takes a handle")
  void unsetHandles() {
    vector.insert(List.of(a(1), a(2)));
    vector.remove(1);
    for (long handle :
        new long[] {1, 2, 34, NA, Long.MIN_VALUE, 1L << 31, 1L << 32, 0xFFFF_FFFFL}) {
      fails(Errno.EINVAL, () -> vector.lookup(handle));
      fails(Errno.EINVAL, () -> vector.lookup(handle, bytes(16)));
      fails(Errno.EINVAL, () -> vector.remove(handle));
      fails(Errno.EINVAL, () -> vector.lookupAuthKey(handle, bytes(1)));
      assertThat(vector.peers().socketAddress(handle, bytes(28))).isZero();
      assertThat(reported(vector, handle)).isEqualTo(NA);
    }
    fails(Errno.EINVAL, () -> vector.handleAt(1));
    fails(Errno.EINVAL, () -> vector.handleAt(-1));
    fails(Errno.EINVAL, () -> vector.handleAt(1L << 40));
    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }

  @Test
  @Tag("AV-034")
  @Tag("AV-143")
  void receiveContextsInHandles() {
    VectorOptions bits = VectorOptions.table().withReceiveContextBits(4);
    CoreAddressVector named =
        open(TestInfo.defaults().capabilities(Capability.NAMED_RECEIVE_CONTEXT), bits);
    CoreAddressVector unnamed = open(TestInfo.defaults(), bits);
    for (CoreAddressVector each : List.of(named, unnamed)) {
      each.insert(a(1));
      assertThat(each.atReceiveContext(0, 2)).isEqualTo(Handles.atReceiveContext(0, 2, 4));
      assertThat(each.atReceiveContext(0, 16)).isEqualTo(NA);
      assertThat(each.lookup(each.atReceiveContext(0, 2))).isEqualTo(a(1));
      fails(Errno.EINVAL, () -> each.lookup(Handles.atReceiveContext(0, 2, 8)));
      assertThat(each.peers().socketAddress(Handles.atReceiveContext(0, 2, 8), bytes(28))).isZero();
    }
    assertThat(named.peers().socketAddress(Handles.atReceiveContext(0, 2, 4), bytes(28)))
        .isEqualTo(16);
    assertThat(unnamed.peers().socketAddress(Handles.atReceiveContext(0, 2, 4), bytes(28)))
        .isZero();
  }

  // ---- removing ----

  @Test
  @Tag("AV-125")
  @Tag("AV-126")
  @DisplayName("B25, D-30: the whole list is worked through, then the first error is told")
  void removalGoesThroughTheWholeList() {
    vector.insert(List.of(a(1), a(2), a(3), a(4)));
    fails(
        Errno.EINVAL,
        "element 1; 3 of 5 removed",
        () -> vector.remove(new long[] {0, 200, 2, 2, 3}));
    assertThat(contents(vector, 4)).containsExactly(null, a(2), null, null);
    fails(Errno.EINVAL, () -> vector.remove(0));
    vector.remove(new long[0]);
    vector.remove(null, 0, 0);
    fails(Errno.EINVAL, () -> vector.remove(null, 1, 0));
    fails(Errno.EINVAL, () -> vector.remove(longs(1), 2, 0));
    fails(Errno.EINVAL, () -> vector.remove(longs(1), -1, 0));
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @Tag("AV-134")
  @Tag("AV-135")
  void removalFlags() {
    vector.insert(a(1));
    fails(Errno.EINVAL, () -> vector.remove(longs(0), 1, 1 << 18));
    fails(Errno.EINVAL, () -> vector.remove(longs(0), 1, 1L << 41));
    fails(Errno.EINVAL, () -> vector.remove(longs(0), 1, RemoveFlag.AUTH_KEY.mask()));
    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }

  @Test
  @Tag("AV-180")
  @DisplayName("A9: a thousand cycles of the same peer leak nothing")
  void removeAndInsertAgain() {
    vector.insert(List.of(a(1), a(2)));
    MemoryUse before = vector.statistics().memory();
    for (int i = 0; i < 1000; i++) {
      vector.remove(1);
      fails(Errno.EINVAL, () -> vector.lookup(1));
      assertThat(vector.insert(a(2))).isEqualTo(1);
    }
    assertThat(vector.statistics().memory().live()).isEqualTo(before.live());
    assertThat(vector.statistics().memory().held()).isLessThan(before.held() + 65_536);
    assertThat(vector.statistics().highWaterMark()).isEqualTo(2);
  }

  @Test
  @DisplayName("B27: one of two entries with one address goes, the other works on")
  void oneOfTwoEqualEntries() {
    CoreAddressVector twice =
        open(TestInfo.defaults(), VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX));
    twice.insert(List.of(a(1), a(1)));
    twice.remove(0);
    assertThat(twice.find(a(1))).isEqualTo(1);
    assertThat(twice.lookup(1)).isEqualTo(a(1));
    MemorySegment scratch = bytes(28);
    assertThat(twice.peers().socketAddress(1, scratch)).isEqualTo(16);
    assertThat(source(twice, scratch.asSlice(0, 16))).isEqualTo(1);
  }

  @Test
  @DisplayName("B1: a failure before it does not put a handle under the wrong address")
  void failureFirst() {
    assertThat(vector.insert(List.of(BAD, a(1), a(2))).handles()).containsExactly(NA, 0, 1);
    vector.remove(1);
    assertThat(contents(vector, 2)).containsExactly(a(1), null);
  }

  // ---- looking up ----

  @Test
  @Tag("AV-139")
  @Tag("AV-140")
  void truncationIsSuccess() {
    vector.insert(a(1));
    MemorySegment buffer = bytes(6);
    buffer.fill((byte) 0x77);
    assertThat(vector.lookup(0, buffer.asSlice(0, 4))).isEqualTo(16);
    assertThat(buffer.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
        .containsExactly(2, 0, 0x13, 0x88, 0x77, 0x77);
    assertThat(vector.lookup(0, bytes(0))).isEqualTo(16);
    assertThat(vector.lookup(0, bytes(100))).isEqualTo(16);
    fails(Errno.EINVAL, () -> vector.lookup(0, null));
    fails(Errno.EINVAL, () -> vector.lookup(0, bytes(16).asReadOnly()));
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(16);
    }
    fails(Errno.EINVAL, "buffer", () -> vector.lookup(0, freed));
  }

  @Test
  @Tag("AV-225")
  void lookup2() {
    vector.insert(a(1));
    assertThat(vector.lookup(0, bytes(16), 0, null)).isEqualTo(16);
    fails(Errno.ENOSYS, "FI_XPU", () -> vector.lookup(0, bytes(16), 1L << 44, null));
    for (long unknown : new long[] {1, 1 << 3, 1L << 43, 1L << 44 | 1, -1}) {
      fails(Errno.EINVAL, () -> vector.lookup(0, bytes(16), unknown, null));
    }
    fails(Errno.EINVAL, () -> vector.lookup(0, bytes(16), 0, "consumer"));
  }

  @Test
  void everythingOfIpv6IsKept() {
    CoreAddressVector six =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR), VectorOptions.table());
    SocketAddress6 full = new SocketAddress6(0xfe80L << 48, 0x612, 7471, 0x12345, 3);
    assertThat(six.insert(full)).isZero();
    assertThat(six.lookup(0)).isEqualTo(full);
    SocketAddress6 otherFlow = new SocketAddress6(0xfe80L << 48, 0x612, 7471, 9, 3);
    SocketAddress6 otherScope = new SocketAddress6(0xfe80L << 48, 0x612, 7471, 0x12345, 4);
    assertThat(six.find(otherFlow)).as("flow does not count").isZero();
    assertThat(six.find(otherScope)).as("scope counts").isEqualTo(NA);
    MemorySegment scratch = bytes(28);
    assertThat(six.peers().socketAddress(0, scratch)).isEqualTo(28);
    assertThat(source(six, scratch)).isZero();
  }

  @Test
  void findingWhatCannotBeThere() {
    vector.insert(a(1));
    assertThat(vector.find(a(2))).isEqualTo(NA);
    assertThat(vector.find(BAD)).isEqualTo(NA);
    assertThat(vector.find(v6(1))).isEqualTo(NA);
    assertThat(vector.find(bytes(3))).isEqualTo(NA);
    assertThat(source(vector, bytes(0))).isEqualTo(NA);
    assertThat(source(vector, packed(v6(1)))).isEqualTo(NA);
    fails(Errno.EINVAL, () -> vector.find((FabricAddress) null));
    fails(Errno.EINVAL, () -> vector.find((MemorySegment) null));
  }

  @Test
  void refusalInWords() {
    assertThat(vector.refusal(packed(a(1)))).isNull();
    assertThat(vector.refusal(packed(BAD))).isNotBlank();
    assertThat(vector.refusal(packed(v6(1)))).isNotBlank();
    assertThat(vector.refusal(bytes(3))).isNotBlank();
    assertThat(vector.refusal(packed(BAD))).isNotEqualTo(vector.refusal(bytes(16)));
    vector.insert(a(1));
    assertThat(vector.refusal(packed(a(1)))).as("shared").isNull();
  }

  // ---- printing ----

  @Test
  @Tag("AV-148")
  @Tag("AV-149")
  @Tag("AV-151")
  @Tag("AV-153")
  @Tag("AV-154")
  void textOfAddresses() {
    MemorySegment address = packed(FabricAddress.parse("fi_sockaddr_in://10.31.6.1:7471"));
    assertThat(vector.toText(address)).isEqualTo("fi_sockaddr_in://10.31.6.1:7471");
    String full = "fi_sockaddr_in://10.31.6.1:7471";
    for (int capacity = 0; capacity <= 40; capacity++) {
      MemorySegment buffer = bytes(capacity + 1);
      buffer.fill((byte) 0x7F);
      MemorySegment offered = buffer.asSlice(0, capacity);
      AddressText text = vector.toText(address, offered);
      assertThat(text.length()).isEqualTo(32);
      assertThat(text.buffer()).isSameAs(offered);
      if (capacity > 0) {
        assertThat(buffer.getString(0))
            .isEqualTo(full.substring(0, Math.min(capacity - 1, full.length())));
      }
      assertThat(buffer.get(java.lang.foreign.ValueLayout.JAVA_BYTE, capacity))
          .isEqualTo((byte) 0x7F);
    }
    fails(Errno.EINVAL, () -> vector.toText(address, null));
    fails(Errno.EINVAL, () -> vector.toText(address.asSlice(0, 15)));
  }

  @Test
  @Tag("AV-148")
  void addressesWithoutText() {
    assertThat(vector.toText(null)).isNull();
    assertThat(vector.toText(null, bytes(9))).isNull();
    MemorySegment family99 = packed(a(1));
    family99.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 0, (byte) 99);
    for (AddressFormat format :
        List.of(AddressFormat.SOCKADDR_IN, AddressFormat.SOCKADDR, AddressFormat.SOCKADDR_IP)) {
      CoreAddressVector any = open(TestInfo.defaults().format(format), VectorOptions.table());
      assertThat(any.toText(family99)).as(format.name()).isNull();
      MemorySegment buffer = bytes(4);
      assertThat(any.toText(family99, buffer)).isNull();
      assertThat(buffer.mismatch(bytes(4))).as("untouched").isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = AddressFormat.class,
      names = {"UNSPECIFIED", "PSMX", "GNI", "BGQ"})
  void formatsWithoutText(AddressFormat format) {
    CoreAddressVector opaque = open(TestInfo.defaults().format(format), VectorOptions.table());
    assertThat(opaque.toText(bytes(8))).isNull();
    FabricAddress address = new ProviderAddress(format, new byte[] {1, 2, 3});
    assertThat(opaque.insert(address)).isZero();
    assertThat(opaque.lookup(0)).isEqualTo(address);
  }

  @Test
  @Tag("AV-152")
  void textWithLengthByValue() {
    CoreAddressVector candidate = open(TestInfo.defaults().version(1, 0), VectorOptions.table());
    MemorySegment buffer = bytes(40);
    assertThat(HistoricVector.of(candidate).toText(packed(a(1)), buffer, 11)).isSameAs(buffer);
    assertThat(buffer.getString(0)).isEqualTo("fi_sockadd");
    fails(Errno.EINVAL, () -> HistoricVector.of(candidate).toText(packed(a(1)), buffer, 41));
    fails(Errno.EINVAL, () -> HistoricVector.of(candidate).toText(packed(a(1)), buffer, -1));
    assertThat(HistoricVector.of(candidate).toText(null, buffer, 11)).isNull();
    fails(Errno.ENOSYS, () -> HistoricVector.of(vector).toText(packed(a(1)), buffer, 11));
  }

  // ---- user ids and keys ----

  @Test
  @Tag("AV-052")
  @Tag("AV-096")
  @Tag("AV-175")
  @Tag("AV-176")
  @Tag("AV-177")
  void idsSetLater() {
    CoreAddressVector ids =
        open(
            TestInfo.defaults().capabilities(Capability.AV_USER_ID),
            VectorOptions.table().withFlags(USER_ID));
    ids.insert(a(1));
    assertThat(reported(ids, 0)).isEqualTo(NA);
    ids.setUserId(0, new UserId(0xdead));
    assertThat(reported(ids, 0)).isEqualTo(0xdead);
    ids.setUserId(0, new UserId(0));
    assertThat(reported(ids, 0)).isZero();
    ids.remove(0);
    ids.insert(a(2));
    assertThat(reported(ids, 0)).as("a new generation").isEqualTo(NA);
    fails(Errno.EINVAL, () -> ids.setUserId(1, new UserId(7)));
    fails(Errno.EINVAL, () -> ids.setUserId(NA, new UserId(7)));
    fails(Errno.EINVAL, "id", () -> ids.setUserId(0, null));
    fails(Errno.EINVAL, () -> ids.setAuthKeyUserId(0, new UserId(7)));
    fails(
        Errno.EINVAL,
        "use setUserId",
        () -> ids.insert(List.of(a(3)), InsertOptions.none().withUserIds(5)));
    assertThat(reported(ids, 0)).isEqualTo(NA);
    vector.insert(a(1));
    fails(Errno.EINVAL, () -> vector.setUserId(0, new UserId(7)));
    assertThat(reported(vector, 0)).isZero();
    CoreAddressVector old = open(TestInfo.defaults().version(1, 19), VectorOptions.table());
    old.insert(a(1));
    fails(Errno.ENOSYS, () -> old.setUserId(0, new UserId(7)));
  }

  @Test
  @Tag("AV-001")
  @Tag("AV-155")
  @Tag("AV-156")
  void keysNeedTheirVersionAndDomain() {
    CoreAddressVector old = open(TestInfo.defaults().version(1, 15), VectorOptions.table());
    fails(Errno.ENOSYS, () -> old.insertAuthKey(new byte[4]));
    fails(Errno.ENOSYS, () -> old.lookupAuthKey(0, bytes(4)));
    fails(Errno.EINVAL, () -> vector.insertAuthKey(new byte[4]));
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).insertAuthKey(new byte[4], 1));
    fails(Errno.EINVAL, () -> vector.insertAuthKey(null));
    vector.insert(a(1));
    fails(Errno.ENOKEY, () -> vector.lookupAuthKey(0, bytes(4)));
  }

  // ---- closing ----

  @Test
  @Tag("AV-067")
  void closedVectorAnswersEveryCall() {
    vector.insert(List.of(a(1), a(2)));
    vector.close();
    vector.close();
    assertThat(vector.isOpen()).isFalse();
    List<ThrowingCallable> calls =
        List.of(
            () -> vector.insert(a(1)),
            () -> vector.insert(List.of()),
            () -> vector.insert(packed(a(1)), 1, null, null, 0, null),
            () -> vector.insert(null, 0, null, null, 0, null),
            () -> vector.insertService("10.1.1.1", "80"),
            () -> vector.insertSymmetric("10.1.1.1", 1, "80", 1),
            () -> vector.remove(0),
            () -> vector.remove(new long[0]),
            () -> vector.lookup(0),
            () -> vector.lookup(5),
            () -> vector.lookup(NA),
            () -> vector.lookup(0, bytes(16)),
            () -> vector.lookup(0, bytes(16), 0, null),
            () -> vector.find(a(1)),
            () -> vector.find(BAD),
            () -> vector.find(packed(a(1))),
            () -> vector.handleAt(0),
            () -> vector.refusal(packed(a(1))),
            () -> vector.toText(packed(a(1))),
            () -> vector.toText(packed(a(1)), bytes(9)),
            () -> HistoricVector.of(vector).toText(packed(a(1)), bytes(9), 9),
            () -> vector.setUserId(0, new UserId(1)),
            () -> vector.insertAuthKey(new byte[1]),
            () -> vector.lookupAuthKey(0, bytes(1)),
            () -> vector.find(a(1), 0),
            () -> vector.find(packed(a(1)), 0),
            () -> vector.keys().holdAll(vector),
            () -> vector.keys().hold(vector, 0),
            () -> vector.peers().keyedSocketAddress(0, bytes(28)),
            () -> vector.peers().findSource(packed(a(1)), 0, new MessageSource()),
            () -> vector.size(),
            () -> vector.statistics(),
            () -> vector.peers().socketAddress(0, bytes(28)),
            () -> vector.peers().socketAddress(NA, bytes(28)),
            () -> vector.peers().findSource(packed(a(1)), new MessageSource()));
    for (ThrowingCallable call : calls) {
      fails(Errno.EINVAL, "address vector (TABLE) is closed", call);
    }
    assertThat(vector.options().type()).isEqualTo(VectorType.TABLE);
    assertThat(vector.toString()).isEqualTo("address vector (TABLE)");
  }

  @Test
  @Tag("AV-070")
  void closeIsRefusedWhileHeld() {
    vector.insert(a(1));
    CoreAddressVector user = table();
    user.lifetime().hold(vector.lifetime());
    assertThatThrownBy(vector::close).isInstanceOf(FabricBusyException.class);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    user.close();
    vector.close();
  }

  @ParameterizedTest
  @CsvSource({"0, 0 entries", "3, 3 entries"})
  void nameInMessages(int entries, String words) {
    for (int i = 1; i <= entries; i++) {
      vector.insert(a(i));
    }
    assertThat(vector.toString()).isEqualTo("address vector (TABLE, " + words + ")");
  }
}
