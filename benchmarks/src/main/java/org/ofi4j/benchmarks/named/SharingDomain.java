// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.vector.AddressList;
import org.ofi4j.benchmarks.vector.Subject;

/** A domain whose vectors may have names, as an application would open it. */
final class SharingDomain implements AutoCloseable {
  private static final int PART = 1_000_000;

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

  /** Inserts so many addresses, in parts. */
  static void fill(AddressVector vector, AddressPattern pattern, int peers) {
    int most = Math.min(PART, peers);
    AddressList.Filler filler = AddressList.Filler.of(pattern, Family.IPV4, peers);
    try (Arena arena = Arena.ofConfined()) {
      AddressList part = AddressList.allocate(arena, Family.IPV4, most);
      MemorySegment handles = arena.allocate(8L * most, 64);
      for (int done = 0; done < peers; done += most) {
        AddressList some =
            new AddressList(Family.IPV4, part.packed(), Math.min(most, peers - done));
        some.fill(filler, done);
        int inserted = vector.insert(some.packed(), some.count(), handles, null, 0, null);
        Subject.check(inserted, some.count(), "addresses inserted");
      }
    }
  }
}
