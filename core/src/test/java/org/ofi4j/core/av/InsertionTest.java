// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.ints;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.reported;
import static org.ofi4j.core.av.VectorFixture.source;
import static org.ofi4j.core.av.VectorFixture.table;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.InsertionFailure;
import org.ofi4j.Profile;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

class InsertionTest {
  private static final long SYNC_ERR = InsertFlag.SYNC_ERR.mask();
  private static final long USER_ID = InsertFlag.USER_ID.mask();

  private final CoreAddressVector vector = table();

  @Test
  @Tag("AV-101")
  @Tag("AV-102")
  @Tag("AV-207")
  void everyFormReportsTheSame() {
    FabricAddress[] addresses = {a(1), BAD, a(2)};
    Insertion values = vector.insert(List.of(addresses));
    assertThat(values.result()).isEqualTo(2);
    assertThat(values.inserted()).isEqualTo(2);
    assertThat(values.requested()).isEqualTo(3);
    assertThat(values.isDone()).isTrue();
    assertThat(values.handles()).containsExactly(0, NA, 1);
    assertThat(new int[] {values.error(0), values.error(1), values.error(2)})
        .containsExactly(0, 99, 0);

    CoreAddressVector other = table();
    MemorySegment handles = longs(0x55, 0x55, 0x55);
    MemorySegment errors = MemorySegment.ofArray(new int[] {-1, -1, -1});
    assertThat(other.insert(packed(addresses), 3, handles, errors, SYNC_ERR, null)).isEqualTo(2);
    assertThat(longs(handles)).containsExactly(0, NA, 1);
    assertThat(ints(errors)).containsExactly(0, 99, 0);
    assertThat(contents(other, 2)).isEqualTo(contents(vector, 2));
  }

  @Test
  @DisplayName("A2: every kind of bad address is named with its own reason")
  void reasonsInWords() {
    Insertion insertion =
        vector.insert(
            List.of(
                a(1),
                new SocketAddress4(0, 80),
                new SocketAddress4(0x7F00_0001, 0),
                v6(1),
                new TextAddress("fi_sockaddr_in://10.1.1.1:80")));
    List<InsertionFailure> failures = insertion.failures();
    assertThat(failures).extracting(InsertionFailure::position).containsExactly(1, 2, 3, 4);
    assertThat(failures)
        .extracting(InsertionFailure::errno)
        .containsExactly(Errno.EADDRNOTAVAIL, Errno.EADDRNOTAVAIL, Errno.EINVAL, Errno.EINVAL);
    assertThat(failures).extracting(InsertionFailure::reason).doesNotHaveDuplicates();
    assertThat(failures.get(1).toString()).contains("address 2", "127.0.0.1:0", "port");
    fails(Errno.EADDRNOTAVAIL, "4 of 5", insertion::orThrow);
    fails(
        Errno.EADDRNOTAVAIL, "127.0.0.1:0", () -> vector.insert(new SocketAddress4(0x7F000001, 0)));
    fails(Errno.EINVAL, "2001:db8", () -> vector.insert(v6(1)));
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @Tag("AV-077")
  @DisplayName("B6: a wrong family changes nothing for the others, before or after")
  void wrongFamilyFailsAlone() {
    CoreAddressVector six =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR_IN6), VectorOptions.table());
    assertThat(six.insert(v6(1))).isZero();
    assertThat(six.insert(List.of(a(1))).handles()).containsExactly(NA);
    byte[] family99 = v6(2).toBytes();
    family99[0] = 99;
    MemorySegment errors = MemorySegment.ofArray(new int[1]);
    assertThat(six.insert(MemorySegment.ofArray(family99), 1, null, errors, SYNC_ERR, null))
        .isZero();
    assertThat(ints(errors)).containsExactly(22);
    assertThat(six.insert(v6(3))).isEqualTo(1);
    assertThat(contents(six, 2)).containsExactly(v6(1), v6(3));
    assertThat(six.lookup(0, MemorySegment.ofArray(new byte[64]))).isEqualTo(28);
  }

  @ParameterizedTest
  @EnumSource(
      value = AddressFormat.class,
      names = {"SOCKADDR", "SOCKADDR_IP"})
  @Tag("AV-224")
  void mixedFamiliesPackedByTheirOwnLength(AddressFormat format) {
    CoreAddressVector mixed = open(TestInfo.defaults().format(format), VectorOptions.table());
    MemorySegment handles = longs(0, 0, 0, 0);
    MemorySegment all = packed(a(1), v6(1), BAD, v6(2));
    assertThat(mixed.insert(all, 4, handles, null, 0, null)).isEqualTo(3);
    assertThat(longs(handles)).containsExactly(0, 1, NA, 2);
    assertThat(contents(mixed, 3)).containsExactly(a(1), v6(1), v6(2));
    // One byte short of the last element.
    fails(
        Errno.EINVAL,
        () -> mixed.insert(all.asSlice(0, all.byteSize() - 1), 4, handles, null, 0, null));
    assertThat(mixed.size()).isEqualTo(3);
  }

  @Test
  @Tag("AV-077")
  void whatFollowsAnUnknownFamilyIsNeverTakenForAnAddress() {
    CoreAddressVector mixed =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR), VectorOptions.table());
    byte[] unknown = a(9).toBytes();
    unknown[0] = 99;
    MemorySegment all = packed(a(1), a(9), a(2)).asSlice(0).copyFrom(packed(a(1)));
    MemorySegment.copy(MemorySegment.ofArray(unknown), 0, all, 16, 16);
    MemorySegment handles = longs(5, 5, 5);
    MemorySegment errors = MemorySegment.ofArray(new int[3]);
    assertThat(mixed.insert(all, 3, handles, errors, SYNC_ERR, null)).isEqualTo(1);
    assertThat(longs(handles)).containsExactly(0, NA, NA);
    assertThat(ints(errors)).containsExactly(0, 22, 22);
  }

  @Test
  @Tag("AV-078")
  void textKeepsItsSpellingAndCountsAsWhatItSpells() {
    CoreAddressVector texts =
        open(TestInfo.defaults().format(AddressFormat.STR), VectorOptions.table());
    TextAddress first = new TextAddress("FI_SOCKADDR_IN://10.31.6.1:7471?qos=3");
    TextAddress same = new TextAddress("fi_sockaddr_in://10.31.6.1:7471");
    assertThat(texts.insert(List.of(first, new TextAddress("nonsense"), same)).handles())
        .containsExactly(0, NA, 0);
    assertThat(texts.lookup(0)).isEqualTo(first);
    assertThat(texts.find(same)).isZero();
    MemorySegment buffer = MemorySegment.ofArray(new byte[100]);
    assertThat(texts.lookup(0, buffer)).isEqualTo(first.text().length() + 1);
    assertThat(buffer.getString(0)).isEqualTo(first.text());
    // Packed: one text behind the other, each ended by a zero byte.
    MemorySegment handles = longs(5, 5);
    assertThat(
            texts.insert(
                packed(new TextAddress("fi_sockaddr_in://10.31.6.2:1"), same),
                2,
                handles,
                null,
                0,
                null))
        .isEqualTo(2);
    assertThat(longs(handles)).containsExactly(1, 0);
    // For transfers text is the socket address that it spells.
    MemorySegment scratch = MemorySegment.ofArray(new byte[28]);
    assertThat(texts.peers().socketAddress(0, scratch)).isEqualTo(16);
    assertThat(source(texts, scratch)).isZero();
  }

  @Test
  @Tag("AV-075")
  @Tag("AV-076")
  @DisplayName("B23: count 0 looks at nothing; arguments that are wrong as a whole change nothing")
  void wrongAsAWhole() {
    MemorySegment one = packed(a(1));
    assertThat(vector.insert(MemorySegment.ofArray(new byte[1]), 0, null, null, 0, null)).isZero();
    assertThat(vector.insert(null, 0, null, null, 0, null)).isZero();
    fails(Errno.EINVAL, () -> vector.insert(null, 1, null, null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(one, -1, null, null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(one, 2, null, null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(one, Integer.MAX_VALUE, null, null, 0, null));
    fails(
        Errno.EINVAL,
        () -> vector.insert(one, 1, MemorySegment.ofArray(new byte[7]), null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(one, 1, longs(0).asReadOnly(), null, 0, null));
    fails(Errno.EINVAL, () -> vector.insert(one, 1, null, null, SYNC_ERR, null));
    fails(
        Errno.EINVAL,
        () -> vector.insert(one, 1, null, MemorySegment.ofArray(new byte[3]), SYNC_ERR, null));
    fails(Errno.EBADFLAGS, () -> vector.insert(one, 1, null, null, 1 << 3, null));
    byte[] shared = new byte[32];
    MemorySegment.copy(one, 0, MemorySegment.ofArray(shared), 0, 16);
    MemorySegment both = MemorySegment.ofArray(shared);
    fails(Errno.EINVAL, "overwrite", () -> vector.insert(both, 1, both.asSlice(8), null, 0, null));
    fails(
        Errno.EINVAL,
        "overwrite",
        () -> vector.insert(one, 1, both, both.asSlice(4), SYNC_ERR, null));
    fails(Errno.EINVAL, () -> vector.insert((FabricAddress) null));
    fails(Errno.EINVAL, () -> vector.insert((List<FabricAddress>) null));
    fails(Errno.EINVAL, () -> vector.insert(Arrays.asList(a(1), null)));
    fails(Errno.EINVAL, () -> vector.insert(List.of(a(1)), null));
    fails(Errno.EINVAL, () -> vector.insert(List.of(a(1)), InsertOptions.of(0, new long[1])));
    assertThat(vector.size()).isZero();
  }

  @Test
  @Tag("AV-088")
  @DisplayName("Addresses, handles and errors may lie side by side in one block")
  void oneBlockForEverything() {
    MemorySegment block = MemorySegment.ofArray(new byte[56]);
    block.copyFrom(packed(a(1), a(2)));
    MemorySegment handles = block.asSlice(32, 16);
    MemorySegment errors = block.asSlice(48, 8);
    assertThat(vector.insert(block, 2, handles, errors, SYNC_ERR, null)).isEqualTo(2);
    assertThat(longs(handles)).containsExactly(0, 1);
    assertThat(contents(vector, 2)).containsExactly(a(1), a(2));
    // An array longer than the count reaches into what follows it.
    assertThat(vector.insert(packed(a(3)), 1, block, block.asSlice(8), SYNC_ERR, null)).isOne();
    fails(
        Errno.EINVAL,
        "overwrite",
        () -> vector.insert(packed(a(3)), 1, block, block.asSlice(7), SYNC_ERR, null));
    CoreAddressVector texts =
        open(TestInfo.defaults().format(AddressFormat.STR), VectorOptions.table());
    byte[] text = new byte[100];
    byte[] spelling = "fi_sockaddr_in://10.1.1.1:5000\0".getBytes(StandardCharsets.UTF_8);
    System.arraycopy(spelling, 0, text, 0, spelling.length);
    MemorySegment spelled = MemorySegment.ofArray(text);
    fails(
        Errno.EINVAL,
        "overwrite",
        () -> texts.insert(spelled, 1, spelled.asSlice(spelling.length - 1), null, 0, null));
    assertThat(texts.insert(spelled, 1, spelled.asSlice(spelling.length), null, 0, null)).isOne();
  }

  @Test
  @Tag("AV-010")
  @DisplayName("D-05: null arrays and null flags are refused like every other null")
  @SuppressWarnings("NullAway")
  void nullArrays() {
    vector.insert(a(1));
    fails(Errno.EINVAL, "handles is null", () -> vector.remove((long[]) null));
    fails(Errno.EINVAL, "flags is null", () -> InsertOptions.of((InsertFlag[]) null));
    fails(Errno.EINVAL, () -> InsertOptions.of(InsertFlag.MORE, null));
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("Memory that this thread cannot use is refused before anything is inserted")
  void unusableMemory() throws InterruptedException {
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(16);
    }
    fails(Errno.EINVAL, "closed", () -> vector.insert(freed, 1, null, null, 0, null));
    fails(Errno.EINVAL, "closed", () -> vector.insert(packed(a(1)), 1, freed, null, 0, null));
    Arena[] others = new Arena[1];
    MemorySegment[] theirs = new MemorySegment[1];
    Thread owner =
        Thread.ofPlatform()
            .start(() -> {
              others[0] = Arena.ofConfined();
              theirs[0] = others[0].allocate(16);
            });
    owner.join();
    fails(Errno.EINVAL, "confined", () -> vector.insert(theirs[0], 1, null, null, 0, null));
    fails(Errno.EINVAL, "confined", () -> vector.insert(packed(a(1)), 1, theirs[0], null, 0, null));
    fails(Errno.EINVAL, "confined", () -> vector.remove(theirs[0], 1, 0));
    assertThat(vector.size()).isZero();
    vector.insert(a(1));
    fails(Errno.EINVAL, "confined", () -> vector.lookup(0, theirs[0]));
  }

  @Test
  void callersArraysOfAnyKindServe() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment addresses = arena.allocate(33, 1).asSlice(1); // not aligned
      addresses.copyFrom(packed(a(1), a(2)));
      MemorySegment handles = MemorySegment.ofArray(new byte[17]).asSlice(1);
      assertThat(vector.insert(addresses, 2, handles, null, 0, null)).isEqualTo(2);
      assertThat(longs(handles)).containsExactly(0, 1);
    }
  }

  @Test
  @Tag("AV-178")
  @DisplayName("D-15: SHARE counts, NEW_INDEX adds, REJECT refuses; each by attribute")
  void duplicatePolicies() {
    CoreAddressVector share = open(TestInfo.defaults(), policy(DuplicatePolicy.SHARE));
    assertThat(share.insert(List.of(a(1), a(1), a(2), a(1))).handles()).containsExactly(0, 0, 1, 0);
    share.remove(0);
    share.remove(0);
    assertThat(share.lookup(0)).isEqualTo(a(1));
    share.remove(0);
    fails(Errno.EINVAL, () -> share.remove(0));
    fails(Errno.EINVAL, () -> share.lookup(0));

    CoreAddressVector fresh = open(TestInfo.defaults(), policy(DuplicatePolicy.NEW_INDEX));
    assertThat(fresh.insert(List.of(a(1), a(1), a(2), a(1))).handles()).containsExactly(0, 1, 2, 3);
    assertThat(fresh.find(a(1))).isZero();
    fresh.remove(0);
    assertThat(fresh.find(a(1))).isEqualTo(1);

    CoreAddressVector reject = open(TestInfo.defaults(), policy(DuplicatePolicy.REJECT));
    Insertion insertion = reject.insert(List.of(a(1), a(1), a(2)));
    assertThat(insertion.handles()).containsExactly(0, NA, 1);
    assertThat(insertion.error(1)).isEqualTo(114);
    assertThat(insertion.failures().getFirst().reason()).contains("already", "REJECT");
    fails(Errno.EALREADY, "already", () -> reject.insert(a(1)));
    assertThat(reject.refusal(packed(a(1)))).contains("already", "handle 0x0");
    assertThat(reject.refusal(packed(a(3)))).isNull();
  }

  private static VectorOptions policy(DuplicatePolicy policy) {
    return VectorOptions.table().withDuplicates(policy);
  }

  @Test
  @DisplayName("B31: sin_zero makes no second peer")
  void paddingDoesNotCount() {
    byte[] dirty = a(1).toBytes();
    dirty[15] = 7;
    vector.insert(a(1));
    MemorySegment handles = longs(9);
    assertThat(vector.insert(MemorySegment.ofArray(dirty), 1, handles, null, 0, null)).isEqualTo(1);
    assertThat(longs(handles)).containsExactly(0);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @Tag("AV-083")
  @DisplayName("Lowest unused index, address by address; the candidate only appends")
  void lowestUnusedIndex() {
    vector.insert(List.of(a(0x10), a(0x11), a(0x12), a(0x13), a(0x14)));
    vector.remove(new long[] {3, 1});
    assertThat(vector.insert(List.of(a(0x20), BAD, a(0x21), a(0x22))).handles())
        .containsExactly(1, NA, 3, 5);
    CoreAddressVector candidate = open(TestInfo.defaults().version(1, 0), VectorOptions.table());
    candidate.insert(List.of(a(0x10), a(0x11), a(0x12), a(0x13), a(0x14)));
    candidate.remove(new long[] {3, 1});
    assertThat(candidate.insert(List.of(a(0x20), a(0x21), a(0x22))).handles())
        .containsExactly(5, 6, 7);
  }

  @Test
  @Tag("AV-079")
  void noAddressMeansAnyInTheCandidateOnly() {
    CoreAddressVector candidate = open(TestInfo.defaults().version(1, 0), VectorOptions.table());
    MemorySegment handles = longs(9);
    assertThat(candidate.insert(null, 1, handles, null, 0, null)).isEqualTo(1);
    assertThat(longs(handles)).containsExactly(0);
    assertThat(candidate.lookup(0)).isEqualTo(BAD);
    assertThat(candidate.insert(a(1))).isEqualTo(1);
    fails(Errno.EADDRNOTAVAIL, () -> candidate.insert(BAD));
    assertThat(candidate.insert((FabricAddress) null)).isEqualTo(2);
    assertThat(candidate.insert(Arrays.asList(a(2), null, a(3), null)).orThrow().handles())
        .containsExactly(3, 4, 5, 6);
    for (int any : new int[] {2, 4, 6}) {
      assertThat(candidate.lookup(any)).isEqualTo(BAD);
    }
    CoreAddressVector six =
        open(
            TestInfo.defaults().version(1, 0).format(AddressFormat.SOCKADDR_IN6),
            VectorOptions.table());
    six.insert(null, 1, null, null, 0, null);
    assertThat(six.lookup(0).toString()).isEqualTo("fi_sockaddr_in6://[::]:0");
    assertThat(six.find(six.lookup(0))).isZero();
    CoreAddressVector release =
        open(TestInfo.defaults().version(1, 0).profile(Profile.RELEASE_1_0), VectorOptions.table());
    fails(Errno.EINVAL, () -> release.insert(null, 1, null, null, 0, null));
    fails(Errno.EINVAL, () -> release.insert((FabricAddress) null));
    fails(Errno.EINVAL, "address 1 is null", () -> release.insert(Arrays.asList(a(2), null)));
  }

  @Test
  @Tag("AV-079")
  @DisplayName("An entry for any address is found by it, and may be given it again")
  void anyAddressIsFound() {
    CoreAddressVector candidate = open(TestInfo.defaults().version(1, 0), VectorOptions.table());
    assertThat(candidate.find(BAD)).isEqualTo(NA);
    candidate.insert(a(1));
    candidate.insert((FabricAddress) null);
    assertThat(candidate.find(BAD)).isOne();
    assertThat(candidate.find(packed(BAD))).isOne();
    assertThat(candidate.find(new SocketAddress4(0, 5000))).isEqualTo(NA);
    candidate.replace(1, BAD);
    assertThat(candidate.lookup(1)).isEqualTo(BAD);
    fails(Errno.EADDRNOTAVAIL, () -> candidate.replace(0, BAD));
    candidate.replace(1, a(2));
    assertThat(candidate.find(BAD)).isEqualTo(NA);
  }

  @Test
  @Tag("AV-029")
  @Tag("AV-104")
  @Tag("AV-190")
  void idsAtInsertion() {
    fails(
        Errno.ENOSYS,
        "FI_AV_USER_ID",
        () -> vector.insert(packed(a(1)), 1, longs(7), null, USER_ID, null));
    fails(Errno.EINVAL, () -> vector.insert(packed(a(1)), 1, null, null, USER_ID, null));
    fails(
        Errno.EINVAL,
        () -> vector.insert(packed(a(1)), 1, null, null, InsertFlag.AUTH_KEY.mask(), null));
    fails(
        Errno.EINVAL,
        () -> vector.insert(packed(a(1)), 1, longs(7), null, InsertFlag.AUTH_KEY.mask(), null));
    CoreAddressVector old =
        open(
            TestInfo.defaults().version(1, 15).capabilities(Capability.AV_USER_ID),
            VectorOptions.table());
    fails(Errno.EBADFLAGS, () -> old.insert(packed(a(1)), 1, longs(7), null, USER_ID, null));

    CoreAddressVector ids =
        open(TestInfo.defaults().capabilities(Capability.AV_USER_ID), VectorOptions.table());
    MemorySegment handles = longs(0xabc, 0x55, -1, 0xdef);
    assertThat(ids.insert(packed(a(1), BAD, a(2), a(1)), 4, handles, null, USER_ID, null))
        .isEqualTo(3);
    assertThat(longs(handles)).containsExactly(0, NA, 1, 0);
    assertThat(reported(ids, 0)).as("the last id wins").isEqualTo(0xdef);
    assertThat(reported(ids, 1)).as("any value is an id").isEqualTo(-1);
    assertThat(ids.insert(a(3))).isEqualTo(2);
    assertThat(reported(ids, 2)).isEqualTo(2);
    Insertion values = ids.insert(List.of(a(4)), InsertOptions.none().withUserIds(0));
    assertThat(values.handles()).containsExactly(3);
    assertThat(reported(ids, 3)).isZero();
    fails(Errno.EINVAL, () -> ids.insert(List.of(a(5), a(6)), InsertOptions.none().withUserIds(1)));
    fails(
        Errno.EINVAL,
        "3 values for 2 addresses",
        () -> ids.insert(List.of(a(5), a(6)), InsertOptions.none().withUserIds(1, 2, 3)));
    fails(Errno.EINVAL, () -> ids.insert(List.of(a(5)), InsertOptions.of(InsertFlag.USER_ID)));
    ids.remove(0);
    assertThat(reported(ids, 0)).as("a share is left").isEqualTo(0xdef);
    ids.remove(0);
    assertThat(reported(ids, 0)).isEqualTo(NA);
    assertThat(ids.insert(a(9))).isZero();
    assertThat(reported(ids, 0)).as("D-40: a new generation").isZero();
  }

  @Test
  @Tag("AV-222")
  void firewallMarkLivesWithTheEntry() {
    vector.insert(packed(a(1)), 1, null, null, InsertFlag.FIREWALL_ADDRESS.mask(), null);
    vector.insert(a(2));
    assertThat(vector.peers().isFirewalled(0)).isTrue();
    assertThat(vector.peers().isFirewalled(1)).isFalse();
    vector.remove(0);
    vector.insert(a(3));
    assertThat(vector.peers().isFirewalled(0)).isFalse();
    CoreAddressVector older = open(TestInfo.defaults().version(2, 1), VectorOptions.table());
    fails(
        Errno.EBADFLAGS,
        () -> older.insert(packed(a(1)), 1, null, null, InsertFlag.FIREWALL_ADDRESS.mask(), null));
  }

  @Test
  @Tag("AV-065")
  @DisplayName("Memory that runs out ends the call: 12 once, 125 for the rest, all before stays")
  void memoryRunsOut() {
    LimitedVector limited = LimitedVector.open(VectorOptions.table());
    CoreAddressVector full = limited.vector();
    full.insert(a(0));
    limited.memory().limit(limited.memory().held());
    List<FabricAddress> many = new ArrayList<>();
    for (int i = 1; i < 200_000; i++) {
      // Far from each other: what follows the one before takes no memory.
      many.add(a(Integer.reverse(i) >>> 8));
    }
    Insertion insertion = full.insert(many);
    int inserted = insertion.inserted();
    assertThat(inserted).isLessThan(many.size());
    assertThat(insertion.error(inserted)).isEqualTo(12);
    assertThat(insertion.handle(inserted)).isEqualTo(NA);
    for (int i = inserted + 1; i < many.size(); i++) {
      assertThat(insertion.error(i)).isEqualTo(125);
    }
    assertThat(full.size()).isEqualTo(inserted + 1L);
    assertThat(full.lookup(inserted)).isEqualTo(many.get(inserted - 1));
    assertThat(insertion.failures().getFirst().reason()).contains("memory");
    limited.memory().limit(Long.MAX_VALUE);
    assertThat(full.insert(many.get(inserted))).isEqualTo(inserted + 1L);
  }

  @Test
  @Tag("AV-027")
  @DisplayName(
      "B30: without a hint, across all forms, 65,537 entries and one index after the other")
  void numberingContinues() {
    int count = 65_537;
    MemorySegment addresses = MemorySegment.ofArray(new byte[16 * count]);
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(packed(a(i + 1)), 0, addresses, 16L * i, 16);
    }
    MemorySegment handles = MemorySegment.ofArray(new long[count]);
    assertThat(vector.insert(addresses, count, handles, null, 0, null)).isEqualTo(count);
    long[] all = longs(handles);
    for (int i = 0; i < count; i++) {
      assertThat(all[i]).isEqualTo(i);
    }
    assertThat(vector.insert(a(count + 1))).isEqualTo(count);
    assertThat(vector.insertService("10.200.1.1", "80")).isEqualTo(count + 1);
    assertThat(vector.insertSymmetric("10.200.1.2", 2, "80", 1).handles())
        .containsExactly(count + 2, count + 3);
    assertThat(vector.lookup(count - 1)).isEqualTo(a(count));
    assertThat(vector.statistics().capacity()).isGreaterThanOrEqualTo(vector.size());
    assertThat(vector.statistics().highWaterMark()).isEqualTo(count + 4);
    assertThat(vector.statistics().memory().live()).isPositive();
  }
}
