// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.Superblock;

/**
 * Lets runs come, grow, shrink, be cut and go. For the one thread that writes; whatever throws
 * {@link OutOfMemoryError} changed nothing.
 *
 * <p>A run appears in all orders with a count of 0; the store of its count makes its entries live,
 * for lookups and searches alike. A run that is replaced by its parts goes from an order by the
 * same store that the parts come with; where they are in different orders, parts come before the
 * run goes. Runs do not overlap by index.
 */
public final class RunChanges {
  private final MemorySegment root;
  private final Runs runs;
  private final RunRecords records;
  private final RunKeys keys;
  private final RunTreeTransaction indexEdit;
  private final RunTreeTransaction portEdit;
  private final RunTreeTransaction addressEdit;

  public RunChanges(Runs runs) {
    this.root = runs.allocator().root();
    this.runs = runs;
    this.records = runs.records();
    this.keys = runs.keys();
    this.indexEdit = new RunTreeTransaction(runs.allocator(), runs.byIndex());
    this.portEdit = new RunTreeTransaction(runs.allocator(), runs.byPort());
    this.addressEdit = new RunTreeTransaction(runs.allocator(), runs.byAddress());
  }

  Runs runs() {
    return runs;
  }

  /**
   * Makes a run whose entries are not live yet: {@link #grow} makes them so.
   *
   * @param first its first index; no run covers it or will before this one has grown
   * @param reach how many entries it is likely to get, which costs nothing
   * @return its record
   * @throws OutOfMemoryError if memory ran out
   */
  public int create(int first, RunShape shape, int reach, long generation) {
    dropEmptyRuns(0);
    int run = records.create(first, shape, reach, generation, 0);
    try {
      register(run, shape, reach);
      indexEdit.insert(first, first, run);
    } catch (OutOfMemoryError e) {
      abort();
      records.free(run);
      throw e;
    }
    portEdit.commit();
    addressEdit.commit();
    indexEdit.commit();
    runs.counted(1);
    return run;
  }

  /**
   * Makes sure that a run can {@link #grow} to a count.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  void ensureReach(int run, int further) {
    dropEmptyRuns(0);
    int reach = records.reach(run);
    if (further <= reach) {
      return;
    }
    RunShape shape = records.shape(run);
    boolean fromPort = RunKeys.Extent.of(shape, reach).isByPort();
    try {
      // The first keys may be the same: what goes, goes first.
      unregister(run, shape, reach);
      register(run, shape, further);
    } catch (OutOfMemoryError e) {
      abort();
      throw e;
    }
    commitAddresses(fromPort);
    records.setReach(run, further);
  }

  /** Makes more entries at the end of a run live, by one store. */
  public void grow(int run, int count) {
    int origin = records.first(run);
    int first = origin + records.count(run);
    records.setCount(run, count);
    runs.live().add(records.shape(run), origin, first, origin + count);
  }

  /**
   * Ends all entries from an index on. Never fails: where there is no memory to take a run away,
   * its count is 0 until there is, which is before another run comes to its indices.
   */
  void truncate(int end) {
    runs.live().remove(end, Integer.MAX_VALUE);
    for (int run = runs.next(end); run != 0; run = runs.behind(records.first(run))) {
      if (records.count(run) > 0) {
        records.setCount(run, 0);
        countEmptyRuns(1);
      }
    }
    try {
      dropEmptyRuns(end);
    } catch (OutOfMemoryError e) {
      // They go when the next run comes.
    }
    int last = end == 0 ? 0 : runs.at(end - 1);
    if (last != 0 && records.first(last) + records.count(last) > end) {
      records.setCount(last, end - records.first(last));
    }
  }

  /** How many runs have a count of 0 and could not be taken away. */
  private int emptyRuns() {
    return root.get(JAVA_INT, Superblock.EMPTY_RUNS);
  }

  private void countEmptyRuns(int more) {
    root.set(JAVA_INT, Superblock.EMPTY_RUNS, emptyRuns() + more);
  }

  /** Takes runs away from an index on that have a count of 0. */
  private void dropEmptyRuns(int from) {
    for (int run = emptyRuns() == 0 ? 0 : runs.next(from); run != 0 && emptyRuns() > 0; ) {
      int first = records.first(run);
      if (records.count(run) == 0) {
        drop(run);
        countEmptyRuns(-1);
      }
      run = runs.behind(first);
    }
  }

  /**
   * Ends all entries of a run and takes it away.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  void drop(int run) {
    RunShape shape = records.shape(run);
    int reach = records.reach(run);
    try {
      unregister(run, shape, reach);
      indexEdit.remove(records.first(run), run);
    } catch (OutOfMemoryError e) {
      abort();
      throw e;
    }
    int first = records.first(run);
    runs.live().remove(first, first + records.count(run));
    records.setCount(run, 0);
    portEdit.commit();
    addressEdit.commit();
    indexEdit.commit();
    records.free(run);
    runs.counted(-1);
  }

  /**
   * Replaces a run by up to three: what is before an interval of it, the interval, and what is
   * behind.
   *
   * @param from the first position of the interval
   * @param to the position behind the interval, larger than {@code from}
   * @param shares the shares of the entries in the interval; -1 if it is to be left out, as all of
   *     it is free
   * @return the record of the interval, or 0
   * @throws OutOfMemoryError if memory ran out
   */
  public int carve(int run, int from, int to, int shares) {
    RunShape shape = records.shape(run);
    int count = records.count(run);
    if (from == 0 && to == count) {
      if (shares >= 0) {
        records.setShares(run, shares);
        return run;
      }
      drop(run);
      return 0;
    }
    int before = 0;
    int middle = 0;
    int behind = 0;
    int reach = records.reach(run);
    try {
      before = from > 0 ? part(run, shape, 0, from, from, records.shares(run)) : 0;
      middle = shares >= 0 ? part(run, shape, from, to, to == count ? reach : to, shares) : 0;
      behind = to < count ? part(run, shape, to, count, reach, records.shares(run)) : 0;
      unregister(run, shape, reach);
      indexEdit.remove(records.first(run), run);
      enter(before);
      enter(middle);
      enter(behind);
    } catch (OutOfMemoryError e) {
      abort();
      giveUp(before);
      giveUp(middle);
      giveUp(behind);
      throw e;
    }
    commitAddresses(RunKeys.Extent.of(shape, reach).isByPort());
    indexEdit.commit();
    records.free(run);
    runs.counted((before == 0 ? -1 : 0) + (middle == 0 ? 0 : 1) + (behind == 0 ? 0 : 1));
    return middle;
  }

  private int part(int run, RunShape shape, int from, int to, int reach, int shares) {
    int part =
        records.create(
            records.first(run) + from,
            shape.from(from),
            reach - from,
            records.generation(run),
            shares);
    records.setCount(part, to - from);
    return part;
  }

  private void enter(int part) {
    if (part != 0) {
      register(part, records.shape(part), records.reach(part));
      int first = records.first(part);
      indexEdit.insert(first, first, part);
    }
  }

  private void giveUp(int part) {
    if (part != 0) {
      records.free(part);
    }
  }

  private void register(int run, RunShape shape, int reach) {
    keys.of(
        shape,
        reach,
        (isByPort, first, last) -> (isByPort ? portEdit : addressEdit).insert(first, last, run));
  }

  private void unregister(int run, RunShape shape, int reach) {
    keys.of(
        shape,
        reach,
        (isByPort, first, last) -> (isByPort ? portEdit : addressEdit).remove(first, run));
  }

  /** The order that loses something goes last. */
  private void commitAddresses(boolean portLoses) {
    if (portLoses) {
      addressEdit.commit();
      portEdit.commit();
    } else {
      portEdit.commit();
      addressEdit.commit();
    }
  }

  private void abort() {
    indexEdit.abort();
    portEdit.abort();
    addressEdit.abort();
  }
}
