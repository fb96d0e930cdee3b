// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.SharedVectors;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;

/** Opens ofi4j's vectors for addresses of one family, as an application would. */
public final class VectorFactory implements AutoCloseable {
  private final Fabric fabric;
  private final Domain domain;

  /** A factory whose vectors have no names. */
  public VectorFactory(Family family) {
    this(hints(family));
  }

  private VectorFactory(Hints hints) {
    FabricInfo info = Fabrics.info(hints).best();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain(info);
  }

  /** A factory whose vectors may have names. */
  public static VectorFactory sharing(Family family) {
    return new VectorFactory(hints(family).withCapabilities(Capability.SHARED_AV));
  }

  private static Hints hints(Family family) {
    return Hints.datagram().withProvider("udp").withAddressFormat(family.format());
  }

  /** An empty vector of type TABLE. */
  AddressVector open(long countHint) {
    return open(VectorOptions.table().withCount(countHint));
  }

  public AddressVector open(VectorOptions options) {
    return domain.openAddressVector(options);
  }

  /** What opens vectors. */
  public Domain domain() {
    return domain;
  }

  /** The vectors with names. */
  public SharedVectors sharedVectors() {
    return domain.sharedVectors();
  }

  @Override
  public void close() {
    domain.close();
    fabric.close();
  }
}
