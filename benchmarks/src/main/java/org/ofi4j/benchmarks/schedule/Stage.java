// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.schedule;

import org.ofi4j.benchmarks.figure.FigureSink;

/**
 * A part of the run.
 *
 * @param title what is measured, for people
 * @param place when it may run
 * @param work measures it
 */
public record Stage(String title, Place place, Work work) {
  /** When a stage may run. */
  public enum Place {
    /** As those that are early, and before them: it takes longest. */
    EARLIEST,
    /** Before the quiet ones, beside other work. */
    EARLY,
    /** The same, but not beside other work of libfabric. */
    EARLY_WITH_LIBFABRIC,
    /** While nothing else of the run is at work: bars on time rest on it. */
    QUIET,
    /** After the quiet ones, beside other work. */
    LATE
  }

  /** Measures something. */
  @FunctionalInterface
  public interface Work {
    void run(FigureSink figures) throws Exception;
  }
}
