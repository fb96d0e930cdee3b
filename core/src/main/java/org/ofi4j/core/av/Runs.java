package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.util.function.IntConsumer;
import org.ofi4j.core.address.AddressKey;

/**
 * The runs of a store: successive indices whose addresses follow from a formula, so that they need
 * neither slots nor cells. Found by index in one order and by address in two.
 *
 * <pre>
 *   index   ──▶ order by index ────────────────┐
 *   address ──▶ order by port, by address ─────┴─▶ record: first index, count, formula
 * </pre>
 *
 * <p>A run appears in all orders with a count of 0; the store of its count makes its entries live,
 * for lookups and searches alike. A run that is replaced by its parts goes from an order by the
 * same store that the parts come with; where they are in different orders, parts come before the
 * run goes. Runs do not overlap by index.
 *
 * <p>An index that a run covers need not be the run's: it may be vacant, or belong to an entry that
 * came into a hole ({@link Holes}).
 *
 * <p>Any thread finds, lock-free; one thread at a time changes. Whatever throws {@link
 * OutOfMemoryError} changed nothing.
 */
final class Runs {
  /** Which of the indices that runs cover do not have the addresses of their runs. */
  @FunctionalInterface
  interface Holes {
    /**
     * Whether an index does not have the address of the run that covers it; lock-free. Loads with
     * acquire what says so.
     *
     * @param index an index that a run covers
     * @return true if it is vacant or belongs to another entry
     */
    boolean isHole(int index);
  }

  /** So many ports are not looked at one by one. */
  private static final int MANY_PORTS = 64;

  private final Space space;
  private final RunRecords records;
  private final RunKeys keys;
  private final Holes holes;
  private final OrderedRuns byIndex;
  private final OrderedRuns byPort;
  private final OrderedRuns byAddress;
  private final RunOrderEdit indexEdit;
  private final RunOrderEdit portEdit;
  private final RunOrderEdit addressEdit;
  private final OrderedRuns.Examination examination = this::liveIndexOf;

  /** Of all runs, if there are few; set by the writer, and perhaps seen late by others. */
  private RunViews views = RunViews.NONE;

  /** Runs with a count of 0 that could not be taken away. */
  private int husks;

  /**
   * No runs.
   *
   * @param space where they are to be
   * @param seed of the hash function
   * @param holes says which indices are not those of the runs that cover them
   */
  Runs(Space space, long seed, Holes holes) {
    this.space = space;
    this.records = new RunRecords(space);
    this.keys = new RunKeys(seed);
    this.holes = holes;
    this.byIndex = new OrderedRuns(space, Root.RUNS_BY_INDEX);
    this.byPort = new OrderedRuns(space, Root.RUNS_BY_PORT);
    this.byAddress = new OrderedRuns(space, Root.RUNS_BY_ADDRESS);
    this.indexEdit = new RunOrderEdit(space, byIndex);
    this.portEdit = new RunOrderEdit(space, byPort);
    this.addressEdit = new RunOrderEdit(space, byAddress);
  }

  /** The fields of records. */
  RunRecords records() {
    return records;
  }

  /**
   * A number that changes before anything that was in a run is anywhere else, and after anything
   * that is in a new run is there; what is read next is at least as new.
   */
  long version() {
    return byIndex.root();
  }

  /** Whether a version is still the present one, after all that was read so far. */
  boolean isStill(long version) {
    return byIndex.isStill(version);
  }

  /** Whether a version is that of a store without runs. */
  static boolean isEmpty(long version) {
    return OrderedRuns.isEmpty(version);
  }

  /**
   * The run that covers an index.
   *
   * @param version the version
   * @param index any number
   * @return its record, to be believed if the version {@link #isStill is still} the same after
   *     whatever was read from it; 0 if no run does; negative if the version changed
   */
  int covering(long version, int index) {
    int run = byIndex.floor(version, index);
    return run <= 0 || records.covers(run, index) ? run : 0;
  }

  /**
   * Finds an address in runs; lock-free.
   *
   * @param key the address
   * @param all whether several entries may have it, of which the one with the lowest index is meant
   * @return its index, or -1
   */
  int find(AddressKey key, boolean all) {
    if (RunShape.isIpv4(key)) {
      long word = key.word(0);
      return find(all, false, 0, word >>> Short.SIZE, word & RunShape.MAX_PORT);
    }
    return RunShape.isIpv6(key) ? find(all, true, key.word(0), key.word(1), key.word(2)) : -1;
  }

  /**
   * Finds an IPv4 address in runs; lock-free.
   *
   * @param word {@code address << 16 | port}
   * @param all as above
   * @return its index, or -1
   */
  int findIpv4(long word, boolean all) {
    return find(all, false, 0, word >>> Short.SIZE, word & RunShape.MAX_PORT);
  }

  private int find(boolean all, boolean ipv6, long high, long low, long scopeAndPort) {
    long version = version();
    RunViews few = views;
    if (few.areOf(version)) {
      int found = few.find(ipv6, high, low, scopeAndPort, holes);
      if (isStill(version)) {
        return found;
      }
    }
    long network = keys.network(ipv6, high, low, (int) (scopeAndPort >>> Integer.SIZE));
    long portKey = RunKeys.byPort(network, low, (int) scopeAndPort);
    long addressKey = RunKeys.byAddress(network, low, (int) scopeAndPort);
    while (true) {
      long root = byPort.root();
      int found = byPort.find(root, portKey, all, examination, ipv6, high, low, scopeAndPort);
      if (found == OrderedRuns.CHANGED) {
        continue;
      }
      if (found >= 0 && !all) {
        return found;
      }
      long otherRoot = byAddress.root();
      int other =
          byAddress.find(otherRoot, addressKey, all, examination, ipv6, high, low, scopeAndPort);
      if (other == OrderedRuns.CHANGED) {
        continue;
      }
      if (other >= 0 && (found < 0 || other < found)) {
        found = other;
      }
      // An entry that went from the order by address to that by port was seen in neither.
      if ((found >= 0 && !all) || byPort.isStill(root)) {
        return found;
      }
    }
  }

  /**
   * The index of an address in a run if it has it now. Whether it is a hole is asked after the
   * index is known to be covered and before it is known to be covered still: the end of a run is
   * taken away before its holes are forgotten.
   */
  private int liveIndexOf(int run, boolean ipv6, long high, long low, long scopeAndPort) {
    int index = records.indexOf(run, ipv6, high, low, scopeAndPort);
    return index < 0 || holes.isHole(index) || !records.covers(run, index) ? -1 : index;
  }

  /** Whether the formula of a run gives an index a certain address; lock-free. */
  boolean holds(int run, int index, AddressKey key) {
    if (RunShape.isIpv4(key)) {
      return records.ipv4(run, index) == key.word(0);
    }
    return RunShape.isIpv6(key)
        && records.indexOf(run, true, key.word(0), key.word(1), key.word(2)) == index;
  }

  /** How many runs there are. */
  int count() {
    return space.root().get(JAVA_INT, Root.RUN_COUNT);
  }

  /** Bytes of records and orders. */
  long usedBytes() {
    long units = count() + indexEdit.units() + portEdit.units() + addressEdit.units();
    return units * Space.UNIT_BYTES;
  }

  /** The run with the least first index not below one, or 0; for the writer. */
  int next(int index) {
    return byIndex.ceiling(index);
  }

  /** The run that covers an index, or 0; for the writer. */
  int at(int index) {
    return covering(version(), index);
  }

  /** All runs, if there are few and this process has read them; of whatever version. */
  RunViews views() {
    return views;
  }

  /** Reads all runs, if there are few. */
  private void view() {
    int count = count();
    if (count > RunViews.MAX) {
      views = RunViews.NONE;
      return;
    }
    RunViews.View[] read = new RunViews.View[count];
    int run = next(0);
    for (int i = 0; i < count; i++) {
      read[i] = records.view(run);
      run = next(records.first(run) + 1);
    }
    views = new RunViews(version(), read);
  }

  /**
   * Visits the runs that may have an address in common with others; for the writer. A run may be
   * visited several times.
   *
   * @param shape the others
   * @param count how many
   * @param visitor takes records
   */
  void forEachNear(RunShape shape, int count, IntConsumer visitor) {
    long network = keys.network(shape.ipv6(), shape.high(), shape.low(), shape.scope());
    RunKeys.Extent extent = RunKeys.Extent.of(shape, count);
    byAddress.forEach(
        RunKeys.byAddress(network, extent.leastNode(), extent.leastPort()),
        RunKeys.byAddress(network, extent.lastNode(), extent.lastPort()),
        visitor);
    if (extent.ports() > MANY_PORTS) {
      byPort.forEach(
          RunKeys.byPort(network, extent.leastNode(), extent.leastPort()),
          RunKeys.byPort(network, extent.lastNode(), extent.lastPort()),
          visitor);
      return;
    }
    int step = Math.max(1, Math.abs(shape.portStep()));
    for (int port = extent.leastPort(); port <= extent.lastPort(); port += step) {
      byPort.forEach(
          RunKeys.byPort(network, extent.leastNode(), port),
          RunKeys.byPort(network, extent.lastNode(), port),
          visitor);
    }
  }

  /**
   * Makes a run whose entries are not live yet: {@link #grow} makes them so.
   *
   * @param first its first index; no run covers it or will before this one has grown
   * @param shape its addresses
   * @param reach how many entries it is likely to get, which costs nothing
   * @param generation of its entries
   * @return its record
   * @throws OutOfMemoryError if memory ran out
   */
  int create(int first, RunShape shape, int reach, int generation) {
    dropHusks();
    int run = records.create(first, shape, reach, generation, 0);
    try {
      register(run, shape, reach);
      indexEdit.insert(first, first, run);
    } catch (OutOfMemoryError e) {
      abort();
      records.give(run);
      throw e;
    }
    portEdit.commit();
    addressEdit.commit();
    indexEdit.commit();
    counted(1);
    return run;
  }

  /**
   * Makes sure that a run can {@link #grow} to a count.
   *
   * @param run its record
   * @param count the count
   * @throws OutOfMemoryError if memory ran out
   */
  void ensureReach(int run, int count) {
    dropHusks();
    int reach = records.reach(run);
    if (count <= reach) {
      return;
    }
    RunShape shape = records.shape(run);
    int further = (int) Math.min(shape.limit(), Math.max(count, 2L * reach));
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
  void grow(int run, int count) {
    records.setCount(run, count);
  }

  /**
   * Ends entries at the end of a run, by one store.
   *
   * @param run its record
   * @param count how many it keeps, at least 1
   */
  void shorten(int run, int count) {
    records.setCount(run, count);
  }

  /**
   * Ends all entries from an index on. Never fails: where there is no memory to take a run away,
   * its count is 0 until there is, which is before another run comes to its indices.
   *
   * @param end the index
   */
  void truncate(int end) {
    int run = next(end);
    while (run != 0) {
      int first = records.first(run);
      boolean husk = records.count(run) == 0;
      try {
        drop(run);
        husks -= husk ? 1 : 0;
      } catch (OutOfMemoryError e) {
        records.setCount(run, 0);
        husks += husk ? 0 : 1;
      }
      run = first == Integer.MAX_VALUE ? 0 : next(first + 1);
    }
    int last = end == 0 ? 0 : at(end - 1);
    if (last != 0 && records.first(last) + records.count(last) > end) {
      records.setCount(last, end - records.first(last));
    }
  }

  /** Takes away what {@link #truncate} had to leave. */
  private void dropHusks() {
    for (int run = husks == 0 ? 0 : next(0); run != 0 && husks > 0; ) {
      int first = records.first(run);
      if (records.count(run) == 0) {
        drop(run);
        husks--;
      }
      run = next(first + 1);
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
    records.setCount(run, 0);
    portEdit.commit();
    addressEdit.commit();
    indexEdit.commit();
    records.give(run);
    counted(-1);
  }

  /**
   * Replaces a run by one with the same addresses and another formula, which may go further.
   *
   * @param run its record
   * @param shape the formula
   * @param reach how many entries it is likely to get
   * @return the new record
   * @throws OutOfMemoryError if memory ran out
   */
  int reshape(int run, RunShape shape, int reach) {
    RunShape before = records.shape(run);
    int first = records.first(run);
    int count = records.count(run);
    int further = Math.max(count, Math.min(shape.limit(), reach));
    int made = records.create(first, shape, further, records.generation(run), records.shares(run));
    try {
      records.setCount(made, count);
      unregister(run, before, records.reach(run));
      indexEdit.remove(first, run);
      enter(made);
    } catch (OutOfMemoryError e) {
      abort();
      records.give(made);
      throw e;
    }
    commitAddresses(RunKeys.Extent.of(before, records.reach(run)).isByPort());
    indexEdit.commit();
    records.give(run);
    view();
    return made;
  }

  /**
   * Replaces a run by up to three: what is before an interval of it, the interval, and what is
   * behind.
   *
   * @param run its record
   * @param from the first position of the interval
   * @param to the position behind the interval, larger than {@code from}
   * @param shares the shares of the entries in the interval; -1 if it is to be left out, as all of
   *     it is vacant
   * @return the record of the interval, or 0
   * @throws OutOfMemoryError if memory ran out
   */
  int carve(int run, int from, int to, int shares) {
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
    records.give(run);
    counted((before == 0 ? -1 : 0) + (middle == 0 ? 0 : 1) + (behind == 0 ? 0 : 1));
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
      records.give(part);
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

  private void counted(int more) {
    space.root().set(JAVA_INT, Root.RUN_COUNT, count() + more);
    view();
  }
}
