// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

/** Ranges of nodes with one port, as tests insert them. */
final class Ranges {
  private Ranges() {}

  /** So many IPv4 nodes, with port 7. */
  static AddressRange nodes(long first, int count) {
    return new AddressRange(false, 0, first, 0, 7, count, 1);
  }

  /** Inserts a range, which has an outcome for each address. */
  static RangeOutcome insert(EntryStore store, AddressRange range) {
    RangeOutcome outcome = new RangeOutcome();
    store.insertRange(range, outcome);
    assertThat(outcome.count()).isEqualTo(range.count());
    return outcome;
  }
}
