// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What memory alone takes of the work on IPv4 addresses: {@link MemoryWork} in memory that is taken
 * and given back as a vector's is. For one thread.
 */
final class MemorySubject implements Subject {
  /** One load after the other takes long. */
  private static final int MOST_IN_TURN = 50_000;

  private final TimeSource time;
  private @Nullable Loaded loaded;
  private @Nullable Table table;
  private boolean exchanged;

  /** The workload, and what it takes to work on it. */
  private record Loaded(
      Workload workload,
      boolean isConsecutive,
      Arena arena,
      MemorySegment handles,
      MemorySegment ordered,
      long[] inOrder) {
    static Loaded of(Workload workload) {
      Arena arena = Arena.ofConfined();
      long bytes = (long) ScatteredLayout.SLOT * workload.count();
      int[] order = workload.order();
      MemorySegment ordered = arena.allocate(bytes, 64);
      long[] inOrder = new long[order.length];
      for (int i = 0; i < order.length; i++) {
        ordered.setAtIndex(ValueLayout.JAVA_LONG, i, order[i]);
        inOrder[i] = order[i];
      }
      return new Loaded(
          workload,
          MemoryWork.areConsecutive(workload.addresses()),
          arena,
          arena.allocate(bytes, 64).fill((byte) -1),
          ordered,
          inOrder);
    }
  }

  /** What stands for a vector. */
  private record Table(Arena arena, MemorySegment slots, MemorySegment cells) {}

  MemorySubject(TimeSource time) {
    this.time = time;
  }

  @Override
  public Side side() {
    return Side.MEMORY;
  }

  @Override
  public void load(Workload workload) {
    close();
    loaded = Loaded.of(workload);
  }

  private Loaded loaded() {
    return Objects.requireNonNull(loaded, "nothing was loaded");
  }

  private Table table() {
    return Objects.requireNonNull(table, "nothing was inserted that takes slots");
  }

  @Override
  public int count() {
    return loaded().workload().count();
  }

  @Override
  public boolean isOpen() {
    return table != null;
  }

  private long cellPlaces(int entries) {
    return MemoryWork.scale(ScatteredLayout.cells(entries), count());
  }

  @Override
  public long insert(boolean hint) {
    closeVector();
    exchanged = false;
    Loaded work = loaded();
    if (work.isConsecutive()) {
      MemorySegment addresses = work.workload().addresses().packed();
      long begin = time.now();
      long sum = MemoryWork.readAndHandOut(addresses, work.handles(), count());
      long nanos = time.now() - begin;
      Subject.check(sum, work.workload().sum(), "sum of all addresses");
      return nanos;
    }
    Arena arena = Arena.ofConfined();
    long begin = time.now();
    Table fresh =
        new Table(
            arena,
            arena.allocate((long) ScatteredLayout.SLOT * count(), 64),
            arena.allocate((long) ScatteredLayout.CELL * ScatteredLayout.cells(count()), 64));
    table = fresh;
    int done = 0;
    if (!hint) {
      for (int size : ScatteredLayout.moves(count())) {
        fill(work, fresh, done, size, size);
        move(work, fresh, size);
        done = size;
      }
    }
    fill(work, fresh, done, count(), count());
    return time.now() - begin;
  }

  /** Among as many cells as that many entries have. */
  private void fill(Loaded work, Table into, int from, int to, int entries) {
    Workload workload = work.workload();
    MemoryWork.fill(
        workload.addresses().packed(),
        into.slots(),
        into.cells(),
        work.handles(),
        workload.order(),
        from,
        to,
        cellPlaces(entries));
  }

  private void move(Loaded work, Table in, int entries) {
    MemoryWork.move(
        in.slots(),
        in.cells(),
        work.workload().order(),
        entries,
        MemoryWork.scale(entries, count()));
  }

  @Override
  public long insertSingly() {
    return insert(false);
  }

  @Override
  public long lookup() {
    // As a vector's: the second pass counts.
    lookup(table());
    return lookup(table());
  }

  private long lookup(Table in) {
    long begin = time.now();
    long sum = MemoryWork.lookup(in.slots(), loaded().inOrder());
    long nanos = time.now() - begin;
    Subject.check(sum, loaded().workload().sum(), "sum of all slots");
    return nanos;
  }

  @Override
  public int searched() {
    return Math.min(count(), MOST_SEARCHED);
  }

  @Override
  public long find() {
    int before = count() / SEARCHED_BEFORE;
    find(count() - before, count());
    return find(0, searched());
  }

  private long find(int from, int to) {
    Workload workload = loaded().workload();
    Table in = table();
    long begin = time.now();
    long sum =
        MemoryWork.find(
            workload.addresses().packed(),
            in.slots(),
            in.cells(),
            workload.order(),
            from,
            to,
            cellPlaces(count()));
    long nanos = time.now() - begin;
    if (from < to && sum == 0) {
      throw new IllegalStateException("found nothing");
    }
    return nanos;
  }

  /** How many searches {@link #findInTurn} makes. */
  int searchedInTurn() {
    return Math.min(count(), MOST_IN_TURN);
  }

  /** As {@link #find}, but each search begins when the one before has ended. */
  long findInTurn() {
    Table in = table();
    long begin = time.now();
    long last =
        MemoryWork.findInTurn(
            in.slots(),
            in.cells(),
            loaded().workload().order(),
            searchedInTurn(),
            cellPlaces(count()));
    long nanos = time.now() - begin;
    Subject.check(last & 1, 0, "lowest bit of a slot");
    return nanos;
  }

  @Override
  public long removeInOrder() {
    return remove(loaded().handles());
  }

  @Override
  public long removeRandomly() {
    return remove(loaded().ordered());
  }

  private long remove(MemorySegment handles) {
    Table in = table();
    long begin = time.now();
    MemoryWork.remove(in.slots(), handles, count());
    long nanos = time.now() - begin;
    Subject.check(MemoryWork.sum(in.slots(), count()), 0, "sum of all slots after removal");
    return nanos;
  }

  @Override
  public long churn(int cycles) {
    Workload workload = loaded().workload();
    Table in = table();
    AddressList others =
        exchanged
            ? workload.addresses()
            : Objects.requireNonNull(workload.others(), "nothing to exchange addresses for");
    long begin = time.now();
    MemoryWork.churn(
        others.packed(), in.slots(), in.cells(), workload.order(), cycles, cellPlaces(count()));
    long nanos = time.now() - begin;
    exchanged = !exchanged;
    return nanos;
  }

  @Override
  public long insertSymmetric(String node, int nodes, int service, int services) {
    int count = Math.multiplyExact(nodes, services);
    closeVector();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment answers =
          arena.allocate((long) ScatteredLayout.SLOT * count, 64).fill((byte) -1);
      long begin = time.now();
      MemoryWork.handOut(answers, count);
      long nanos = time.now() - begin;
      Subject.check(
          answers.getAtIndex(ValueLayout.JAVA_LONG, count - 1L), count - 1L, "last handle");
      return nanos;
    }
  }

  @Override
  public void closeVector() {
    if (table != null) {
      table.arena().close();
      table = null;
    }
  }

  @Override
  public void close() {
    closeVector();
    if (loaded != null) {
      loaded.arena().close();
      loaded = null;
    }
  }
}
