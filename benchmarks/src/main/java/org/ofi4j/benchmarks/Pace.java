package org.ofi4j.benchmarks;

/**
 * Shares out what is left of the time for one size among the stages on which no bar rests. Those
 * with bars take what they need.
 */
final class Pace {
  private final long budget;
  private long end;
  private int stages;

  /**
   * A pace.
   *
   * @param seconds the time for everything
   * @param stages among how many stages the rest is shared out
   */
  Pace(double seconds, int stages) {
    this.budget = (long) (seconds * 1e9);
    this.stages = stages;
    this.end = Long.MAX_VALUE;
  }

  /** The time begins. */
  void begin() {
    end = System.nanoTime() + budget;
  }

  /** The share of the next stage, in nanoseconds. */
  long share() {
    long left = Math.max(0, end - System.nanoTime());
    long share = left / Math.max(1, stages);
    stages--;
    return share;
  }
}
