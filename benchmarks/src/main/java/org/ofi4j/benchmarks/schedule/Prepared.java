// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.schedule;

/** Something that is ready to be measured, once. */
public interface Prepared extends AutoCloseable {
  /** Measures it. */
  void measure() throws InterruptedException;

  /** Ends what was prepared. */
  @Override
  void close();
}
