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

  /** An insertion has ended; says how many of its addresses were inserted, as it was told. */
  int inserted(int requested, int inserted) {
    insertions.add(inserted);
    failedInsertions.add((long) requested - inserted);
    return inserted;
  }

  /** Entries, or shares of them, were removed; says how many, as it was told. */
  int removed(int count) {
    removals.add(count);
    return count;
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
