// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.core.object.Tally;

/**
 * How many addresses were inserted and removed through one vector since it was opened. Counted
 * under the lock of writers; any thread reads.
 */
final class ChangeTotals {
  private final Tally insertions = new Tally();
  private final Tally failedInsertions = new Tally();
  private final Tally removals = new Tally();

  /** Addresses were inserted, be it in a call that fails behind them. */
  void inserted(int count) {
    insertions.add(count);
  }

  /** An insertion went through, in which some addresses failed. */
  void failed(int count) {
    failedInsertions.add(count);
  }

  /** Entries, or shares of them, were removed. */
  void removed(int count) {
    removals.add(count);
  }

  long insertions() {
    return insertions.get();
  }

  long failedInsertions() {
    return failedInsertions.get();
  }

  long removals() {
    return removals.get();
  }
}
