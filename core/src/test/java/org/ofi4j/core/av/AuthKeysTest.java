// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.uri;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.RemoveFlag;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.slot.PassingKey;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/** Authorization keys in the vector, and addresses under them. */
class AuthKeysTest {
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final int MOST = 4;

  private final CoreAddressVector vector = open(keyed(), VectorOptions.table());

  private static TestInfo keyed() {
    return TestInfo.defaults().keysInVector(MOST).capabilities(Capability.AV_USER_ID);
  }

  private static byte[] key(int seed) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (seed * 37 + i * 11);
    }
    return key;
  }

  private static long under(AddressVector vector, FabricAddress address, long key) {
    return vector
        .insert(List.of(address), InsertOptions.none().withAuthKeys(key))
        .orThrow()
        .handle(0);
  }

  // ---- keys ----

  @Test
  @Tag("AV-155")
  @Tag("AV-171")
  @Tag("AV-173")
  @Tag("AV-184")
  void keysGetHandlesOfTheirOwn() {
    long one = vector.insertAuthKey(key(1));
    long two = vector.insertAuthKey(key(2));
    assertThat(one).isEqualTo(Handles.AUTH_KEY_BIT);
    assertThat(two).isEqualTo(Handles.AUTH_KEY_BIT + 1);
    assertThat(vector.lookupAuthKey(one)).isEqualTo(key(1));
    assertThat(vector.lookupAuthKey(two)).isEqualTo(key(2));
    assertThat(vector.size()).isZero();
    assertThat(vector.insert(a(1))).isZero();
  }

  @Test
  @Tag("AV-155")
  void theVectorKeepsACopy() {
    byte[] mine = key(1);
    long handle = vector.insertAuthKey(mine);
    Arrays.fill(mine, (byte) 0);
    assertThat(vector.lookupAuthKey(handle)).isEqualTo(key(1));
    Arrays.fill(vector.lookupAuthKey(handle), (byte) 0);
    assertThat(vector.lookupAuthKey(handle)).isEqualTo(key(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 31, 33, 64})
  @Tag("AV-160")
  @Tag("AV-161")
  void keysHaveOneSize(int size) {
    fails(Errno.EINVAL, size + " bytes", () -> vector.insertAuthKey(new byte[size]));
  }

  @Test
  @Tag("AV-170")
  @Tag("AV-160")
  void keysTakeNoFlags() {
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).insertAuthKey(key(1), 1));
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).insertAuthKey(key(1), AUTH_KEY));
    fails(Errno.EINVAL, () -> vector.insertAuthKey(null));
  }

  @Test
  @Tag("AV-174")
  void shortBuffersGetTheBeginning() {
    long handle = vector.insertAuthKey(key(1));
    byte[] two = new byte[2];
    assertThat(vector.lookupAuthKey(handle, MemorySegment.ofArray(two))).isEqualTo(32);
    assertThat(two).isEqualTo(Arrays.copyOf(key(1), 2));
    byte[] more = new byte[40];
    assertThat(vector.lookupAuthKey(handle, MemorySegment.ofArray(more))).isEqualTo(32);
    assertThat(more).isEqualTo(Arrays.copyOf(key(1), 40));
    assertThat(vector.lookupAuthKey(handle, MemorySegment.ofArray(new byte[0]))).isEqualTo(32);
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(handle, null));
    MemorySegment readOnly = MemorySegment.ofArray(new byte[32]).asReadOnly();
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(handle, readOnly));
  }

  @Test
  @Tag("AV-171")
  void whatIsNoKeyHasNoBytes() {
    vector.insert(a(1));
    long key = vector.insertAuthKey(key(1));
    fails(Errno.ENOKEY, () -> vector.lookupAuthKey(0));
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(1));
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(key + 1));
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(NA));
  }

  @Test
  void theSameKeyKeepsItsHandle() {
    long handle = vector.insertAuthKey(key(1));
    assertThat(vector.insertAuthKey(key(1))).isEqualTo(handle);
    vector.removeAuthKey(handle);
    assertThat(vector.lookupAuthKey(handle)).isEqualTo(key(1));
    vector.removeAuthKey(handle);
    fails(Errno.EINVAL, "or has been removed", () -> vector.lookupAuthKey(handle));
    fails(Errno.EINVAL, "or has been removed", () -> vector.removeAuthKey(handle));
  }

  @Test
  @DisplayName("Calls about entries say that the handle of a key, live or removed, names none")
  void keysAreNoEntries() {
    long handle = vector.insertAuthKey(key(1));
    String words = "is that of an authorization key and names no entry";
    fails(Errno.EINVAL, words, () -> vector.userId(handle));
    fails(Errno.EINVAL, words, () -> vector.lookup(handle));
    vector.removeAuthKey(handle);
    fails(Errno.EINVAL, words, () -> vector.userId(handle));
    fails(Errno.EINVAL, words, () -> vector.remove(handle));
  }

  @Test
  void thereAreNoMoreThanTheDomainAllows() {
    for (int i = 0; i < MOST; i++) {
      vector.insertAuthKey(key(i));
    }
    fails(Errno.ENOSPC, "max_ep_auth_key", () -> vector.insertAuthKey(key(MOST)));
    assertThat(vector.insertAuthKey(key(2))).isEqualTo(Handles.AUTH_KEY_BIT + 2);
    vector.removeAuthKey(Handles.AUTH_KEY_BIT + 1);
    assertThat(vector.insertAuthKey(key(MOST))).isEqualTo(Handles.AUTH_KEY_BIT + 1);
    assertThat(vector.lookupAuthKey(Handles.AUTH_KEY_BIT + 1)).isEqualTo(key(MOST));
  }

  @Test
  @Tag("AV-156")
  void keysNeedADomainForThem() {
    CoreAddressVector plain = VectorFixture.table();
    fails(Errno.EINVAL, "FI_AV_AUTH_KEY", () -> plain.insertAuthKey(key(1)));
    plain.insert(a(1));
    fails(Errno.EINVAL, () -> under(plain, a(2), Handles.AUTH_KEY_BIT));
    fails(
        Errno.EINVAL,
        () -> plain.remove(longs(Handles.AUTH_KEY_BIT), 1, RemoveFlag.AUTH_KEY.mask()));
    fails(Errno.EINVAL, () -> plain.find(a(1), Handles.AUTH_KEY_BIT));
    CoreAddressVector old = open(keyed().version(1, 19), VectorOptions.table());
    fails(Errno.ENOSYS, () -> old.insertAuthKey(key(1)));
    fails(Errno.EBADFLAGS, () -> under(old, a(2), Handles.AUTH_KEY_BIT));
  }

  // ---- addresses under keys ----

  static Stream<Arguments> formats() {
    return Stream.of(
        Arguments.of(AddressFormat.SOCKADDR_IN, a(1), a(2)),
        Arguments.of(AddressFormat.SOCKADDR_IN6, v6(1), v6(2)),
        Arguments.of(
            AddressFormat.SOCKADDR_IN6,
            new FabricAddress.SocketAddress6(0xFE80L << 48, 1, 5000, 77, 3),
            new FabricAddress.SocketAddress6(0xFE80L << 48, 1, 5000, 77, 4)),
        Arguments.of(AddressFormat.SOCKADDR, a(1), v6(1)),
        Arguments.of(
            AddressFormat.STR,
            new FabricAddress.TextAddress("FI_sockaddr_in://10.1.1.1:5000"),
            new FabricAddress.TextAddress("fi_sockaddr_in6://[2001:db8::1]:5000")),
        Arguments.of(
            AddressFormat.SOCKADDR_IB,
            uri("fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5:7471"),
            uri("fi_sockaddr_ib://[fe80::2:c903:1:3]:0x8001:0x13f:0x5:7471")),
        Arguments.of(
            AddressFormat.UCX,
            new ProviderAddress(AddressFormat.UCX, HexFormat.of().parseHex("0102030405")),
            new ProviderAddress(AddressFormat.UCX, new byte[4096])));
  }

  @ParameterizedTest
  @MethodSource("formats")
  @Tag("AV-091")
  @Tag("AV-092")
  @Tag("AV-094")
  @Tag("AV-107")
  @Tag("AV-167")
  @Tag("AV-172")
  void anAddressUnderTwoKeysHasTwoHandles(
      AddressFormat format, FabricAddress address, FabricAddress other) {
    CoreAddressVector any = open(keyed().format(format), VectorOptions.table());
    long k1 = any.insertAuthKey(key(1));
    long k2 = any.insertAuthKey(key(2));
    long alone = any.insert(List.of(address)).orThrow().handle(0);
    long h1 = under(any, address, k1);
    long h2 = under(any, address, k2);
    long further = under(any, other, k2);
    assertThat(new long[] {alone, h1, h2, further}).containsExactly(0, 1, 2, 3);
    for (long handle : new long[] {alone, h1, h2}) {
      assertThat(any.lookup(handle)).isEqualTo(address);
    }
    assertThat(any.lookup(further)).isEqualTo(other);
    byte[] bytes = new byte[address.toBytes().length];
    assertThat(any.lookup(h2, MemorySegment.ofArray(bytes))).isEqualTo(bytes.length);
    assertThat(bytes).isEqualTo(address.toBytes());
    fails(Errno.ENOKEY, () -> any.lookupAuthKey(alone));
    assertThat(any.lookupAuthKey(h1)).isEqualTo(key(1));
    assertThat(any.lookupAuthKey(h2)).isEqualTo(key(2));
    assertThat(any.find(address)).isEqualTo(alone);
    assertThat(any.find(address, k1)).isEqualTo(h1);
    assertThat(any.find(packed(address), k2)).isEqualTo(h2);
    assertThat(any.find(other)).isEqualTo(NA);
    assertThat(any.find(other, k1)).isEqualTo(NA);
    assertThat(any.find(other, k2)).isEqualTo(further);
    any.remove(h1);
    assertThat(any.find(address, k1)).isEqualTo(NA);
    assertThat(any.find(address)).isEqualTo(alone);
    assertThat(any.find(address, k2)).isEqualTo(h2);
    assertThat(under(any, address, k1)).isEqualTo(h1);
  }

  @ParameterizedTest
  @CsvSource({"SHARE", "NEW_INDEX", "REJECT"})
  @Tag("AV-178")
  void duplicatesAreThoseUnderTheSameKey(DuplicatePolicy policy) {
    CoreAddressVector any = open(keyed(), VectorOptions.table().withDuplicates(policy));
    long k1 = any.insertAuthKey(key(1));
    long k2 = any.insertAuthKey(key(2));
    under(any, a(1), k1);
    under(any, a(1), k2);
    Insertion again = any.insert(List.of(a(1), a(1)), InsertOptions.none().withAuthKeys(k2, k1));
    switch (policy) {
      case SHARE -> {
        assertThat(again.handles()).containsExactly(1, 0);
        any.remove(1);
        assertThat(any.find(a(1), k2)).isEqualTo(1);
        any.remove(1);
        any.removeAuthKey(k2);
        any.removeAuthKey(k1);
        fails(Errno.ENOKEY, () -> any.lookupAuthKey(0));
      }
      case NEW_INDEX -> {
        assertThat(again.handles()).containsExactly(2, 3);
        assertThat(any.find(a(1), k1)).isZero();
        any.remove(new long[] {0, 1});
        assertThat(any.find(a(1), k1)).isEqualTo(3);
        assertThat(any.find(a(1), k2)).isEqualTo(2);
        any.removeAuthKey(k2);
        fails(Errno.ENOKEY, () -> any.lookupAuthKey(2));
        any.remove(2);
      }
      default -> {
        assertThat(again.handles()).containsExactly(NA, NA);
        assertThat(again.error(1)).isEqualTo(Errno.EALREADY.number());
        assertThat(any.insert(a(1))).isEqualTo(2);
      }
    }
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-102")
  @Tag("AV-207")
  @DisplayName("D-48: an element that names no key costs its own address and no other")
  void whatIsNoKeyFailsAlone() {
    long k = vector.insertAuthKey(key(1));
    long entry = vector.insert(a(9));
    long flags = AUTH_KEY | InsertFlag.SYNC_ERR.mask();
    for (long wrong : new long[] {entry, k + 1, NA, 0x7FFF_FFFFL, k | 1L << 40}) {
      MemorySegment handles = longs(k, wrong, k);
      MemorySegment errors = MemorySegment.ofArray(new int[3]);
      assertThat(vector.insert(packed(a(1), a(2), a(3)), 3, handles, errors, flags, null))
          .isEqualTo(2);
      assertThat(longs(handles)).containsExactly(1, NA, 2);
      assertThat(errors.getAtIndex(ValueLayout.JAVA_INT, 1)).isEqualTo(Errno.EINVAL.number());
      vector.remove(longs(1, 2), 2, 0);
      Insertion values =
          vector.insert(
              List.of(a(1), BAD, a(3)), InsertOptions.none().withAuthKeys(wrong, wrong, k));
      assertThat(values.handles()).containsExactly(NA, NA, 1);
      assertThat(values.failures().getFirst().reason()).contains("no authorization key");
      assertThat(values.failures().getLast().errno()).isEqualTo(Errno.EADDRNOTAVAIL);
      vector.remove(1);
      Insertion range =
          vector.insertSymmetric(
              "10.3.1.1", 1, "5", 3, InsertOptions.none().withAuthKeys(wrong, k, k));
      assertThat(range.handles()).containsExactly(NA, 1, 2);
      vector.remove(longs(1, 2), 2, 0);
    }
    vector.removeAuthKey(k);
  }

  @Test
  @Tag("AV-029")
  void keysComeForEachAddress() {
    long k = vector.insertAuthKey(key(1));
    fails(Errno.EINVAL, () -> vector.insert(packed(a(1)), 1, null, null, AUTH_KEY, null));
    fails(Errno.EINVAL, () -> vector.insert(List.of(a(1)), InsertOptions.of(InsertFlag.AUTH_KEY)));
    fails(
        Errno.EINVAL,
        () -> vector.insert(List.of(a(1), a(2)), InsertOptions.none().withAuthKeys(k)));
    fails(Errno.EINVAL, () -> vector.insertService("10.1.1.1", "80", null, null, AUTH_KEY, null));
    assertThat(vector.insert(packed(), 0, longs(), null, AUTH_KEY, null)).isZero();
  }

  @Test
  @Tag("AV-052")
  @Tag("AV-105")
  void idsDoNotComeWithAddresses() {
    long k = vector.insertAuthKey(key(1));
    long userId = InsertFlag.USER_ID.mask();
    fails(Errno.EINVAL, () -> vector.insert(packed(a(1)), 1, longs(5), null, userId, null));
    fails(
        Errno.EINVAL,
        () -> vector.insert(packed(a(1)), 1, longs(k), null, userId | AUTH_KEY, null));
    assertThat(vector.size()).isZero();
  }

  @Test
  @Tag("AV-091")
  void everyFormTakesKeys() {
    long k1 = vector.insertAuthKey(key(1));
    long k2 = vector.insertAuthKey(key(2));
    MemorySegment handles = longs(k1, k2, k1);
    assertThat(vector.insert(packed(a(1), a(1), a(2)), 3, handles, null, AUTH_KEY, null))
        .isEqualTo(3);
    assertThat(longs(handles)).containsExactly(0, 1, 2);
    MemorySegment service = longs(k2);
    assertThat(vector.insertService("10.1.1.2", "5000", service, null, AUTH_KEY, null)).isOne();
    assertThat(longs(service)).containsExactly(3);
    assertThat(
            vector
                .insertService("10.1.1.2", "5000", InsertOptions.none().withAuthKeys(k1))
                .orThrow()
                .handles())
        .containsExactly(2);
    Insertion range =
        vector.insertSymmetric("10.2.0.1", 3, "7000", 2, InsertOptions.none().withAuthKey(k2, 6));
    assertThat(range.orThrow().handles()).containsExactly(4, 5, 6, 7, 8, 9);
    assertThat(vector.lookup(7)).isEqualTo(uri("fi_sockaddr_in://10.2.0.2:7001"));
    assertThat(vector.lookupAuthKey(7)).isEqualTo(key(2));
    MemorySegment more = longs(k1, k1, k2, k2);
    assertThat(vector.insertSymmetric("10.2.0.1", 2, "7000", 2, more, null, AUTH_KEY, null))
        .isEqualTo(4);
    assertThat(longs(more)).containsExactly(10, 11, 6, 7);
    assertThat(vector.find(uri("fi_sockaddr_in://10.2.0.1:7001"), k1)).isEqualTo(11);
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-102")
  void whatCannotBeInsertedDoesNotUseItsKey() {
    long k = vector.insertAuthKey(key(1));
    MemorySegment handles = longs(k, k);
    int[] errors = new int[2];
    long flags = AUTH_KEY | InsertFlag.SYNC_ERR.mask();
    MemorySegment both = packed(VectorFixture.BAD, a(1));
    assertThat(vector.insert(both, 2, handles, MemorySegment.ofArray(errors), flags, null)).isOne();
    assertThat(longs(handles)).containsExactly(NA, 0);
    assertThat(errors).containsExactly(99, 0);
    vector.remove(0);
    vector.removeAuthKey(k);
  }

  @Test
  @Tag("AV-222")
  void marksAndKeysGoTogether() {
    long k = vector.insertAuthKey(key(1));
    InsertOptions options = InsertOptions.of(InsertFlag.FIREWALL_ADDRESS).withAuthKeys(k, k);
    assertThat(vector.insert(List.of(a(1), a(1)), options).orThrow().handles())
        .containsExactly(0, 0);
    vector.insert(a(1));
    assertThat(vector.peers().isFirewalled(0)).isTrue();
    assertThat(vector.peers().isFirewalled(1)).isFalse();
    vector.remove(0);
    vector.remove(0);
    vector.removeAuthKey(k);
  }

  // ---- two namespaces ----

  @ParameterizedTest
  @CsvSource({"TABLE, 2, 1", "TABLE, 1, 20", "MAP, 1, 20", "MAP, 2, 1"})
  @Tag("AV-134")
  @Tag("AV-163")
  @Tag("AV-164")
  @Tag("AV-177")
  void aKeyIsOneOnlyWhereAFlagSaysSo(VectorType type, int major, int minor) {
    VectorOptions options =
        (type == VectorType.MAP ? VectorOptions.map() : VectorOptions.table())
            .withFlags(VectorFlag.USER_ID);
    CoreAddressVector any = open(keyed().version(major, minor), options);
    long key = any.insertAuthKey(key(1));
    long entry = any.insert(a(1));
    assertThat(key).isNotEqualTo(entry);
    fails(Errno.EINVAL, () -> any.lookup(key));
    fails(Errno.EINVAL, "FI_AUTH_KEY", () -> any.remove(key));
    fails(Errno.EINVAL, () -> any.setUserId(key, new UserId(7)));
    fails(Errno.EINVAL, () -> any.setAuthKeyUserId(entry, new UserId(7)));
    fails(Errno.EINVAL, () -> any.removeAuthKey(entry));
    assertThat(any.lookupAuthKey(key)).isEqualTo(key(1));
    assertThat(any.lookup(entry)).isEqualTo(a(1));
    any.setAuthKeyUserId(key, new UserId(7));
    any.setUserId(entry, new UserId(8));
    assertThat(any.peers().authKeyNumber(key)).isZero();
    assertThat(any.peers().authKeyNumber(entry)).isEqualTo(TransferPeers.NO_AUTH_KEY);
    assertThat(any.peers().reportedAuthKey(0)).isEqualTo(7);
    long under = under(any, a(1), key);
    assertThat(any.lookupAuthKey(under)).isEqualTo(key(1));
    any.remove(under);
    any.removeAuthKey(key);
  }

  @Test
  @Tag("AV-135")
  void removalKnowsOneFlag() {
    long k = vector.insertAuthKey(key(1));
    vector.insert(a(1));
    for (int bit = 0; bit < 64; bit++) {
      long flags = 1L << bit;
      if (flags != AUTH_KEY) {
        fails(Errno.EINVAL, () -> vector.remove(longs(0), 1, flags));
        fails(Errno.EINVAL, () -> vector.remove(longs(k), 1, flags | AUTH_KEY));
      }
    }
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.lookupAuthKey(k)).isEqualTo(key(1));
  }

  @Test
  @Tag("AV-133")
  void entriesKeepTheNumberOfARemovedKey() {
    long k1 = vector.insertAuthKey(key(1));
    long entry = under(vector, a(1), k1);
    assertThat(vector.insertAuthKey(key(1))).isEqualTo(k1);
    vector.removeAuthKey(k1);
    assertThat(vector.lookupAuthKey(entry)).isEqualTo(key(1));
    vector.removeAuthKey(k1);
    fails(Errno.EINVAL, "or has been removed", () -> vector.removeAuthKey(k1));
    fails(Errno.ENOKEY, "insert the same key first", () -> vector.lookupAuthKey(entry));
    fails(Errno.ENOKEY, "removed", () -> vector.keys().holdThatOf(vector, entry));
    assertThat(vector.insertAuthKey(key(2))).isEqualTo(k1 + 1);
    vector.remove(entry);
    assertThat(vector.insertAuthKey(key(3))).isEqualTo(k1);
  }

  @Test
  @Tag("AV-133")
  @Tag("AV-209")
  void theFirstErrorOfARemovalIsToldAfterAll() {
    long k1 = vector.insertAuthKey(key(1));
    long k2 = vector.insertAuthKey(key(2));
    long k3 = vector.insertAuthKey(key(3));
    HeldAuthKeys held = vector.keys().hold(vector, k2);
    fails(
        Errno.EBUSY,
        "address vector",
        () -> vector.remove(longs(k1, k2, k3, k1), 4, RemoveFlag.AUTH_KEY.mask()));
    held.close();
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(k1));
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(k3));
    assertThat(vector.lookupAuthKey(k2)).isEqualTo(key(2));
  }

  @Test
  @Tag("AV-168")
  @Tag("AV-169")
  void keysAreReportedByHandleOrById() {
    long k = vector.insertAuthKey(key(1));
    assertThat(vector.peers().reportedAuthKey(0)).isEqualTo(k);
    assertThat(vector.peers().reportedAuthKey(1)).isEqualTo(NA);
    CoreAddressVector ids = open(keyed(), VectorOptions.table().withFlags(VectorFlag.USER_ID));
    long other = ids.insertAuthKey(key(1));
    assertThat(ids.peers().reportedAuthKey(0)).isEqualTo(NA);
    ids.setAuthKeyUserId(other, new UserId(0x1234));
    assertThat(ids.peers().reportedAuthKey(0)).isEqualTo(0x1234);
    ids.removeAuthKey(other);
    ids.insertAuthKey(key(2));
    assertThat(ids.peers().reportedAuthKey(0)).as("ids are not inherited").isEqualTo(NA);
  }

  // ---- what providers ask ----

  @Test
  @Tag("AV-094")
  void transfersLearnAddressAndKey() {
    long k1 = vector.insertAuthKey(key(1));
    long k2 = vector.insertAuthKey(key(2));
    vector.insert(a(1));
    under(vector, a(1), k1);
    under(vector, a(2), k2);
    byte[] target = new byte[28];
    MemorySegment segment = MemorySegment.ofArray(target);
    assertThat(vector.peers().keyedSocketAddress(0, segment)).isEqualTo(-1L << 32 | 16);
    assertThat(vector.peers().keyedSocketAddress(1, segment)).isEqualTo(16);
    assertThat(Arrays.copyOf(target, 16)).isEqualTo(a(1).toBytes());
    assertThat(vector.peers().keyedSocketAddress(2, segment)).isEqualTo(1L << 32 | 16);
    assertThat(Arrays.copyOf(target, 16)).isEqualTo(a(2).toBytes());
    assertThat(vector.peers().keyedSocketAddress(3, segment)).isZero();
    assertThat(vector.peers().keyedSocketAddress(k1, segment)).isZero();
    assertThat(vector.peers().socketAddress(2, segment)).isEqualTo(16);
    MessageSource source = new MessageSource();
    assertThat(vector.peers().findSource(packed(a(1)), 0, source)).isTrue();
    assertThat(source.reported()).isEqualTo(1);
    assertThat(vector.peers().findSource(packed(a(1)), 1, source)).isFalse();
    assertThat(source.reported()).isEqualTo(NA);
    assertThat(vector.peers().findSource(packed(a(2)), 1, source)).isTrue();
    assertThat(source.reported()).isEqualTo(2);
    assertThat(vector.peers().findSource(packed(a(1)), source)).isTrue();
    assertThat(source.reported()).isZero();
    assertThat(vector.peers().findSource(packed(a(2)), source)).isFalse();
  }

  @Test
  @Tag("AV-133")
  @Tag("AV-158")
  @Tag("AV-159")
  void heldKeysAreThoseOfTheMomentAndStay() {
    fails(Errno.EINVAL, "has none", () -> vector.keys().holdAll(vector));
    long k1 = vector.insertAuthKey(key(1));
    long k2 = vector.insertAuthKey(key(2));
    vector.removeAuthKey(k1);
    HeldAuthKeys held = vector.keys().holdAll(vector);
    assertThat(vector.insertAuthKey(key(3))).isEqualTo(k1);
    assertThat(held.count()).isOne();
    assertThat(held.number(0)).isOne();
    assertThat(held.handle(1)).isEqualTo(k2);
    assertThat(held.contains(0)).isFalse();
    assertThat(held.contains(1)).isTrue();
    assertThat(held.contains(-1)).isFalse();
    assertThat(held.contains(2)).isFalse();
    fails(Errno.EINVAL, () -> held.hmac(0));
    HeldAuthKeys one = vector.keys().hold(vector, k2);
    fails(Errno.EBUSY, "address vector", () -> vector.removeAuthKey(k2));
    assertThat(vector.insertAuthKey(key(2))).isEqualTo(k2);
    fails(Errno.EBUSY, "address vector", () -> vector.removeAuthKey(k2));
    held.close();
    held.close();
    fails(Errno.EBUSY, () -> vector.removeAuthKey(k2));
    one.close();
    vector.removeAuthKey(k2);
    vector.removeAuthKey(k2);
    fails(Errno.EINVAL, () -> vector.keys().hold(vector, k2));
    fails(Errno.EINVAL, () -> vector.keys().hold(vector, 0));
    vector.removeAuthKey(k1);
  }

  @Test
  void closingEndsEverything() {
    long k = vector.insertAuthKey(key(1));
    HeldAuthKeys held = vector.keys().holdAll(vector);
    vector.close();
    fails(Errno.EINVAL, () -> vector.lookupAuthKey(k));
    assertThatThrownBy(() -> held.hmac(0)).isInstanceOf(FabricException.class);
    held.close();
  }

  @Test
  void noTextShowsAKey() {
    byte[] secret = "a key that nobody should ever see".substring(0, 32).getBytes(UTF_8);
    long k = vector.insertAuthKey(secret);
    under(vector, a(1), k);
    String hex = HexFormat.of().formatHex(secret).substring(0, 16);
    HeldAuthKeys held = vector.keys().holdAll(vector);
    StringBuilder texts = new StringBuilder();
    texts.append(vector).append(held).append(vector.lookup(0)).append(vector.options());
    try (PassingKey passing = new PassingKey(MemorySegment.ofArray(secret))) {
      texts.append(passing);
    }
    for (Runnable call :
        List.<Runnable>of(
            () -> vector.removeAuthKey(k),
            () -> vector.insertAuthKey(Arrays.copyOf(secret, 31)),
            () -> HistoricVector.of(vector).insertAuthKey(secret, 1),
            () -> under(vector, a(1), k + 1))) {
      try {
        call.run();
      } catch (FabricException refused) {
        texts.append(refused);
      }
    }
    assertThat(texts.toString()).doesNotContain("a key that", hex, "97, 32, 107");
  }
}
