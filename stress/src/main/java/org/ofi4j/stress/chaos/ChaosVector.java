// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.time.Duration;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.AvFlag;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;

/** The named vector that all are about, as one process has it open. */
final class ChaosVector implements AutoCloseable {
  /** Of a process that is stopped with the lock nobody gets it before it goes on. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  private final Fabric fabric;
  private final Domain domain;
  private final AddressVector vector;

  /**
   * Opens it.
   *
   * @param name its name
   * @param readOnly whether it must be there, and is only to be read
   */
  ChaosVector(String name, boolean readOnly) {
    FabricInfo info =
        Fabrics.info(
                Hints.latest()
                    .provider("udp")
                    .endpointType(EndpointType.DGRAM)
                    .addressFormat(AddressFormat.SOCKADDR_IN)
                    .capabilities(Capability.SHARED_AV))
            .getFirst();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
    vector =
        domain.openAddressVector(
            AvAttributes.table()
                .name(name)
                .lockTimeout(PATIENCE)
                .flags(readOnly ? AvFlag.READ.mask() : 0));
  }

  /** The vector. */
  AddressVector vector() {
    return vector;
  }

  /** Its domain. */
  Domain domain() {
    return domain;
  }

  @Override
  public void close() {
    vector.close();
    domain.close();
    fabric.close();
  }
}
