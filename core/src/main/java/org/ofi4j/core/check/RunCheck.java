// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Slots;

/** Checks all {@link Runs}, whatever their memory has. */
final class RunCheck extends MemoryCheck {
  private final Runs runs;
  private RunSnapshot all = RunSnapshot.NONE;

  RunCheck(Runs runs, Claims claims, boolean whole) {
    super(claims, whole);
    this.runs = runs;
  }

  /** Checks that the runs can be read; returns whether they can. */
  boolean check() {
    findings.in("the runs", () -> all = runs.present());
    if (!findings.isEmpty()) {
      return false;
    }
    int unit = Runs.unit(allocator.root().get(JAVA_LONG, Superblock.RUNS));
    int units = SlabAllocator.sizeOf(Runs.units(Math.max(all.count(), 1)));
    return all.isEmpty() || claims.units(unit, units, "the runs");
  }

  /** Checks the number of indices of each run that have slots. */
  void checkSlots(Slots slots) {
    for (int place = 0; whole && place < all.count(); place++) {
      Run run = all.get(place);
      int counted = slots.countUsed(run.first(), run.end());
      findings.same(
          "indices with slots of the run at " + run.first(), runs.slotCount(run), counted);
    }
  }

  /** All runs. */
  RunSnapshot all() {
    return all;
  }

  /** How many indices the runs cover. */
  long covered() {
    long covered = 0;
    for (int place = 0; place < all.count(); place++) {
      covered += all.get(place).count();
    }
    return covered;
  }
}
