// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Hears how far a run is. */
@FunctionalInterface
public interface BenchmarkListener {
  /**
   * Something begins.
   *
   * @param what what is measured now
   * @param done how many steps are done
   * @param steps how many there are
   */
  void at(String what, int done, int steps);
}
