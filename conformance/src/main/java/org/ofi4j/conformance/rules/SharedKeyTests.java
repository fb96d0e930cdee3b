// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.rules.AuthKeyTests.key;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.OtherProcess;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** Authorization keys of a vector that several processes have open. */
@ConformanceTest
class SharedKeyTests extends AddressTests {
  private final VectorOptions table =
      VectorOptions.table().withName("ofi4j keys/" + UUID.randomUUID());

  private static Setup setup() {
    return Setup.DEFAULT.caps(Capability.MSG, Capability.SHARED_AV).endpointType(EndpointType.RDM);
  }

  private static Domain domain(ConformanceEnvironment environment) {
    return environment.domain(setup().hintsForKeys());
  }

  private static InsertOptions under(long key) {
    return InsertOptions.none().withAuthKeys(key);
  }

  @Proves(partly = {"AV-091", "AV-155", "AV-167"})
  @Test
  void aKeyIsThatOfWhoInsertedIt(ConformanceEnvironment environment) {
    Domain domain = domain(environment);
    AddressVector here = environment.vector(domain, table);
    OtherProcess other = environment.otherProcess(setup(), domain);
    other.open(table);
    long red = other.insertAuthKey(key(1));
    long entry = other.insert(a(1), red);

    Expect.address(here, entry, a(1));
    Expect.failure(Errno.ENOKEY, () -> here.lookupAuthKey(entry));
    Expect.failure(Errno.ENOKEY, () -> here.lookupAuthKey(red));
    Expect.failure(Errno.ENOKEY, () -> here.find(a(1), red));
    assertThat(here.insert(List.of(a(2)), under(red)).error(0)).isEqualTo(Errno.ENOKEY.number());
    long blue = here.insertAuthKey(key(2));
    assertThat(blue).as("another key").isNotEqualTo(red);
    other.fails(Errno.ENOKEY, "under", a(2), blue);

    assertThat(here.insertAuthKey(key(1))).as("the same key").isEqualTo(red);
    assertThat(here.find(a(1), red)).isEqualTo(entry);
    assertThat(here.lookupAuthKey(entry)).isEqualTo(key(1));
    assertThat(here.insert(List.of(a(1)), under(red)).handle(0)).as("shared").isEqualTo(entry);
  }

  @Proves(partly = "AV-155")
  @Test
  void aKeyThatIsRemovedHereStaysThere(ConformanceEnvironment environment) {
    Domain domain = domain(environment);
    AddressVector here = environment.vector(domain, table);
    OtherProcess other = environment.otherProcess(setup(), domain);
    other.open(table);
    long red = here.insertAuthKey(key(1));
    assertThat(other.insertAuthKey(key(1))).isEqualTo(red);
    long entry = other.insert(a(1), red);
    here.removeAuthKey(red);
    Expect.failure(Errno.ENOKEY, () -> here.lookupAuthKey(entry));
    Expect.address(here, entry, a(1));
    long second = other.insert(a(2), red);
    assertThat(here.insertAuthKey(key(2))).as("its number is taken").isNotEqualTo(red);
    assertThat(here.insertAuthKey(key(1))).as("the same key").isEqualTo(red);
    assertThat(here.lookupAuthKey(second)).isEqualTo(key(1));
  }

  @Proves(partly = {"AV-041", "AV-156"})
  @Test
  void whoSharesAgreesOnKeys(ConformanceEnvironment environment) {
    Domain domain = domain(environment);
    AddressVector here = environment.vector(domain, table);
    Domain without = environment.domain(setup());
    if (without.info().domain().name().equals(domain.info().domain().name())) {
      Expect.invalid(() -> without.openAddressVector(table));
    }
    assertThat(here.insertAuthKey(key(1))).isNotNegative();
    AddressVector reader = environment.vector(domain, table.withFlags(VectorFlag.READ));
    Expect.failure(Errno.EACCES, () -> reader.insertAuthKey(key(1)));
  }
}
