// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All runs of a store at a time, by index and by address. Immutable. */
public final class RunSnapshot {
  /** The runs of no store. */
  public static final RunSnapshot NONE = empty(-1);

  private final long version;
  private final int number;

  /** In the order of their indices, which no two of them have in common. */
  private final Run[] runs;

  private final int[] firsts;

  /** The longest one, in which most lookups are; null if there are no runs. */
  private final @Nullable Run longest;

  private final RunOrder order;

  /** Shares everything with another snapshot but the version. */
  private RunSnapshot(long version, RunSnapshot other) {
    this.version = version;
    this.number = other.number;
    this.runs = other.runs;
    this.firsts = other.firsts;
    this.longest = other.longest;
    this.order = other.order;
  }

  private RunSnapshot(long version, int number, Run[] runs, RunOrder order) {
    this.version = version;
    this.number = number;
    this.runs = runs;
    this.order = order;
    this.firsts = new int[runs.length];
    Run most = runs.length == 0 ? null : runs[0];
    for (int i = 0; i < runs.length; i++) {
      firsts[i] = runs[i].first();
      most = most == null || runs[i].count() > most.count() ? runs[i] : most;
    }
    this.longest = most;
  }

  /** No runs. */
  static RunSnapshot empty(long version) {
    return new RunSnapshot(version, 0, new Run[0], RunOrder.EMPTY);
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
    return new RunSnapshot(next, number, all, order.with(from, to, added, keys));
  }

  /** The same runs under another version. */
  RunSnapshot at(long next) {
    return new RunSnapshot(next, this);
  }

  /** The word of the superblock that leads to these runs, and to no others. */
  long version() {
    return version;
  }

  /** The number that these runs have in memory, whatever word leads to them. */
  int number() {
    return number;
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

  RunOrder order() {
    return order;
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
