// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

/** Follows a run of the suite; calls come from the thread that runs it. */
public interface ConformanceListener {
  /** Follows nothing. */
  ConformanceListener NONE = new ConformanceListener() {};

  /**
   * The run begins.
   *
   * @param methods how many test methods there are; most of them run in several variants
   */
  default void started(int methods) {}

  /**
   * A test method is done with all its variants.
   *
   * @param test class and method
   * @param passed whether all variants passed
   * @param done how many methods are done
   * @param methods how many there are
   */
  default void finished(String test, boolean passed, int done, int methods) {}
}
