// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

/**
 * Says where so many runs lie over each other by address that another one would make searches slow:
 * a search looks at every run whose keys enclose the key it has. Keys of runs with gaps, as nodes
 * in large steps have them, enclose those of other runs; and where an address may have several
 * entries, so do runs of the same addresses. For the one thread that writes.
 *
 * <p>Goes through the elements of an order that begin in an interval, in the order of their first
 * keys, and keeps the last keys of those that have not ended yet.
 */
final class OverlapLimit implements RunTree.Visitor {
  /** So many runs may lie over a key. */
  static final int MOST = 8;

  /** So many elements may be looked at for nothing. */
  private static final int LOOKS = 64;

  private final Runs runs;

  /** The last keys of the elements that enclose the key looked at. */
  private final long[] open = new long[MOST];

  private int openCount;
  private int looksLeft;

  /** The run that is not to be counted. */
  private int own;

  OverlapLimit(Runs runs) {
    this.runs = runs;
  }

  /**
   * Whether addresses are where there are too many runs already for one more. What it takes to know
   * is bounded by how many addresses there are: where more runs lie along them, the answer is yes.
   *
   * @param from how many of them are in their run already
   * @param count how many they are to be, more than that
   * @param but a run that does not count; 0 if all do
   * @return true if they had better be scattered
   */
  boolean isOverLimit(RunShape shape, int from, int count, int but) {
    if (runs.count() < MOST) {
      return false;
    }
    own = but;
    looksLeft = LOOKS + Math.min(count - from, Integer.MAX_VALUE - LOOKS);
    // Several rows may get other keys altogether.
    int known = shape.inner() == Progression.ONE_ROW ? from : 0;
    boolean[] overLimit = {false};
    runs.keys()
        .of(
            shape,
            known,
            count,
            (byPort, first, last) -> {
              openCount = 0;
              RunTree order = byPort ? runs.byPort() : runs.byAddress();
              overLimit[0] = overLimit[0] || !order.visit(first, last, this);
            });
    return overLimit[0];
  }

  /** {@inheritDoc} Goes on as long as they are not too many. */
  @Override
  public boolean visit(long first, long last, int run) {
    if (looksLeft == 0) {
      return false;
    }
    looksLeft--;
    if (run == own) {
      return true;
    }
    int left = 0;
    for (int i = 0; i < openCount; i++) {
      if (open[i] >= first) {
        open[left++] = open[i];
      }
    }
    openCount = left;
    open[openCount++] = last;
    return openCount < MOST;
  }
}
