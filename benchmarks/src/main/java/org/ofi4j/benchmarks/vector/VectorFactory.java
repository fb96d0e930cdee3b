// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.benchmarks.figure.Family;

/** Opens ofi4j's vectors for addresses of one family, as an application would. */
final class VectorFactory implements AutoCloseable {
  private final Fabric fabric;
  private final Domain domain;

  VectorFactory(Family family) {
    FabricInfo info =
        Fabrics.info(
                Hints.latest()
                    .provider("udp")
                    .endpointType(EndpointType.DGRAM)
                    .addressFormat(family.format()))
            .getFirst();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
  }

  /** An empty vector of type TABLE. */
  AddressVector open(long countHint) {
    return domain.openAddressVector(AvAttributes.table().count(countHint));
  }

  /** A vector of type TABLE that processes share; empty if nobody has opened it. */
  AddressVector open(long countHint, String name) {
    return domain.openAddressVector(AvAttributes.table().count(countHint).name(name));
  }

  @Override
  public void close() {
    domain.close();
    fabric.close();
  }
}
