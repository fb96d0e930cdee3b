// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Hears how far a run is. */
@FunctionalInterface
public interface BenchmarkListener {
  /** What is measured now, and how many of how many steps are done. */
  void at(String what, int done, int steps);
}
