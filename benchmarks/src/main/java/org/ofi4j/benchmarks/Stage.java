package org.ofi4j.benchmarks;

/**
 * A part of the run.
 *
 * @param title what is measured, for people
 * @param work measures it
 */
record Stage(String title, Work work) {
  /** Measures something. */
  @FunctionalInterface
  interface Work {
    void run() throws Exception;
  }
}
