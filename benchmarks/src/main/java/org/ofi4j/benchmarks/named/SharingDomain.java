// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.benchmarks.figure.Family;

/** A domain whose vectors may have names, as an application would open it. */
final class SharingDomain implements AutoCloseable {
  private final Fabric fabric;
  private final Domain domain;

  SharingDomain() {
    FabricInfo info =
        Fabrics.info(
                Hints.latest()
                    .provider("udp")
                    .endpointType(EndpointType.DGRAM)
                    .addressFormat(Family.IPV4.format())
                    .capabilities(Capability.SHARED_AV))
            .getFirst();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
  }

  AddressVector open(AvAttributes attributes) {
    return domain.openAddressVector(attributes);
  }

  @Override
  public void close() {
    domain.close();
    fabric.close();
  }
}
