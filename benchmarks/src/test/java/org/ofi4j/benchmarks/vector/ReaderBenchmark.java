// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Lookups beside a thread that exchanges every sixteenth entry of the same vector, or of another
 * one: the same stores, but to memory that the reader never touches.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Group)
public class ReaderBenchmark {
  private static final int SHARE = 16;

  @Param({"64000", "1000000"})
  private int peers;

  @Param({"true", "false"})
  private boolean same;

  private Arena arena;
  private VectorFactory factory;
  private AddressVector read;
  private AddressVector other;
  private AddressList addresses;
  private MemorySegment handles;
  private MemorySegment written;
  private MemorySegment buffer;
  private int[] order;
  private int nextRead;
  private int nextWritten;

  @Setup(Level.Trial)
  public void fill() {
    arena = Arena.ofShared();
    factory = new VectorFactory(Family.IPV4);
    Workload workload = Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
    addresses = workload.addresses();
    order = workload.order();
    handles = arena.allocate(8L * peers, 64);
    written = arena.allocate(8L * peers, 64);
    buffer = arena.allocate(64, 64);
    read = factory.open(0);
    read.insert(addresses.packed(), peers, handles, null, 0, null);
    other = factory.open(0);
    other.insert(addresses.packed(), peers, written, null, 0, null);
    if (same) {
      written.copyFrom(handles);
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    read.close();
    other.close();
    factory.close();
    arena.close();
  }

  @Benchmark
  @Group("besideWriter")
  public long lookup() {
    int position;
    do {
      position = order[nextRead];
      nextRead = nextRead + 1 == peers ? 0 : nextRead + 1;
    } while (position % SHARE == 0);
    read.lookup(handles.getAtIndex(ValueLayout.JAVA_LONG, position), buffer);
    return buffer.get(ValueLayout.JAVA_LONG, 0);
  }

  @Benchmark
  @Group("besideWriter")
  public int exchange() {
    int position = nextWritten;
    nextWritten = nextWritten + SHARE >= peers ? 0 : nextWritten + SHARE;
    MemorySegment handle = written.asSlice(8L * position, 8);
    AddressVector vector = same ? read : other;
    vector.remove(handle, 1, 0);
    return vector.insert(addresses.at(position), 1, handle, null, 0, null);
  }
}
