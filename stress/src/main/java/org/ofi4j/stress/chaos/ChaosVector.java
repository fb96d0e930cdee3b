// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.time.Duration;
import org.ofi4j.AddressVector;
import org.ofi4j.SharedVectors;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.vector.VectorFactory;

/** The named vector that all are about, as one process has it open. */
final class ChaosVector implements AutoCloseable {
  /** Of a process that is stopped with the lock nobody gets it before it goes on. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  private final VectorFactory domain = VectorFactory.sharing(Family.IPV4);
  private final AddressVector vector;

  /** Opens it; read-only, it must be there. */
  ChaosVector(String name, boolean readOnly) {
    vector =
        domain.open(
            VectorOptions.table()
                .withName(name)
                .withLockTimeout(PATIENCE)
                .withFlags(readOnly ? VectorFlag.READ.mask() : 0));
  }

  /** Removes the files of a vector that no process uses any more, if there are any. */
  static void removeFiles(String name) {
    try (VectorFactory domain = VectorFactory.sharing(Family.IPV4)) {
      if (domain.sharedVectors().names().contains(name)) {
        domain.sharedVectors().unlink(name);
      }
    }
  }

  AddressVector vector() {
    return vector;
  }

  /** The named vectors of its domain. */
  SharedVectors all() {
    return domain.sharedVectors();
  }

  @Override
  public void close() {
    vector.close();
    domain.close();
  }
}
