// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.RemoveFlag;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.mapped.VectorTraits;
import org.ofi4j.core.mapped.VectorVerifier;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

/**
 * Authorization keys of vectors with a name: one opening of this process stands for each process.
 */
class NamedKeysTest {
  private static final int MOST = 3;
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final long FIRST = Handles.AUTH_KEY_BIT;

  private final String name = "keys " + UUID.randomUUID();
  private final VectorOptions table = VectorOptions.table().withName(name);
  private final CoreAddressVector one = open(table);
  private final CoreAddressVector other = open(table);

  private static TestInfo info(int most) {
    return TestInfo.defaults()
        .format(AddressFormat.SOCKADDR)
        .capabilities(Capability.SHARED_AV, Capability.AV_USER_ID)
        .keysInVector(most);
  }

  private static CoreAddressVector open(VectorOptions options) {
    return VectorFixture.open(info(MOST), options);
  }

  private static byte[] key(int seed) {
    byte[] key = new byte[AddressVector.AUTH_KEY_SIZE];
    new Random(seed).nextBytes(key);
    return key;
  }

  private static long under(AddressVector vector, FabricAddress address, long key) {
    return vector
        .insert(List.of(address), InsertOptions.none().withAuthKeys(key))
        .orThrow()
        .handle(0);
  }

  @AfterEach
  void close() {
    // Those that a test closed are closed once more, which does nothing.
    other.close();
    one.close();
  }

  private NamedVector attach() {
    return NamedVector.open(
        ShareDirectory.ofUser(),
        OpenedEntries.domain(info(MOST).build()),
        name,
        VectorTraits.ANY.toBytes(),
        false,
        TestDomain.PATIENCE,
        file -> {
          throw new IllegalStateException("it is not there");
        });
  }

  private void sound() {
    ShareDirectory directory = ShareDirectory.ofUser();
    SharedVectorReport report =
        VectorVerifier.verify(
            directory, OpenedEntries.domain(info(MOST).build()), name, TestDomain.PATIENCE);
    assertThat(report.violations()).isEmpty();
  }

  @Test
  @Tag("AV-155")
  @Tag("AV-162")
  @Tag("AV-171")
  void theSameKeyHasTheSameHandleEverywhere() {
    assertThat(one.insertAuthKey(key(1))).isEqualTo(FIRST);
    assertThat(other.insertAuthKey(key(2))).isEqualTo(FIRST + 1);
    assertThat(other.insertAuthKey(key(1))).isEqualTo(FIRST);
    assertThat(one.insertAuthKey(key(2))).isEqualTo(FIRST + 1);
    assertThat(one.insertAuthKey(key(1))).as("counted").isEqualTo(FIRST);
    assertThat(one.lookupAuthKey(FIRST + 1)).isEqualTo(key(2));
    one.removeAuthKey(FIRST);
    assertThat(one.lookupAuthKey(FIRST)).isEqualTo(key(1));
    sound();
  }

  @Test
  @Tag("AV-155")
  void whoOnlyLooksCountsTheMemoryOfAllKeys() {
    try (CoreAddressVector looks = open(table.withFlags(VectorFlag.READ))) {
      one.insertAuthKey(key(1));
      other.insertAuthKey(key(2));
      assertThat(looks.statistics().memory())
          .isEqualTo(other.statistics().memory())
          .isEqualTo(one.statistics().memory());
    }
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-094")
  @Tag("AV-167")
  @Tag("AV-172")
  void whoHasTheKeyFindsWhatOthersInsertedUnderIt() {
    long red = one.insertAuthKey(key(1));
    long blue = one.insertAuthKey(key(2));
    assertThat(other.insertAuthKey(key(2))).isEqualTo(blue);
    assertThat(other.insertAuthKey(key(1))).isEqualTo(red);
    long plain = one.insert(a(1));
    long underRed = under(one, a(1), red);
    long underBlue = under(other, a(1), blue);
    assertThat(under(other, a(1), red)).as("shared").isEqualTo(underRed);
    assertThat(new long[] {plain, underRed, underBlue}).containsExactly(0, 1, 2);
    for (CoreAddressVector vector : List.of(one, other)) {
      assertThat(vector.find(a(1))).isEqualTo(plain);
      assertThat(vector.find(a(1), red)).isEqualTo(underRed);
      assertThat(vector.find(packed(a(1)), blue)).isEqualTo(underBlue);
      assertThat(vector.lookupAuthKey(underRed)).isEqualTo(key(1));
      assertThat(vector.lookupAuthKey(underBlue)).isEqualTo(key(2));
      MessageSource source = new MessageSource();
      assertThat(vector.peers().findSource(packed(a(1)), 1, source)).isTrue();
      assertThat(source.reported()).isEqualTo(underBlue);
    }
    assertThat(
            other
                .insertSymmetric("10.2.0.1", 3, "7000", 2, InsertOptions.none().withAuthKey(red, 6))
                .result())
        .isEqualTo(6);
    assertThat(one.find(VectorFixture.uri("fi_sockaddr_in://10.2.0.3:7001"), red)).isEqualTo(8);
    sound();
    one.remove(underRed);
    assertThat(other.find(a(1), red)).isEqualTo(underRed);
    other.remove(underRed);
    assertThat(one.find(a(1), red)).isEqualTo(NA);
    sound();
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-107")
  @Tag("AV-172")
  void whoHasNotTheKeySeesAddressesAndNoMore() {
    long red = one.insertAuthKey(key(1));
    long entry = under(one, a(1), red);
    long wide = under(one, v6(1), red);
    assertThat(other.lookup(entry)).isEqualTo(a(1));
    assertThat(other.lookup(wide)).isEqualTo(v6(1));
    assertThat(other.find(a(1))).as("without key").isEqualTo(NA);
    MemorySegment handles = longs(red, red);
    long flag = RemoveFlag.AUTH_KEY.mask();
    fails(Errno.ENOKEY, "removed or not inserted here", () -> other.lookupAuthKey(red));
    fails(Errno.ENOKEY, "removed or not inserted here", () -> other.lookupAuthKey(entry));
    fails(Errno.ENOKEY, () -> other.find(a(1), red));
    fails(Errno.ENOKEY, () -> under(other, a(2), red));
    assertThat(other.insert(packed(a(2), a(3)), 2, handles, null, AUTH_KEY, null)).isZero();
    assertThat(longs(handles)).containsExactly(NA, NA);
    Insertion values = other.insert(List.of(a(2)), InsertOptions.none().withAuthKeys(red));
    assertThat(values.failures().getFirst().reason()).contains("not inserted here");
    fails(Errno.ENOKEY, () -> other.remove(longs(red), 1, flag));
    fails(Errno.ENOKEY, () -> other.keys().hold(other, red));
    fails(Errno.ENOKEY, () -> other.keys().holdThatOf(other, entry));
    fails(Errno.EINVAL, "has none", () -> other.keys().holdAll(other));
    assertThat(other.peers().authKeyNumber(red)).isEqualTo(TransferPeers.NO_AUTH_KEY);
    // What no process has is no key at all.
    fails(Errno.EINVAL, () -> other.lookupAuthKey(red + 1));
    fails(Errno.EINVAL, () -> under(other, a(2), red + 1));
    assertThat(other.size()).isEqualTo(2);
    other.remove(wide);
    assertThat(one.find(v6(1), red)).isEqualTo(NA);
    assertThat(other.insertAuthKey(key(1))).isEqualTo(red);
    assertThat(other.lookupAuthKey(entry)).isEqualTo(key(1));
    sound();
  }

  @Test
  @Tag("AV-133")
  void aKeyIsRemovedFromOneProcessOnly() {
    long red = one.insertAuthKey(key(1));
    assertThat(other.insertAuthKey(key(1))).isEqualTo(red);
    HeldAuthKeys held = other.keys().holdAll(other);
    one.removeAuthKey(red);
    fails(Errno.ENOKEY, () -> one.lookupAuthKey(red));
    fails(Errno.EBUSY, "address vector", () -> other.removeAuthKey(red));
    assertThat(other.lookupAuthKey(red)).isEqualTo(key(1));
    assertThat(one.insertAuthKey(key(2))).as("the number is taken").isEqualTo(red + 1);
    held.close();
    other.removeAuthKey(red);
    fails(Errno.EINVAL, () -> other.lookupAuthKey(red));
    assertThat(other.insertAuthKey(key(3))).as("and is free now").isEqualTo(red);
    sound();
  }

  @Test
  @Tag("AV-133")
  void aKeyIsRemovedWhileOthersHaveEntriesUnderIt() {
    long red = one.insertAuthKey(key(1));
    other.insertAuthKey(key(1));
    long entry = under(other, a(1), red);
    one.removeAuthKey(red);
    fails(Errno.ENOKEY, () -> one.lookupAuthKey(entry));
    assertThat(other.lookupAuthKey(entry)).isEqualTo(key(1));
    other.removeAuthKey(red);
    fails(Errno.ENOKEY, () -> other.lookupAuthKey(entry));
    assertThat(other.insertAuthKey(key(2))).as("its number is reserved").isEqualTo(red + 1);
    one.remove(entry);
    assertThat(one.insertAuthKey(key(3))).as("and is free now").isEqualTo(red);
    sound();
  }

  @Test
  @Tag("AV-133")
  void entriesOutliveTheirKeyAndNobodyElseGetsItsNumber() {
    long red = one.insertAuthKey(key(1));
    long entry = under(one, a(1), red);
    one.close();
    sound();
    assertThat(other.lookup(entry)).isEqualTo(a(1));
    fails(Errno.ENOKEY, () -> other.lookupAuthKey(entry));
    long blue = other.insertAuthKey(key(2));
    assertThat(blue).isEqualTo(red + 1);
    assertThat(other.find(a(1), blue)).isEqualTo(NA);
    assertThat(other.insertAuthKey(key(1))).as("who has it finds its entries").isEqualTo(red);
    assertThat(other.find(a(1), red)).isEqualTo(entry);
    other.remove(entry);
    other.removeAuthKey(red);
    assertThat(other.insertAuthKey(key(3))).isEqualTo(red);
    sound();
  }

  @Test
  @Tag("AV-155")
  void thereAreAsManyAsTheDomainAllowsInAllProcessesTogether() {
    one.insertAuthKey(key(1));
    other.insertAuthKey(key(2));
    one.insertAuthKey(key(3));
    fails(Errno.ENOSPC, "max_ep_auth_key", () -> one.insertAuthKey(key(4)));
    fails(Errno.ENOSPC, "max_ep_auth_key", () -> other.insertAuthKey(key(4)));
    assertThat(other.insertAuthKey(key(3))).as("one that is there").isEqualTo(FIRST + 2);
    one.removeAuthKey(FIRST);
    assertThat(other.insertAuthKey(key(4))).isEqualTo(FIRST);
    other.close();
    assertThat(one.insertAuthKey(key(5))).isEqualTo(FIRST);
    sound();
  }

  @Test
  @Tag("AV-041")
  @Tag("AV-156")
  void whoSharesAVectorAgreesOnKeys() {
    TestInfo without =
        TestInfo.defaults().format(AddressFormat.SOCKADDR).capabilities(Capability.SHARED_AV);
    fails(
        Errno.EINVAL,
        "FI_AV_AUTH_KEY (0 without, 1 with) 0",
        () -> VectorFixture.open(without, table));
    fails(Errno.EINVAL, "max_ep_auth_key 4", () -> VectorFixture.open(info(4), table));
  }

  @Test
  @Tag("AV-049")
  void readersHaveNoKeys() {
    long red = one.insertAuthKey(key(1));
    long entry = under(one, a(1), red);
    try (CoreAddressVector reader = open(table.withFlags(VectorFlag.READ))) {
      assertThat(reader.lookup(entry)).isEqualTo(a(1));
      fails(Errno.EACCES, () -> reader.insertAuthKey(key(1)));
      fails(Errno.ENOKEY, () -> reader.lookupAuthKey(entry));
      fails(Errno.ENOKEY, () -> reader.lookupAuthKey(red));
      fails(Errno.EINVAL, () -> reader.lookupAuthKey(red + 1));
    }
  }

  @Test
  @Tag("AV-168")
  @Tag("AV-177")
  void userIdsOfKeysAreOfOneOpening() {
    long red = one.insertAuthKey(key(1));
    other.insertAuthKey(key(1));
    VectorOptions ids = table.withFlags(VectorFlag.USER_ID);
    try (CoreAddressVector mine = open(ids);
        CoreAddressVector others = open(ids)) {
      mine.insertAuthKey(key(1));
      others.insertAuthKey(key(1));
      mine.setAuthKeyUserId(red, new UserId(77));
      assertThat(mine.peers().reportedAuthKey(0)).isEqualTo(77);
      assertThat(others.peers().reportedAuthKey(0)).isEqualTo(NA);
      fails(Errno.EINVAL, () -> others.setAuthKeyUserId(red + 1, new UserId(5)));
      others.removeAuthKey(red);
      fails(Errno.ENOKEY, () -> others.setAuthKeyUserId(red, new UserId(5)));
    }
    assertThat(one.lookupAuthKey(red)).as("held by the first opening").isEqualTo(key(1));
    sound();
  }

  @Test
  @Tag("AV-039")
  void repairKeepsNumbersAndHolders() {
    long red = one.insertAuthKey(key(1));
    long blue = other.insertAuthKey(key(2));
    long green = other.insertAuthKey(key(3));
    long entry = under(one, a(1), red);
    under(other, v6(1), green);
    other.removeAuthKey(blue);
    try (NamedVector vector = attach()) {
      for (int death = 0; death < 2; death++) {
        NamedStores.failChange(vector);
        sound();
        assertThat(one.find(a(1), red)).isEqualTo(entry);
        one.insert(a(100 + death));
        assertThat(vector.repairs()).isEqualTo(1 + death);
        sound();
      }
    }
    assertThat(other.insertAuthKey(key(1))).isEqualTo(red);
    assertThat(other.lookupAuthKey(entry)).isEqualTo(key(1));
    assertThat(one.insertAuthKey(key(3))).isEqualTo(green);
    one.removeAuthKey(red);
    assertThat(one.insertAuthKey(key(4))).as("the one that was free").isEqualTo(blue);
    sound();
  }

  @Test
  @Tag("AV-086")
  @SuppressWarnings("deprecation")
  void keysOfInsertionsUnderWayStay() throws Exception {
    CountDownLatch resolve = new CountDownLatch(1);
    VectorOptions later =
        table
            .withFlags(VectorFlag.EVENT)
            .withResolver(host -> {
              resolve.await();
              return List.of();
            });
    TestDomain domain = TestDomain.of(info(MOST));
    try (var queue = (CoreEventQueue) domain.fabric().openEventQueue();
        CoreAddressVector slow = domain.openAddressVector(later);
        Arena arena = Arena.ofShared()) {
      HistoricVector.of(slow).bind(queue, 0);
      long red = slow.insertAuthKey(key(1));
      MemorySegment handles = arena.allocate(16);
      handles.copyFrom(longs(red, red));
      slow.insertService("no.such.host", "80", handles.asSlice(0, 8), null, AUTH_KEY, null);
      slow.insert(packed(a(4)), 1, handles.asSlice(8, 8), null, AUTH_KEY, null);
      fails(Errno.EBUSY, "under way", () -> slow.removeAuthKey(red));
      resolve.countDown();
      for (int tries = 0; slow.find(a(4), red) < 0 && tries < 10_000; tries++) {
        Thread.sleep(1);
      }
      assertThat(slow.find(a(4), red)).isEqualTo(1);
      slow.remove(1);
    }
    sound();
  }

  @Test
  void whatHoldsKeysIsNotSaved(@TempDir Path directory) {
    one.insertAuthKey(key(1));
    Path file = directory.resolve("saved");
    fails(Errno.ENOSYS, "keys never enter a file", () -> one.save(file));
    assertThat(file).doesNotExist();
  }

  /** Nor has a free slot the fingerprint of a key that was there. */
  @Test
  @Tag("AV-160")
  void noFileHasAKey() throws IOException {
    for (CoreAddressVector vector : List.of(one, other)) {
      long red = vector.insertAuthKey(key(1));
      under(vector, a(1), red);
      vector.insertAuthKey(key(2));
      vector.lookupAuthKey(red);
    }
    byte[] salt;
    try (NamedVector vector = attach()) {
      salt = vector.keySalt();
      NamedStores.failChange(vector);
    }
    assertThat(has(KeyedHash.fingerprint(key(2), salt))).as("that can be found").isTrue();
    one.insert(a(9));
    one.removeAuthKey(FIRST + 1);
    other.removeAuthKey(FIRST + 1);
    assertThat(has(KeyedHash.fingerprint(key(1), salt))).isTrue();
    assertThat(has(KeyedHash.fingerprint(key(2), salt))).isFalse();
    for (int seed = 1; seed <= 2; seed++) {
      for (int part = 0; part < 32; part += 8) {
        assertThat(has(Arrays.copyOfRange(key(seed), part, part + 8))).isFalse();
      }
    }
    assertThat(salt).hasSize(32).isNotEqualTo(new byte[32]);
    try (CoreAddressVector elsewhere = open(table.withName(name + "'"))) {
      elsewhere.insertAuthKey(key(1));
      assertThat(count(KeyedHash.fingerprint(key(1), salt))).as("salted").isEqualTo(1);
    }
  }

  private boolean has(byte[] bytes) throws IOException {
    return count(bytes) > 0;
  }

  /** How many files of vectors have some bytes. */
  private static int count(byte[] bytes) throws IOException {
    String wanted = new String(bytes, StandardCharsets.ISO_8859_1);
    int count = 0;
    Path own = ShareDirectory.ofUser().control("domain", "name").toAbsolutePath().getParent();
    try (Stream<Path> files = Files.list(own)) {
      for (Path file : files.filter(path -> path.toString().contains("keys%20")).toList()) {
        String all = Files.readString(file, StandardCharsets.ISO_8859_1);
        count += all.contains(wanted) ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void noMessageShowsAKeyOrAFingerprint() {
    byte[] secret =
        "a key that nobody should ever see".substring(0, 32).getBytes(StandardCharsets.US_ASCII);
    long red = one.insertAuthKey(secret);
    StringBuilder texts = new StringBuilder();
    for (Runnable call :
        List.<Runnable>of(
            () -> other.lookupAuthKey(red),
            () -> under(other, a(1), red),
            () -> other.find(a(1), red))) {
      try {
        call.run();
      } catch (FabricException refused) {
        texts.append(refused);
      }
    }
    assertThat(texts.toString()).contains("key 0").doesNotContain("a key that", "97, 32, 107");
  }
}
