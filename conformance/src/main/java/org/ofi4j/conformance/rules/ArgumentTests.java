// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.harness.Expect.missing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.historic.HistoricVector;

/** GEN: what the page says about arguments, lengths and flags of all calls. */
@ConformanceTest
class ArgumentTests extends AddressTests {
  /** Bits that no call of a vector knows. */
  private static final long UNKNOWN = 1L << 3;

  private static final MemorySegment HANDLES = MemorySegment.ofArray(new long[] {0, 0, 0});

  @Proves({"AV-010", "AV-122"})
  @EachProfile
  void missingAddressesAreRefused(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);

    Expect.invalid(() -> vector.insert(Expect.<List<FabricAddress>>missing()));
    Expect.invalid(() -> vector.insert(List.of(a(1)), missing()));
    Expect.invalid(() -> vector.insertService(missing(), "80"));
    Expect.invalid(() -> vector.insertService("127.0.0.1", missing()));
    Expect.invalid(() -> vector.insertSymmetric(missing(), 1, "80", 1));
    Expect.invalid(() -> vector.insertSymmetric("127.0.0.1", 1, missing(), 1));
    Expect.invalid(() -> vector.find(Expect.<FabricAddress>missing()));
    if (!setup.isAppendOnly()) { // There, no address at all means any address (AV-079).
      Expect.failure(Errno.EINVAL, () -> vector.insert(Expect.<FabricAddress>missing()));
      Expect.invalid(() -> vector.insert(missing(), 1, HANDLES, null, 0, null));
    }

    assertThat(vector.size()).isZero();
    assertThat(vector.insert(a(1))).isZero();
  }

  @Proves({"AV-010", "AV-138"})
  @EachProfile
  @SuppressWarnings("deprecation") // Deprecated by the man page, yet to be kept working (AV-074).
  void missingObjectsAndBuffersAreRefused(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    AddressVector vector = environment.vector(domain);
    AddressVector async = environment.unboundVector(domain);
    vector.insert(a(1));

    Expect.invalid(() -> domain.openAddressVector(missing()));
    Expect.invalid(() -> HistoricVector.of(async).bind(missing(), 0));
    Expect.invalid(() -> vector.remove(Expect.<MemorySegment>missing(), 1, 0));
    Expect.invalid(() -> vector.lookup(0, missing()));

    Expect.address(vector, 0, a(1));
  }

  @Proves("AV-010")
  @Test
  void negativeCountsAreRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment packed = pack(a(1));

    Expect.invalid(() -> vector.insert(packed, -1, HANDLES, null, 0, null));
    Expect.invalid(() -> vector.remove(HANDLES, -1, 0));
    Expect.invalid(() -> vector.insertSymmetric("10.1.1.1", -1, "80", 1));
    Expect.invalid(() -> vector.insertSymmetric("10.1.1.1", 1, "80", -1));

    assertThat(vector.size()).isZero();
  }

  @Proves("AV-012")
  @EachProfile
  @SuppressWarnings("deprecation")
  void bitsWithoutMeaningAreRefused(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    AddressVector vector = environment.vector(domain);
    AddressVector async = environment.unboundVector(domain);
    EventQueue queue = environment.eventQueue(domain.fabric());
    vector.insert(a(1));

    Expect.invalid(() -> HistoricVector.of(async).bind(queue, 1));
    for (InsertCall call : InsertCall.values()) {
      Expect.failure(Errno.EBADFLAGS, () -> call.insert(vector, UNKNOWN, null));
    }
    Expect.invalid(() -> vector.remove(HANDLES, 1, UNKNOWN));
    if (setup.isAtLeast(ApiVersion.V1_20)) {
      Expect.invalid(() -> HistoricVector.of(vector).insertAuthKey(new byte[16], 1));
    }

    assertThat(vector.size()).as("entries after nothing but refusals").isEqualTo(1);
    Expect.address(vector, 0, a(1));
    HistoricVector.of(async).bind(queue, 0);
  }

  @Proves("AV-012")
  @Test
  void flagsLastForOneCall(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    MemorySegment errors = MemorySegment.ofArray(new int[] {77});
    MemorySegment bad = pack(bad());

    vector.insert(bad, 1, HANDLES, errors, InsertFlag.SYNC_ERR.mask(), null);
    assertThat(errors.get(ValueLayout.JAVA_INT, 0)).isEqualTo(Errno.EADDRNOTAVAIL.number());
    errors.set(ValueLayout.JAVA_INT, 0, 77);
    vector.insert(bad, 1, HANDLES, null, 0, null);

    assertThat(errors.get(ValueLayout.JAVA_INT, 0)).as("array of an earlier call").isEqualTo(77);
  }
}
