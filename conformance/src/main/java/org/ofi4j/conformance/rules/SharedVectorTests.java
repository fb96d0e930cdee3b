// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.OtherProcess;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** NAME, MAPA and FI_READ: vectors that several processes have open. */
@ConformanceTest
class SharedVectorTests extends AddressTests {
  private static final Setup SHARING = Setup.DEFAULT.caps(Capability.SHARED_AV);

  private final String name = "ofi4j conformance/" + UUID.randomUUID();
  private final VectorOptions table = VectorOptions.table().withName(name);
  private final VectorOptions reading = table.withFlags(VectorFlag.READ);

  static List<Setup> setups() {
    return Setup.profiles().stream().map(SharedVectorTests::sharing).toList();
  }

  /** The capability came with 1.5. */
  private static Setup sharing(Setup setup) {
    return setup.isAtLeast(ApiVersion.V1_5) ? setup.caps(Capability.SHARED_AV) : setup;
  }

  static List<Setup> opaque() {
    return setups().stream().filter(Setup::hasOpaqueMapHandles).toList();
  }

  /**
   * Kills the other process. If that was the last one that had the vector, as with a provider that
   * is wrong, what it has left goes too.
   */
  private void kill(OtherProcess other, Domain domain) {
    other.kill();
    try {
      domain.sharedVectors().unlink(name);
    } catch (FabricException here) {
      assertThat(here.errno()).isIn(Errno.EBUSY, Errno.ENOENT, Errno.ENOSYS);
    }
  }

  @Proves("AV-038")
  @EachSetup
  void withoutNameNobodyElseSeesIt(Setup setup, ConformanceEnvironment environment) {
    AddressVector here = environment.vector(setup, VectorOptions.table());
    OtherProcess other = environment.otherProcess(setup, here.domain());
    here.insert(a(1));

    other.open(VectorOptions.table());
    other.fails(Errno.EINVAL, "lookup", 0);
    assertThat(other.insert(a(2))).isZero();

    assertThat(here.size()).isEqualTo(1);
    Expect.address(here, 0, a(1));
    other.failsToOpen(Errno.ENOENT, reading);
  }

  @Proves("AV-039")
  @EachSetup
  void whatOneInsertsTheOtherLooksUp(Setup setup, ConformanceEnvironment environment) {
    AddressVector here = environment.vector(setup, table);
    OtherProcess other = environment.otherProcess(setup, here.domain());
    for (InsertForm form : InsertForm.values()) {
      form.insert(here, List.of(a((int) here.size() + 1)), null);
    }
    int forms = InsertForm.values().length;

    other.open(reading);

    for (int i = 0; i < forms; i++) {
      assertThat(other.lookup(i)).isEqualTo(a(i + 1));
      assertThat(other.number("find", a(i + 1))).isEqualTo(i);
    }
    here.insertService("10.1.2.1", "7000");
    here.insertSymmetric("10.2.0.1", 300, "5000", 4);
    assertThat(other.number("size")).as("later ones too").isEqualTo(forms + 1201);
    assertThat(other.lookup(forms + 1200)).isEqualTo(ipv4(0x0A02_012C, 5003));
    here.remove(0);
    here.remove(forms + 600);
    other.fails(Errno.EINVAL, "lookup", 0);
    other.fails(Errno.EINVAL, "lookup", forms + 600);
    assertThat(other.lookup(forms + 601)).isEqualTo(here.lookup(forms + 601));
  }

  @Proves("AV-039")
  @Test
  void anotherDomainHasOtherVectors(ConformanceEnvironment environment) {
    OtherProcess other = environment.otherProcess();
    Domain domain = environment.domain(SHARING);
    environment.vector(domain, table).insert(a(1));
    for (FabricInfo info : environment.answer(SHARING.hints()).offers()) {
      if (!info.domain().name().equals(domain.info().domain().name())) {
        other.domain(SHARING, info);
        other.failsToOpen(Errno.ENOENT, reading);
        other.open(table);
        assertThat(other.number("size")).isZero();
        return;
      }
    }
    Assumptions.abort("not offered: another domain, as there is one only");
  }

  @Proves("AV-040")
  @Test
  void theNameFindsTheVector(ConformanceEnvironment environment) {
    Domain domain = environment.domain(SHARING);
    OtherProcess other = environment.otherProcess(SHARING, domain);
    String[] names = {name, name + " ", name + "/", name.toUpperCase(Locale.ROOT), "\u00e9" + name};
    for (int i = 0; i < names.length; i++) {
      environment.vector(domain, table.withName(names[i])).insert(a(i + 1));
    }
    for (int i = 0; i < names.length; i++) {
      other.open(reading.withName(names[i]));
      assertThat(other.lookup(0)).isEqualTo(a(i + 1));
      assertThat(other.number("size")).isEqualTo(1);
    }
    Domain without = environment.domain(Setup.DEFAULT.caps(Capability.MSG));
    if (!without.info().has(Capability.SHARED_AV)) {
      Expect.failure(Errno.ENOSYS, () -> without.openAddressVector(table));
      Expect.failure(Errno.ENOSYS, () -> without.openAddressVector(reading));
    }
  }

  @Proves("AV-041")
  @EachSetup
  void whoComesLaterAddsToWhatIsThere(Setup setup, ConformanceEnvironment environment) {
    AddressVector here = environment.vector(setup, table.withCount(2));
    OtherProcess other = environment.otherProcess(setup, here.domain());
    here.insert(List.of(a(1), a(2)), InsertOptions.none());

    other.open(table.withCount(70_000));

    assertThat(other.lookup(1)).isEqualTo(a(2));
    assertThat(other.insert(a(3))).isEqualTo(2);
    assertThat(here.insert(a(4))).isEqualTo(3);
    other.tell("remove", 1);
    Expect.unset(here, 1);
    assertThat(here.insert(a(5))).isEqualTo(setup.isAppendOnly() ? 4 : 1);
    other.tell("close");
    assertThat(here.size()).as("a close takes nothing away").isEqualTo(4);
    Expect.address(here, 2, a(3));
    other.open(table);
    here.close();
    assertThat(other.lookup(0)).as("nor does that of who made it").isEqualTo(a(1));
  }

  @Proves("AV-041")
  @Test
  void refusedOpensLeaveNothing(ConformanceEnvironment environment) {
    Domain domain = environment.domain(SHARING);
    OtherProcess other = environment.otherProcess(SHARING, domain);
    Expect.invalid(() -> domain.openAddressVector(table.withName("")));
    Expect.invalid(() -> domain.openAddressVector(table.withName("x".repeat(256))));
    AddressVector here = environment.vector(domain, table);
    here.insert(a(1));

    other.failsToOpen(Errno.EINVAL, table.withType(VectorType.MAP));
    other.failsToOpen(Errno.EINVAL, table.withReceiveContextBits(2));
    other.failsToOpen(Errno.EINVAL, reading.withType(VectorType.MAP));

    Expect.address(here, 0, a(1));
    other.open(reading);
    assertThat(other.lookup(0)).isEqualTo(a(1));
  }

  @Proves("AV-041")
  @Test
  void entriesSurviveWhoInsertedThem(ConformanceEnvironment environment) {
    Domain domain = environment.domain(SHARING);
    OtherProcess other = environment.otherProcess(SHARING, domain);
    other.open(table);
    other.tell("symmetric", "10.3.0.1", 100, "5000", 8);
    other.insert(a(1));
    AddressVector here = environment.vector(domain, table);

    kill(other, domain);

    assertThat(here.size()).isEqualTo(801);
    Expect.address(here, 800, a(1));
    Expect.address(here, 799, ipv4(0x0A03_0064, 5007));
    here.remove(0);
    assertThat(here.insert(a(2))).isZero();
    assertThat(here.insert(a(3))).isEqualTo(801);
    here.close();
    Expect.failure(Errno.ENOENT, () -> domain.openAddressVector(reading));
  }

  @Proves(partly = {"AV-041", "AV-086"})
  @Test
  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  void indicesThatTheDeadReservedAreUsedAgain(ConformanceEnvironment environment) {
    Domain domain = environment.domain(SHARING);
    OtherProcess other = environment.otherProcess(SHARING, domain);
    AddressVector here = environment.vector(domain, table);
    other.open(table.withFlags(VectorFlag.EVENT));
    other.tell("service", "nobody.knows.this.host", "80");
    other.tell("service", "nobody.knows.this.host", "81");
    assertThat(here.insert(a(1))).as("two indices are reserved").isEqualTo(2);

    kill(other, domain);

    environment.awaitThat(
        "the lowest index is unused again",
        () -> {
          long index = here.insert(a(2));
          if (index != 0) {
            here.remove(index);
          }
          return index == 0;
        });
    assertThat(here.insert(a(3))).isEqualTo(1);
    assertThat(here.insert(a(4))).isEqualTo(here.size() - 1);
  }

  @Proves({"AV-042", "AV-044"})
  @EachSetup
  void handlesAreGoodWhereverTheBaseIsTheSame(Setup setup, ConformanceEnvironment environment) {
    VectorOptions map = VectorOptions.map().withName(name).withMapAddress(0x70_0000_0000L);
    AddressVector here = environment.vector(setup, map);
    OtherProcess other = environment.otherProcess(setup, here.domain());
    long first = here.insert(a(1));

    assertThat(other.open(map)).isEqualTo(0x70_0000_0000L);

    assertThat(other.lookup(first)).isEqualTo(a(1));
    long second = other.insert(a(2));
    Expect.address(here, second, a(2));
    other.tell("remove", first);
    Expect.unset(here, first);
    assertThat(other.number("find", a(2))).isEqualTo(second);
  }

  @Proves("AV-042")
  @ParameterizedTest
  @MethodSource("opaque")
  void anotherBaseIsThatOfOneProcess(Setup setup, ConformanceEnvironment environment) {
    VectorOptions map = VectorOptions.map().withName(name);
    AddressVector here = environment.vector(setup, map);
    OtherProcess other = environment.otherProcess(setup, here.domain());
    long handle = here.insert(a(1));
    long base = here.options().mapAddress();

    other.open(map.withMapAddress(base + (1L << 36)));

    long there = other.number("find", a(1));
    assertThat(there).isNotEqualTo(handle);
    assertThat(other.lookup(there)).isEqualTo(a(1));
    other.fails(Errno.EINVAL, "lookup", handle);
    assertThat(here.options().mapAddress()).isEqualTo(base);
    Expect.address(here, handle, a(1));
  }

  @Proves({"AV-045", "AV-044"})
  @EachSetup
  void theBaseThatIsPickedIsReturned(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    OtherProcess other = environment.otherProcess(setup, domain);
    for (VectorType type : List.of(VectorType.MAP, VectorType.TABLE)) {
      VectorOptions typed = VectorOptions.defaults().withType(type).withName(name + type);
      AddressVector here = environment.vector(domain, typed);
      long base = here.options().mapAddress();
      assertThat(base).isNotZero();
      long[] handles = here.insert(List.of(a(1), a(2)), InsertOptions.none()).handles();

      VectorOptions same = typed.withFlags(VectorFlag.READ).withMapAddress(base);
      assertThat(other.open(same)).isEqualTo(base);
      assertThat(other.lookup(handles[1])).isEqualTo(a(2));
      assertThat(other.number("at", 0)).isEqualTo(handles[0]);
      assertThat(other.open(same.withMapAddress(0))).as("0 asks for it").isEqualTo(base);
      assertThat(other.lookup(handles[0])).isEqualTo(a(1));
    }
  }

  @Proves("AV-046")
  @Test
  void withoutNameTheBaseDoesNotMatter(ConformanceEnvironment environment) {
    Domain domain = environment.domain(SHARING);
    OtherProcess other = environment.otherProcess(SHARING, domain);
    VectorOptions odd = VectorOptions.map().withMapAddress(0x1235);
    AddressVector here = environment.vector(domain, odd);
    assertThat(here.options().mapAddress()).isEqualTo(0x1235);
    long handle = here.insert(a(1));

    assertThat(other.open(odd)).isEqualTo(0x1235);
    other.fails(Errno.EINVAL, "lookup", handle);
  }

  @Proves("AV-048")
  @EachSetup
  void readersNeedVectorThatIsThere(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    OtherProcess other = environment.otherProcess(setup, domain);
    Expect.invalid(() -> domain.openAddressVector(reading.withName(null)));
    Expect.failure(Errno.ENOENT, () -> domain.openAddressVector(reading));
    Expect.failure(Errno.ENOENT, () -> domain.openAddressVector(reading));
    other.failsToOpen(Errno.ENOENT, reading);

    other.open(table);
    other.insert(a(1));
    AddressVector here = environment.vector(domain, reading);
    Expect.address(here, 0, a(1));
    other.tell("close");
    Expect.address(here, 0, a(1));
    here.close();
    Expect.failure(Errno.ENOENT, () -> domain.openAddressVector(reading));
  }

  @Proves("AV-049")
  @EachSetup
  void readersChangeNothing(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    OtherProcess other = environment.otherProcess(setup, domain);
    other.open(table);
    other.insert(a(1));
    AddressVector here = environment.vector(domain, reading);
    MemorySegment packed = pack(a(9));
    MemorySegment handles = MemorySegment.ofArray(new long[] {0});

    Expect.failure(Errno.EACCES, () -> here.insert(a(9)));
    Expect.failure(Errno.EACCES, () -> here.insert(List.of(a(9)), InsertOptions.none()));
    Expect.failure(Errno.EACCES, () -> here.insert(packed, 1, handles, null, 0, null));
    Expect.failure(Errno.EACCES, () -> here.insertService("10.1.1.9", "80"));
    Expect.failure(Errno.EACCES, () -> here.insertSymmetric("10.1.1.9", 2, "80", 2));
    Expect.failure(Errno.EACCES, () -> here.remove(0));
    Expect.failure(Errno.EACCES, () -> here.remove(handles, 1, 0));
    if (setup.isAtLeast(ApiVersion.V1_20)) {
      Expect.failure(Errno.EACCES, () -> here.insertAuthKey(new byte[32]));
    }

    assertThat(other.number("size")).isEqualTo(1);
    assertThat(other.lookup(0)).isEqualTo(a(1));
    Expect.address(here, 0, a(1));
    assertThat(here.find(a(9))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(here.toText(packed)).isEqualTo(a(9).toText());
  }

  @Proves(partly = "AV-041")
  @Test
  void indicesAreGivenOnceWhoeverAsks(ConformanceEnvironment environment) {
    AddressVector here = environment.vector(SHARING, table.withLockTimeout(LONG));
    OtherProcess other = environment.otherProcess(SHARING, here.domain());
    other.open(table.withLockTimeout(LONG));
    for (int i = 0; i < 100; i++) {
      long index = i % 3 == 0 ? other.insert(a(i + 1)) : here.insert(a(i + 1));
      assertThat(index).isEqualTo(i);
    }
    other.tell("remove", 7, 3, 90);
    assertThat(here.insert(a(201))).isEqualTo(3);
    assertThat(other.insert(a(202))).isEqualTo(7);
    assertThat(here.insert(a(203))).isEqualTo(90);
    assertThat(other.insert(a(1))).as("shared").isZero();
    here.remove(0);
    assertThat(other.lookup(0)).as("of two insertions one is left").isEqualTo(a(1));
    here.remove(0);
    other.fails(Errno.EINVAL, "lookup", 0);
  }

  private static final Duration LONG = Duration.ofSeconds(15);
}
