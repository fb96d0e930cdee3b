// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** The private vector beside its yardsticks: nanoseconds for each scattered IPv4 address. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TableBenchmark {
  /** A constant, because the figure is for each of them. */
  private static final int INSERTED = 64_000;

  /** A table with entries, which one thread works on in random order. */
  @State(Scope.Thread)
  public static class Filled {
    @Param({"OFI4J", "HAND", "FASTUTIL"})
    String kind;

    @Param({"1000", "64000", "1000000"})
    int peers;

    private Arena arena;
    private PeerTable table;
    private AddressList addresses;
    private MemorySegment handles;
    private MemorySegment buffer;
    private int[] order;
    private int next;

    @Setup(Level.Trial)
    public void fill() {
      arena = Arena.ofShared();
      addresses = AddressList.of(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
      handles = arena.allocate(8L * peers, 64);
      buffer = arena.allocate(64, 64);
      order = Mixing.order(peers, 1);
      table = PeerTable.Kind.valueOf(kind).open();
      table.insert(addresses.packed(), peers, handles);
    }

    @TearDown(Level.Trial)
    public void close() {
      table.close();
      arena.close();
    }

    private int next() {
      int position = order[next];
      next = next + 1 == peers ? 0 : next + 1;
      return position;
    }
  }

  /** An empty table for each invocation, and addresses to insert. */
  @State(Scope.Thread)
  public static class Empty {
    @Param({"OFI4J", "HAND", "FASTUTIL"})
    String kind;

    private Arena arena;
    private PeerTable table;
    private AddressList addresses;
    private MemorySegment handles;

    @Setup(Level.Trial)
    public void prepare() {
      arena = Arena.ofShared();
      addresses = AddressList.of(arena, AddressPattern.SCATTERED, Family.IPV4, INSERTED);
      handles = arena.allocate(8L * INSERTED, 64);
    }

    @Setup(Level.Invocation)
    public void open() {
      table = PeerTable.Kind.valueOf(kind).open();
    }

    @TearDown(Level.Invocation)
    public void closeTable() {
      table.close();
    }

    @TearDown(Level.Trial)
    public void close() {
      arena.close();
    }
  }

  @Benchmark
  @OperationsPerInvocation(INSERTED)
  public void insertInOneCall(Empty empty) {
    empty.table.insert(empty.addresses.packed(), INSERTED, empty.handles);
  }

  @Benchmark
  @OperationsPerInvocation(INSERTED)
  public void insertOneByOne(Empty empty) {
    for (int i = 0; i < INSERTED; i++) {
      empty.table.insert(empty.addresses.at(i), 1, empty.handles.asSlice(8L * i, 8));
    }
  }

  @Benchmark
  public long lookup(Filled filled) {
    filled.table.lookup(
        filled.handles.getAtIndex(ValueLayout.JAVA_LONG, filled.next()), filled.buffer);
    return filled.buffer.get(ValueLayout.JAVA_LONG, 0);
  }

  @Benchmark
  public long find(Filled filled) {
    return filled.table.find(filled.addresses.at(filled.next()));
  }

  @Benchmark
  public void removeAndInsert(Filled filled) {
    int position = filled.next();
    MemorySegment handle = filled.handles.asSlice(8L * position, 8);
    filled.table.remove(handle, 1);
    filled.table.insert(filled.addresses.at(position), 1, handle);
  }
}
