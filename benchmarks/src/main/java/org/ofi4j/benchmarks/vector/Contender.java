// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;

/** A side that does rounds of {@link RoundWork} when it is its turn, in a process of its own. */
interface Contender extends AutoCloseable {
  Side side();

  /** Prepares work, and warms up for it. */
  void load(RoundWork work, int peers);

  /** Does it once. */
  void round(int number, FigureSink figures);

  /** Ends the process. */
  @Override
  void close();
}
