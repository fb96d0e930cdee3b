// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.run.RangeOutcome;

/** Ranges of nodes with one port, as tests insert them. */
public final class Ranges {
  private Ranges() {}

  /** So many IPv4 nodes, with port 7. */
  public static AddressRange nodes(long first, int count) {
    return new AddressRange(false, 0, first, 0, 7, count, 1);
  }

  /** Inserts a range, which has an outcome for each address. */
  public static RangeOutcome insert(EntryStore store, AddressRange range) {
    RangeOutcome outcome = new RangeOutcome();
    store.insertRange(range, outcome);
    assertThat(outcome.count()).isEqualTo(range.count());
    return outcome;
  }
}
