// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.fault;

import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.ofi4j.AddressVector;
import org.ofi4j.conformance.standin.ForwardingProvider;
import org.ofi4j.conformance.standin.StandIns;
import org.ofi4j.conformance.standin.Wrapping;
import org.ofi4j.spi.FabricProvider;

/**
 * One mistake that a provider might make.
 *
 * @param rule the rule that has to notice, such as AV-059
 * @param mistake what is wrong, in words
 * @param wrapping makes the mistake
 */
record PlantedFault(String rule, String mistake, Wrapping wrapping) {
  /** All of them, in the order of the man page. */
  static List<PlantedFault> all() {
    return Stream.of(
            OpenFaults.all(),
            QueueFaults.all(),
            InsertFaults.all(),
            HandleFaults.all(),
            EndpointFaults.all())
        .flatMap(List::stream)
        .toList();
  }

  /** A mistake of vectors. */
  static PlantedFault ofVector(
      String rule, String mistake, BiFunction<AddressVector, StandIns, AddressVector> faulty) {
    return new PlantedFault(
        rule,
        mistake,
        new Wrapping() {
          @Override
          public AddressVector vector(AddressVector real, StandIns standIns) {
            return faulty.apply(real, standIns);
          }
        });
  }

  /** A provider that makes this mistake and no other. */
  FabricProvider plantIn(FabricProvider healthy) {
    return new ForwardingProvider(healthy, wrapping);
  }

  @Override
  public String toString() {
    return rule + ": " + mistake;
  }
}
