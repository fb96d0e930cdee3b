package org.ofi4j.benchmarks;

/**
 * A part of the run.
 *
 * @param title what is measured, for people
 * @param place when it may run
 * @param work measures it
 */
record Stage(String title, Place place, Work work) {
  /** When a stage may run. */
  enum Place {
    /** While nothing else of the run is at work: bars on time rest on it. */
    QUIET,
    /** Beside other work. */
    BESIDE,
    /** Beside other work, but not beside other work of libfabric. */
    BESIDE_WITH_LIBFABRIC
  }

  /** Measures something. */
  @FunctionalInterface
  interface Work {
    void run(FigureSink figures) throws Exception;
  }
}
