// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;

/** A domain over UDP of the loopback interface, for vectors. */
final class TestNetwork implements AutoCloseable {
  private final Fabric fabric =
      Fabrics.open(
          Hints.latest()
              .withProvider("udp")
              .withEndpointType(EndpointType.DGRAM)
              .withCapabilities(
                  Capability.MSG, Capability.SOURCE, Capability.AV_USER_ID, Capability.SHARED_AV)
              .withSource("127.0.0.1:0"));

  final Domain domain = fabric.openDomain();

  private final List<AddressVector> vectors = new ArrayList<>();

  AddressVector vector() {
    return vector(VectorOptions.table());
  }

  AddressVector vector(VectorOptions options) {
    AddressVector vector = domain.openAddressVector(options);
    vectors.add(vector);
    return vector;
  }

  /** A vector for all processes of the node, as one of them sees it. */
  AddressVector nodeVector(String name) {
    VectorOptions options = VectorOptions.table().withName(name);
    AddressVector vector = Cluster.openNodeVector(domain, options);
    vectors.add(vector);
    return vector;
  }

  /** A member without rank, user id and attributes, at a port. */
  static Member member(String host, String name, int port, long incarnation) {
    return new Member(
        name,
        OptionalInt.empty(),
        OptionalLong.empty(),
        address(port),
        Map.of(),
        incarnation,
        host);
  }

  static FabricAddress address(int port) {
    return new FabricAddress.SocketAddress4(0x7F000001, port);
  }

  /** Returns the member of a rank, with an address of its own. */
  static Member rank(int rank) {
    return new Member(
        JobTable.name(rank),
        OptionalInt.of(rank),
        OptionalLong.empty(),
        address(5000 + rank),
        Map.of(),
        0,
        "host");
  }

  @Override
  public void close() {
    vectors.forEach(AddressVector::close);
    domain.close();
    fabric.close();
  }
}
