// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All runs of a store at a time, by index and by address. Immutable.
 *
 * @param version the word of the superblock that leads to these runs, and to no others
 * @param number the number that these runs have in memory, whatever word leads to them
 * @param runs in the order of their indices, which no two of them have in common
 * @param firsts the first index of each
 * @param longest the longest one, in which most lookups are; null if there are no runs
 * @param order of their addresses
 */
public record RunSnapshot(
    long version, int number, Run[] runs, int[] firsts, @Nullable Run longest, RunOrder order) {
  /** The runs of no store. */
  public static final RunSnapshot NONE = empty(-1);

  /** No runs. */
  static RunSnapshot empty(long version) {
    return new RunSnapshot(version, 0, new Run[0], new int[0], null, RunOrder.EMPTY);
  }

  /**
   * These runs without those that begin in an interval of indices, and with others.
   *
   * @param next the word that leads to them
   * @param number the number that they have in memory
   * @param from the first index of the interval
   * @param to one more than the last one
   * @param added in the order of their indices, all of which are in the interval
   */
  RunSnapshot with(long next, int number, int from, int to, List<Run> added, RunKeys keys) {
    int start = firstFrom(from);
    int stop = firstFrom(to);
    Run[] all = new Run[runs.length - (stop - start) + added.size()];
    System.arraycopy(runs, 0, all, 0, start);
    for (int i = 0; i < added.size(); i++) {
      all[start + i] = added.get(i);
    }
    System.arraycopy(runs, stop, all, start + added.size(), runs.length - stop);
    int[] allFirsts = new int[all.length];
    Run most = null;
    for (int i = 0; i < all.length; i++) {
      allFirsts[i] = all[i].first();
      most = most == null || all[i].count() > most.count() ? all[i] : most;
    }
    return new RunSnapshot(next, number, all, allFirsts, most, order.with(from, to, added, keys));
  }

  /** The same runs under another version. */
  RunSnapshot at(long next) {
    return new RunSnapshot(next, number, runs, firsts, longest, order);
  }

  public boolean isEmpty() {
    return runs.length == 0;
  }

  public int count() {
    return runs.length;
  }

  /** All runs in the order of their indices. */
  public List<Run> all() {
    return List.of(runs);
  }

  /** The run at a place in the order of indices. */
  public Run get(int place) {
    return runs[place];
  }

  /** The run that covers any number, or null. */
  public @Nullable Run at(int index) {
    Run run = longest;
    if (run == null || run.covers(index)) {
      return run;
    }
    int place = firstFrom(index + 1) - 1;
    return place >= 0 && runs[place].covers(index) ? runs[place] : null;
  }

  /** The place of the first run that begins at or behind an index; the count if there is none. */
  public int firstFrom(int index) {
    int place = Arrays.binarySearch(firsts, index);
    return place < 0 ? ~place : place;
  }
}
