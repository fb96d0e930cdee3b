// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import org.ofi4j.Domain;

/** A sequence of operations on a vector and on its reference, the same for the same seed. */
interface Run extends AutoCloseable {
  /** Begins a sequence. */
  interface Start {
    Run start(Domain domain, Scenario scenario, long seed);
  }

  /** Does the next operation and compares what it did; throws AssertionError if it differs. */
  void step();

  /** Compares everything that the vector holds. */
  void compareAll();

  @Override
  void close();
}
