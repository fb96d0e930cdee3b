// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.SharedVectors;
import org.ofi4j.VectorOptions;

/** A look at the named vectors of a domain. */
class SharedVectorsTest {
  private static Hints hints(ApiVersion version) {
    return Hints.of(version).withProvider("udp").withSource("127.0.0.1:0");
  }

  private static void refused(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).as(e.getMessage()).isEqualTo(errno));
  }

  @Test
  @Tag("AV-040")
  @DisplayName("Domains tell of their named vectors, also in versions without the capability")
  void told() {
    for (ApiVersion version : List.of(ApiVersion.LATEST, ApiVersion.V1_3)) {
      String name = "told " + UUID.randomUUID() + " \u00e4/+%2B";
      try (Fabric fabric = Fabrics.open(hints(version));
          Domain domain = fabric.openDomain()) {
        SharedVectors vectors = domain.sharedVectors();
        try (AddressVector vector =
            domain.openAddressVector(VectorOptions.table().withName(name))) {
          vector.insertSymmetric("10.1.1.1", 8, "5000", 8);
          assertThat(vectors.names()).contains(name);
          SharedVectorStatus status = vectors.status(name);
          assertThat(status.entries()).isEqualTo(64);
          assertThat(status.mapAddress()).isEqualTo(vector.options().mapAddress());
          assertThat(status.writer()).isEmpty();
          SharedVectorReport report = vectors.verify(name, Duration.ofSeconds(30));
          assertThat(report.violations()).isEmpty();
          assertThat(report.entries()).isEqualTo(64);
          assertThat(report.state()).isEqualTo(SharedVectorReport.State.IN_USE);
          refused(Errno.EBUSY, () -> vectors.unlink(name));
          assertThat(vector.size()).isEqualTo(64);
        }
        assertThat(vectors.names()).doesNotContain(name);
        refused(Errno.ENOENT, () -> vectors.status(name));
        refused(Errno.ENOENT, () -> vectors.unlink(name));
        refused(Errno.ENOENT, () -> vectors.verify(name, Duration.ofSeconds(1)));
        refused(Errno.EINVAL, () -> vectors.status(""));
      }
    }
  }

  @Test
  @DisplayName("Domains that share no vectors say so")
  void none() {
    Hints plain = hints(ApiVersion.LATEST).withMoreCapabilities(Capability.MSG);
    try (Fabric fabric = Fabrics.open(plain);
        Domain domain = fabric.openDomain()) {
      refused(Errno.ENOSYS, domain::sharedVectors);
    }
  }
}
