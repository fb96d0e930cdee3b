// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.Side;

/**
 * One side of a comparison. Each call does one kind of work and answers how many nanoseconds it
 * took, without what prepares and checks. There is one open vector at a time.
 */
public interface Subject extends AutoCloseable {
  /** The most addresses that a reverse lookup is timed with. */
  int MOST_SEARCHED = 125_000;

  /** One in so many addresses is searched for before the time begins. */
  int SEARCHED_BEFORE = 8;

  /** Ends a round over work that was not done: a figure about it would be worth nothing. */
  static void check(long found, long expected, String what) {
    if (found != expected) {
      throw new IllegalStateException(what + ": " + found + ", but it should be " + expected);
    }
  }

  Side side();

  /** Takes over what the next calls work on. */
  void load(Workload workload);

  /** How many addresses that are. */
  int count();

  /** Opens a vector and inserts all addresses in one call. */
  long insert(boolean hint);

  /** Opens a vector and inserts all addresses, each by a call of its own. */
  long insertSingly();

  /** Looks up all handles in random order. */
  long lookup();

  /** How many addresses {@link #find} looks up: with many, a random part of them. 0 for none. */
  default int searched() {
    return 0;
  }

  /** Looks up addresses in random order, where the side can. */
  default long find() {
    throw new UnsupportedOperationException(side() + " has no reverse lookup");
  }

  /** Removes all entries in one call that names them in the order of insertion. */
  long removeInOrder();

  /** Removes all entries in one call that names them in random order. */
  long removeRandomly();

  /**
   * Removes entries in random order and inserts another address after each removal; the next call
   * goes back to the former addresses.
   */
  long churn(int cycles);

  /** Inserts consecutive services on consecutive nodes into a new vector. */
  long insertSymmetric(String node, int nodes, int service, int services);

  /** Closes the open vector, if there is one. */
  void closeVector();

  @Override
  void close();
}
