// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.nio.file.Path;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * Opens a vector in a JVM that has done nothing else yet, and says on standard output how many
 * nanoseconds that took, how many with fabric and domain, and how many entries there are.
 */
final class FirstOpening {
  private FirstOpening() {}

  /** Opens it once; the arguments are an {@link Opening}, the name of the vector, its file. */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void main(String[] arguments) {
    Opening opening = Opening.valueOf(arguments[0]);
    Path file = Path.of(arguments[2]);
    long begin = System.nanoTime();
    try (VectorFactory domain = VectorFactory.sharing(Family.IPV4)) {
      long opened = System.nanoTime();
      try (AddressVector vector = domain.open(opening.options(arguments[1], file))) {
        long end = System.nanoTime();
        System.out.println((end - opened) + " " + (end - begin) + " " + vector.size());
      }
    }
  }
}
