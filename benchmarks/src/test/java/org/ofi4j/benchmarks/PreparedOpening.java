// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.nio.file.Path;
import org.ofi4j.AddressVector;

/**
 * Opens a vector in a JVM in which nobody loads anything any more for those to come; and begins
 * with {@link Begin}.
 */
final class PreparedOpening {
  /** Is loaded when the opening begins. */
  private static final class Begin {
    private final Opening opening;

    Begin(Opening opening) {
      this.opening = opening;
    }
  }

  private PreparedOpening() {}

  /**
   * Opens it once.
   *
   * @param arguments as of {@link FirstOpening}
   */
  public static void main(String[] arguments) throws InterruptedException {
    Opening opening = Opening.valueOf(arguments[0]);
    try (SharingDomain domain = new SharingDomain()) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().equals("ofi4j-first-vector")) {
          thread.join();
        }
      }
      Begin begin = new Begin(opening);
      try (AddressVector vector =
          domain.open(begin.opening.attributes(arguments[1], Path.of(arguments[2])))) {
        System.out.println(vector.size());
      }
    }
  }
}
