// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Puts addresses that follow each other at indices that are free: at the end of the last run if
 * they go on from it, else as a run of their own. For the one thread that writes.
 *
 * <p>Indices that get a run are made ready first. Holes of other runs are cut out of those; slots
 * that were used before tell their generations to the block and become 0, as a slot goes before a
 * run. Both change nothing that can be seen, as the indices are dead. Then the run appears with a
 * count of 0, its indices cease to be free, and the store of the count makes all its entries live.
 */
public final class RunPlacement {
  /** Fewer addresses than this are not worth a run. */
  public static final int LEAST = 16;

  private final Slots slots;
  private final SlotChanges slotChanges;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final Runs runs;
  private final RunChanges changes;
  private final RunRecords records;
  private final OverlapLimit overlaps;

  /** The version of the runs for which the fields below hold. */
  private long version = -1;

  /** The run that ends where the indices in use end, or 0. */
  private int tail;

  private RunShape shape = RunShape.row(0, 1, 0);
  private int first;
  private int limit;

  /** Up to which count no other run has an address of the formula. */
  private int alone;

  public RunPlacement(
      Slots slots, SlotChanges slotChanges, FreeIndices freeIndices, RunChanges changes) {
    this.slots = slots;
    this.slotChanges = slotChanges;
    this.freeIndices = freeIndices;
    this.free = freeIndices.lookups();
    this.runs = changes.runs();
    this.changes = changes;
    this.records = runs.records();
    this.overlaps = new OverlapLimit(runs);
  }

  /** Looks at the tail anew, as another process may have written. */
  public void forget() {
    version = -1;
  }

  /** Whether addresses are where there are {@linkplain OverlapLimit too many runs} already. */
  public boolean isOverLimit(RunShape addresses, int count) {
    return overlaps.isOverLimit(addresses, 0, count, 0);
  }

  /** The run at whose end the next index is, or 0. */
  private int tail() {
    int end = freeIndices.end();
    if (version != runs.version()) {
      version = runs.version();
      tail = end == 0 ? 0 : runs.at(end - 1);
      if (tail != 0) {
        shape = records.shape(tail);
        first = records.first(tail);
        limit = shape.limit();
        alone = 0;
      }
    }
    // New entries have no shares yet.
    return tail != 0 && first + records.count(tail) == end && records.shares(tail) == 0 ? tail : 0;
  }

  public RunShape tailShape() {
    return shape;
  }

  public int tailCount() {
    return records.count(tail);
  }

  /**
   * Whether an IPv4 address goes on from the tail, at the end of which the next index is.
   *
   * @param word {@code address << 16 | port}
   */
  public boolean extendsTail(long word) {
    int run = tail();
    if (run == 0 || shape.ipv6()) {
      return false;
    }
    int count = records.count(run);
    return count < limit && shape.ipv4(count) == word;
  }

  /** How many of the addresses that follow the tail, which it would get, no other run has. */
  public int aloneFor(int wanted) {
    int count = records.count(tail);
    int further = (int) Math.min(limit, (long) count + wanted);
    if (alone < further) {
      int look = (int) Math.min(limit, Math.max(further, 2L * count));
      boolean[] isAlone = {true};
      runs.forEachNear(shape.from(count), look - count, run -> isAlone[0] &= run == tail);
      alone = isAlone[0] ? look : count;
    }
    return Math.max(0, Math.min(alone, further) - count);
  }

  /**
   * How many entries the tail can get.
   *
   * @return that many or fewer, as the capacity, a slot, a generation, the formula or other runs
   *     say
   */
  public int room(int wanted) {
    int end = freeIndices.end();
    int count = records.count(tail);
    int most = Math.min(Math.min(wanted, limit - count), freeIndices.freeEnd(end) - end);
    int reach = records.reach(tail);
    if (count + most > reach && isOverLimitAhead(count + most)) {
      most = Math.max(0, reach - count);
    }
    long generation = records.generation(tail);
    int stop = end;
    while (stop < end + most) {
      int block = Math.min(end + most, (stop | FreeIndexDirectory.BLOCK_SIZE - 1) + 1);
      if (free.nextGeneration(stop, 1) > generation) {
        break;
      }
      stop = block < stop ? end + most : block;
    }
    return slots.usedFrom(end, stop) - end;
  }

  /**
   * Lets the tail grow.
   *
   * @param more by how many entries, for which there is {@link #room}
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void grow(int more) {
    int end = freeIndices.end();
    int count = records.count(tail) + more;
    changes.ensureReach(tail, count <= records.reach(tail) ? count : reachFor(count));
    freeIndices.takeRun(end, more);
    changes.grow(tail, count);
  }

  /**
   * How far the tail is to reach that gets a count: twice as far as now, unless that is among too
   * many runs.
   */
  private int reachFor(int count) {
    int reach = (int) Math.min(limit, Math.max(count, 2L * records.reach(tail)));
    while (reach > count && isOverLimitAhead(reach)) {
      reach = count + (reach - count) / 2;
    }
    return reach;
  }

  /** Whether the tail would lie among too many runs if it reached further than it does. */
  private boolean isOverLimitAhead(int further) {
    return overlaps.isOverLimit(shape, records.reach(tail), further, tail);
  }

  /**
   * Puts addresses that no entry has, or that may have several, at free indices.
   *
   * @param at the next index to be used
   * @param count how many, at least {@link #LEAST} or those that go on from the tail; so many
   *     indices from there on are unused
   * @return how many were put, at least 1 unless nothing goes on from the tail
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public int place(RunShape addresses, int at, int count) {
    if (at == freeIndices.end() && tail() != 0 && goesOn(addresses)) {
      int room = room(count);
      if (room > 0) {
        grow(room);
        return room;
      }
    }
    if (count < LEAST) {
      return 0;
    }
    cutHoles(at, count);
    long generation = emptySlots(at, count);
    freeIndices.prepareRun(at, count);
    int run = changes.create(at, addresses, count, generation);
    freeIndices.takeRun(at, count);
    changes.grow(run, count);
    return count;
  }

  /** Whether addresses go on from the tail by its own formula. */
  private boolean goesOn(RunShape addresses) {
    int count = records.count(tail);
    return shape.sameNetwork(addresses)
        && shape.nodeStep() == addresses.nodeStep()
        && shape.portStep() == addresses.portStep()
        && shape.inner() == addresses.inner()
        && shape.portsFirst() == addresses.portsFirst()
        && shape.restOfRow(count) == addresses.restOfRow(0)
        && count < limit
        && shape.position(addresses.node(0), addresses.port(0)) == count;
  }

  /** Cuts dead indices out of the runs that cover them. */
  private void cutHoles(int at, int count) {
    int end = at + count;
    int run = at < freeIndices.end() ? runs.at(at) : 0;
    if (run == 0) {
      run = at < freeIndices.end() ? runs.next(at) : 0;
    }
    while (run != 0 && records.first(run) < end) {
      int start = records.first(run);
      int stop = start + records.count(run);
      if (stop > start) {
        changes.carve(run, Math.max(at - start, 0), Math.min(end, stop) - start, -1);
      }
      run = runs.next(Math.max(stop, start + 1));
    }
  }

  /**
   * Lets slots that were used before be 0.
   *
   * @return a generation that none of these indices had, nor a later one
   */
  private long emptySlots(int at, int count) {
    int end = at + count;
    int used = slots.usedFrom(at, end);
    while (used < end) {
      freeIndices.prepareForget(used);
      freeIndices.forget(used, SlotWord.generation(slots.word(used)) - 1);
      slotChanges.clear(used);
      used = slots.usedFrom(used + 1, end);
    }
    return free.nextGeneration(at, count);
  }
}
