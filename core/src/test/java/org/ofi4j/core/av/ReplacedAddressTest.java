// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.reported;
import static org.ofi4j.core.av.VectorFixture.table;
import static org.ofi4j.core.av.VectorFixture.under;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.Profile;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.core.testing.TestInfo;

/** A handle gets another address. */
class ReplacedAddressTest {
  private static void hasMoved(
      CoreAddressVector vector, long handle, FabricAddress from, FabricAddress to) {
    assertThat(vector.lookup(handle)).isEqualTo(to);
    assertThat(vector.find(to)).isEqualTo(handle);
    assertThat(vector.find(packed(to))).isEqualTo(handle);
    assertThat(vector.find(from)).isEqualTo(NA);
    assertThat(vector.find(packed(from))).isEqualTo(NA);
  }

  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR", "SOCKADDR_IN", "SOCKADDR_IN6", "SOCKADDR_IP", "STR"})
  @DisplayName("The handle stays, and is found by the new address alone, in every format")
  void everyFormat(AddressFormat format) {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(format), VectorOptions.table())) {
      List<FabricAddress> addresses =
          switch (format) {
            case SOCKADDR_IN -> List.of(a(1), a(2), a(3));
            case SOCKADDR_IN6 -> List.of(v6(1), v6(2), v6(3));
            case STR ->
                List.of(
                    new TextAddress("fi_sockaddr_in://10.1.1.1:5000"),
                    new TextAddress("fi_sockaddr_in6://[2001:db8::1]:5000"),
                    new TextAddress("fi_sockaddr_in://10.1.1.2:5000"));
            default -> List.of(a(1), v6(1), a(2));
          };
      long other = vector.insert(addresses.get(2));
      vector.insert(addresses.get(0));
      vector.remove(other);
      long handle = vector.find(addresses.get(0));
      for (int i = 1; i < 7; i++) {
        vector.replace(handle, addresses.get(i % 3));
        hasMoved(vector, handle, addresses.get((i - 1) % 3), addresses.get(i % 3));
        assertThat(vector.size()).isOne();
      }
      vector.remove(handle);
      assertThat(vector.size()).isZero();
      assertThat(vector.find(addresses.get(0))).isEqualTo(NA);
    }
  }

  @Test
  @DisplayName("Any entry of a range moves away, and back; the others stay where they are")
  void entriesOfRange() {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR), VectorOptions.table())) {
      Insertion range = vector.insertSymmetric("10.9.0.1", 100, "6000", 50);
      List<FabricAddress> expected = new ArrayList<>();
      for (long handle : range.handles()) {
        expected.add(vector.lookup(handle));
      }
      Random random = new Random(1);
      for (int i = 0; i < 500; i++) {
        int moving = i == 0 ? 0 : i == 1 ? expected.size() - 1 : random.nextInt(expected.size());
        FabricAddress before = expected.get(moving);
        FabricAddress after = i % 3 == 0 ? v6(i) : a(i);
        vector.replace(range.handle(moving), after);
        hasMoved(vector, range.handle(moving), before, after);
        if (i % 4 == 0) {
          vector.replace(range.handle(moving), before);
          hasMoved(vector, range.handle(moving), after, before);
        } else {
          expected.set(moving, after);
        }
      }
      for (int i = 0; i < expected.size(); i++) {
        assertThat(vector.lookup(range.handle(i))).isEqualTo(expected.get(i));
        assertThat(vector.find(expected.get(i))).isEqualTo(range.handle(i));
      }
      assertThat(vector.size()).isEqualTo(expected.size());
      vector.remove(range.handles());
      assertThat(vector.size()).isZero();
      assertThat(vector.statistics().memory().live()).isZero();
    }
  }

  @Test
  @DisplayName("An entry can move any number of times without taking more memory")
  void manyTimes() {
    try (CoreAddressVector vector = table()) {
      long[] handles = new long[10];
      Arrays.setAll(handles, i -> vector.insert(a(i)));
      for (int i = 10; i < 1_000; i++) {
        vector.replace(handles[i % 10], a(i));
      }
      long held = vector.statistics().memory().held();
      for (int i = 1_000; i < 50_000; i++) {
        vector.replace(handles[i % 10], a(i));
      }
      assertThat(vector.statistics().memory().held()).isEqualTo(held);
    }
  }

  @Test
  @DisplayName("What was inserted twice is there until it was removed twice")
  void shares() {
    try (CoreAddressVector vector =
        open(TestInfo.defaults(), VectorOptions.table().withDuplicates(DuplicatePolicy.SHARE))) {
      long scattered = vector.insert(a(1));
      assertThat(vector.insert(a(1))).isEqualTo(scattered);
      long inRange = vector.insertSymmetric("10.9.0.1", 10, "6000", 10).handle(55);
      vector.insertSymmetric("10.9.0.1", 10, "6000", 10);
      assertThat(vector.insert(vector.lookup(inRange))).isEqualTo(inRange);
      vector.replace(scattered, a(2));
      vector.replace(inRange, a(3));
      assertThat(vector.insert(a(2))).isEqualTo(scattered);
      for (int left = 2; left >= 0; left--) {
        assertThat(vector.lookup(scattered)).isEqualTo(a(2));
        assertThat(vector.lookup(inRange)).isEqualTo(a(3));
        vector.remove(new long[] {scattered, inRange});
      }
      fails(Errno.EINVAL, () -> vector.lookup(scattered));
      fails(Errno.EINVAL, () -> vector.lookup(inRange));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SHARE", "REJECT"})
  @DisplayName("An address that another entry has is refused, and nothing has changed")
  void addressOfAnother(DuplicatePolicy policy) {
    try (CoreAddressVector vector =
        open(TestInfo.defaults(), VectorOptions.table().withDuplicates(policy))) {
      long handle = vector.insert(a(1));
      long other = vector.insert(a(2));
      long inRange = vector.insertSymmetric("10.9.0.1", 10, "6000", 10).handle(55);
      FabricAddress itsAddress = vector.lookup(inRange);
      fails(Errno.EALREADY, policy.toString(), () -> vector.replace(handle, a(2)));
      fails(Errno.EALREADY, () -> vector.replace(handle, itsAddress));
      fails(Errno.EALREADY, () -> vector.replace(inRange, a(1)));
      assertThat(vector.find(a(1))).isEqualTo(handle);
      assertThat(vector.find(a(2))).isEqualTo(other);
      assertThat(vector.find(itsAddress)).isEqualTo(inRange);
      // Its own is no other one's.
      vector.replace(handle, a(1));
      vector.replace(inRange, itsAddress);
      vector.remove(new long[] {handle, inRange});
      assertThat(vector.size()).isEqualTo(100);
    }
  }

  @Test
  @DisplayName("Where an address may have several entries, the lowest is found")
  void severalEntries() {
    try (CoreAddressVector vector =
        open(
            TestInfo.defaults(), VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX))) {
      long[] handles = new long[6];
      Arrays.setAll(handles, i -> vector.insert(a(i / 3)));
      vector.replace(handles[0], a(1));
      assertThat(vector.find(a(0))).isEqualTo(handles[1]);
      assertThat(vector.find(a(1))).isEqualTo(handles[0]);
      vector.replace(handles[2], a(7));
      vector.replace(handles[1], a(7));
      assertThat(vector.find(a(0))).isEqualTo(NA);
      assertThat(vector.find(a(7))).isEqualTo(handles[1]);
      vector.remove(handles[1]);
      assertThat(vector.find(a(7))).isEqualTo(handles[2]);
      vector.remove(handles[0]);
      assertThat(vector.find(a(1))).isEqualTo(handles[3]);
    }
  }

  @Test
  @DisplayName("User ids stay, of entries that had them before, in ranges too")
  void userIds() {
    try (CoreAddressVector vector =
        open(
            TestInfo.defaults().capabilities(Capability.AV_USER_ID),
            VectorOptions.table().withFlags(VectorFlag.USER_ID))) {
      long handle = vector.insert(a(1));
      long inRange = vector.insertSymmetric("10.9.0.1", 10, "6000", 10).handle(55);
      vector.setUserId(handle, new UserId(41));
      vector.setUserId(inRange, new UserId(42));
      vector.replace(handle, a(2));
      vector.replace(inRange, a(3));
      assertThat(vector.userId(handle)).hasValue(41);
      assertThat(vector.userId(inRange)).hasValue(42);
      assertThat(reported(vector, inRange)).isEqualTo(42);
      vector.setUserId(inRange, new UserId(43));
      assertThat(vector.userId(inRange)).hasValue(43);
    }
  }

  @Test
  @DisplayName("The new address is under the authorization key that the old one was under")
  void authorizationKeys() {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().keysInVector(2), VectorOptions.table())) {
      byte[] bytes = new byte[AddressVector.AUTH_KEY_SIZE];
      long one = vector.insertAuthKey(bytes);
      bytes[0] = 1;
      long two = vector.insertAuthKey(bytes);
      long plain = vector.insert(a(1));
      long underOne = under(vector, a(1), one);
      long underTwo = under(vector, a(2), two);
      vector.replace(underOne, a(2));
      assertThat(vector.find(a(2), one)).isEqualTo(underOne);
      assertThat(vector.find(a(2), two)).isEqualTo(underTwo);
      assertThat(vector.find(a(2))).isEqualTo(NA);
      assertThat(vector.find(a(1), one)).isEqualTo(NA);
      assertThat(vector.find(a(1))).isEqualTo(plain);
      assertThat(vector.lookup(underOne)).isEqualTo(a(2));
      assertThat(vector.lookupAuthKey(underTwo)).isEqualTo(bytes);
      assertThat(vector.lookupAuthKey(underOne)).isEqualTo(new byte[AddressVector.AUTH_KEY_SIZE]);
    }
  }

  @Test
  @DisplayName("A member of a set stays one")
  void sets() {
    try (CoreAddressVector vector = table()) {
      long handle = vector.insert(a(1));
      try (AddressVectorSet set = vector.openSet(VectorSetOptions.universe())) {
        vector.replace(handle, a(2));
        assertThat(set.contains(handle)).isTrue();
      }
    }
  }

  @Test
  @DisplayName("Wrong handles and addresses are refused as removal and insertion refuse them")
  void refused() {
    try (CoreAddressVector vector = table()) {
      long handle = vector.insert(a(1));
      long gone = vector.insert(a(2));
      vector.remove(gone);
      for (long wrong : new long[] {gone, 77, NA, -5}) {
        fails(Errno.EINVAL, () -> vector.replace(wrong, a(3)));
      }
      fails(Errno.EINVAL, "address is null", () -> vector.replace(handle, null));
      fails(Errno.EADDRNOTAVAIL, "0.0.0.0:0", () -> vector.replace(handle, BAD));
      fails(Errno.EINVAL, () -> vector.replace(handle, v6(1)));
      assertThat(vector.lookup(handle)).isEqualTo(a(1));
      assertThat(vector.find(a(1))).isEqualTo(handle);
      assertThat(vector.find(a(3))).isEqualTo(NA);
    }
    CoreAddressVector closed = table();
    long handle = closed.insert(a(1));
    closed.close();
    fails(Errno.EINVAL, "closed", () -> closed.replace(handle, a(3)));
  }

  @Test
  @DisplayName("In the first edition, where no index is used twice, addresses are replaced too")
  void firstEdition() {
    try (CoreAddressVector vector =
        open(
            TestInfo.defaults().version(1, 0).profile(Profile.CANDIDATE_1_0),
            VectorOptions.table())) {
      long handle = vector.insert(a(1));
      vector.replace(handle, a(2));
      hasMoved(vector, handle, a(1), a(2));
    }
  }

  @Test
  @DisplayName("Without memory the entry has its old address, wherever the memory ran out")
  void withoutMemory() {
    for (long more = 0; more < 200_000; more += 4_096) {
      LimitedVector limited = LimitedVector.open(VectorOptions.table());
      try (CoreAddressVector vector = limited.vector()) {
        long[] handles = vector.insertSymmetric("10.9.0.1", 100, "6000", 100).handles();
        limited.memory().limit(limited.memory().held() + more);
        for (int i = 0; i < handles.length; i += 100) {
          long handle = handles[i];
          FabricAddress before = vector.lookup(handle);
          FabricAddress after = a(i);
          try {
            vector.replace(handle, after);
            hasMoved(vector, handle, before, after);
          } catch (FabricException refused) {
            assertThat(refused.errno()).isEqualTo(Errno.ENOMEM);
            hasMoved(vector, handle, after, before);
          }
        }
      }
    }
  }

  @Test
  @DisplayName("On a vector opened to be read alone it is refused")
  void readOnly(@TempDir Path directory) {
    Path file = directory.resolve("saved.av");
    try (CoreAddressVector vector = table()) {
      vector.insert(a(1));
      vector.save(file);
    }
    VectorOptions reading = VectorOptions.table().withSaved(file).withFlags(VectorFlag.READ);
    try (CoreAddressVector vector = open(TestInfo.defaults(), reading)) {
      fails(Errno.EACCES, () -> vector.replace(0, a(2)));
      assertThat(vector.lookup(0)).isEqualTo(a(1));
    }
  }

  @Test
  @DisplayName("What was saved after it has the new addresses, and the shares")
  void saved(@TempDir Path directory) {
    Path file = directory.resolve("saved.av");
    VectorOptions sharing = VectorOptions.table().withDuplicates(DuplicatePolicy.SHARE);
    long handle;
    try (CoreAddressVector vector = open(TestInfo.defaults(), sharing)) {
      vector.insertSymmetric("10.9.0.1", 10, "6000", 10);
      handle = vector.insertSymmetric("10.9.0.1", 10, "6000", 10).handle(55);
      vector.replace(handle, a(1));
      vector.save(file);
    }
    try (CoreAddressVector copy = open(TestInfo.defaults(), sharing.withSaved(file))) {
      assertThat(copy.lookup(handle)).isEqualTo(a(1));
      copy.remove(handle);
      assertThat(copy.find(a(1))).isEqualTo(handle);
      copy.replace(handle, a(2));
      copy.remove(handle);
      assertThat(copy.find(a(2))).isEqualTo(NA);
      assertThat(copy.insert(List.of(a(3)), InsertOptions.none()).handle(0)).isEqualTo(handle);
    }
  }

  @Test
  @DisplayName("Transfers know a handle with another address from the one that they knew")
  void transfers() {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR), VectorOptions.table())) {
      long handle = vector.insert(a(1));
      TransferPeers peers = vector.peers();
      long first = peers.generation(handle);
      vector.replace(handle, a(1));
      assertThat(peers.generation(handle)).isEqualTo(first).isNotNegative();
      vector.replace(handle, v6(1));
      assertThat(peers.generation(handle)).isNotEqualTo(first).isNotNegative();
      assertThat(reported(vector, handle)).isEqualTo(handle);
      vector.remove(handle);
      assertThat(vector.insert(v6(1))).isEqualTo(handle);
      assertThat(peers.generation(handle)).isNotEqualTo(first).isNotNegative();
    }
  }
}
