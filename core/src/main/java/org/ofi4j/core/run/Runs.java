// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.util.function.IntConsumer;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * The runs of a store: successive indices whose addresses follow from a formula, so that they need
 * neither slots nor cells. Found by index in one order and by address in two.
 *
 * <pre>
 *   index   ──▶ order by index ────────────────┐
 *   address ──▶ order by port, by address ─────┴─▶ record: first index, count, formula
 * </pre>
 *
 * <p>An index that a run covers need not be the run's: it may be free, or belong to an entry that
 * came into a hole ({@link Holes}).
 *
 * <p>Any thread finds, lock-free; one thread at a time changes, by {@link RunChanges}.
 */
public final class Runs {
  /** Which of the indices that runs cover do not have the addresses of their runs. */
  @FunctionalInterface
  interface Holes {
    /**
     * Whether an index does not have the address of the run that covers it; lock-free. Loads with
     * acquire what says so.
     *
     * @param index an index that a run covers
     * @return true if it is free or belongs to another entry
     */
    boolean isHole(int index);
  }

  /** So many ports are not looked at one by one. */
  private static final int MANY_PORTS = 64;

  private final SlabAllocator allocator;
  private final RunRecords records;
  private final RunKeys keys;
  private final Holes holes;
  private final RunTree byIndex;
  private final RunTree byPort;
  private final RunTree byAddress;
  private final RunSearch searchByPort;
  private final RunSearch searchByAddress;

  /** Whether several entries may have an address, of which the lowest index is the answer. */
  private final boolean several;

  private final LiveIntervals live;

  /** Of all runs, if there are few; set by the writer, and perhaps seen late by others. */
  private RunViews views = RunViews.NONE;

  /**
   * No runs.
   *
   * @param holes says which indices are not those of the runs that cover them
   * @param several whether several entries may have an address, of which a search answers with the
   *     one with the lowest index
   */
  Runs(SlabAllocator allocator, long seed, Holes holes, boolean several) {
    this.allocator = allocator;
    this.live = new LiveIntervals(allocator.isShared() ? allocator.root() : null);
    this.records = new RunRecords(allocator);
    this.keys = new RunKeys(seed);
    this.holes = holes;
    this.several = several;
    this.byIndex = new RunTree(allocator, Superblock.RUNS_BY_INDEX);
    this.byPort = new RunTree(allocator, Superblock.RUNS_BY_PORT);
    this.byAddress = new RunTree(allocator, Superblock.RUNS_BY_ADDRESS);
    // One object for both, so that the compiler knows its class.
    RunSearch.Examination liveIndex = this::liveIndexOf;
    this.searchByPort = new RunSearch(allocator, byPort, liveIndex, several);
    this.searchByAddress = new RunSearch(allocator, byAddress, liveIndex, several);
  }

  SlabAllocator allocator() {
    return allocator;
  }

  public RunKeys keys() {
    return keys;
  }

  public RunTree byIndex() {
    return byIndex;
  }

  public RunTree byPort() {
    return byPort;
  }

  public RunTree byAddress() {
    return byAddress;
  }

  /** Intervals in which all entries live. */
  public LiveIntervals live() {
    return live;
  }

  public RunRecords records() {
    return records;
  }

  /**
   * A number that changes before anything that was in a run is anywhere else, and after anything
   * that is in a new run is there, and is another one after each {@link #renew}; what is read next
   * is at least as new.
   */
  public long version() {
    return byIndex.root();
  }

  /** Whether a version is still the present one, after all that was read so far. */
  public boolean isStill(long version) {
    return byIndex.isStill(version);
  }

  /**
   * Where an address may have several entries, lets all who have looked for one look again: the
   * address may have come to an entry behind them, and may leave the last one before them. For the
   * writer.
   */
  public void renew() {
    if (!several) {
      return;
    }
    long root = byIndex.root();
    byIndex.publish(RunNodes.root(root, RunNodes.withoutVersion(root), RunNodes.level(root)));
    view();
  }

  /** Whether a version is that of a store without runs. */
  public static boolean isEmpty(long version) {
    return RunTree.isEmpty(version);
  }

  /**
   * The run that covers an index.
   *
   * @param index any number
   * @return its record, to be believed if the version {@link #isStill is still} the same after
   *     whatever was read from it; 0 if no run does; negative if the version changed
   */
  int covering(long version, int index) {
    int run = byIndex.floor(version, index);
    return run <= 0 || records.covers(run, index) ? run : 0;
  }

  /** The index of an address in runs, or -1; lock-free. */
  public int find(AddressKey key) {
    if (RunShape.isIpv4(key)) {
      return findIpv4(key.word(0));
    }
    return RunShape.isIpv6(key) ? find(true, key.word(0), key.word(1), key.word(2)) : -1;
  }

  /** The index of the IPv4 address {@code address << 16 | port} in runs, or -1; lock-free. */
  public int findIpv4(long word) {
    return find(false, 0, word >>> Short.SIZE, word & RunShape.MAX_PORT);
  }

  private int find(boolean ipv6, long high, long low, long scopeAndPort) {
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
      int found = searchByPort.find(root, portKey, high, low, scopeAndPort);
      if (found == RunTree.CHANGED) {
        continue;
      }
      if (found >= 0 && !several) {
        return found;
      }
      long otherRoot = byAddress.root();
      int other = searchByAddress.find(otherRoot, addressKey, high, low, scopeAndPort);
      if (other == RunTree.CHANGED) {
        continue;
      }
      if (other >= 0 && (found < 0 || other < found)) {
        found = other;
      }
      // An entry that went from the order by address to that by port was seen in neither.
      if ((found >= 0 && !several) || byPort.isStill(root)) {
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

  public long usedBytes() {
    long units = allocator.root().get(JAVA_INT, Superblock.RUN_NODE_UNITS);
    return recordBytes() + units * SlabAllocator.UNIT_BYTES;
  }

  public int count() {
    return allocator.root().get(JAVA_INT, Superblock.RUN_COUNT);
  }

  /** The run with the least first index not below one, or 0; for the writer. */
  public int next(int index) {
    return byIndex.ceiling(index);
  }

  /**
   * The run behind one, or 0; for the writer.
   *
   * @param first the first index of that one
   * @throws IllegalStateException if the run found there begins before that: then memory is
   *     damaged, and who went on from it would never come to an end
   */
  public int behind(int first) {
    int next = first == Integer.MAX_VALUE ? 0 : next(first + 1);
    if (next != 0 && records.first(next) <= first) {
      throw new IllegalStateException("behind the run at " + first + " comes one before it");
    }
    return next;
  }

  /** The run that covers an index, or 0; for the writer. */
  public int at(int index) {
    return covering(version(), index);
  }

  /** All runs, if there are few and this process has read them; of whatever version. */
  RunViews views() {
    return views;
  }

  /** Reads all runs, if there are few; after each change of what runs there are. */
  void view() {
    int count = count();
    // Versions return; who writes knows when it has to look again, who only reads does not.
    if (count > RunViews.MAX || allocator.isShared()) {
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
   */
  void forEachNear(RunShape shape, int count, IntConsumer visitor) {
    RunTree.Visitor each =
        (first, last, run) -> {
          visitor.accept(run);
          return true;
        };
    long network = keys.network(shape.ipv6(), shape.high(), shape.low(), shape.scope());
    RunKeys.Extent extent = RunKeys.Extent.of(shape, count);
    byAddress.visit(
        RunKeys.byAddress(network, extent.leastNode(), extent.leastPort()),
        RunKeys.byAddress(network, extent.lastNode(), extent.lastPort()),
        each);
    boolean many = extent.ports() > MANY_PORTS;
    int step = many ? RunShape.MAX_PORT + 1 : Math.max(1, Math.abs(shape.portStep()));
    for (int port = extent.leastPort(); port <= extent.lastPort(); port += step) {
      byPort.visit(
          RunKeys.byPort(network, extent.leastNode(), port),
          RunKeys.byPort(network, extent.lastNode(), many ? extent.lastPort() : port),
          each);
    }
  }

  void counted(int more) {
    allocator.root().set(JAVA_INT, Superblock.RUN_COUNT, count() + more);
    view();
  }

  /** Bytes of records; the nodes of the orders not counted. */
  long recordBytes() {
    return (long) count() * RunRecords.UNITS * SlabAllocator.UNIT_BYTES;
  }
}
