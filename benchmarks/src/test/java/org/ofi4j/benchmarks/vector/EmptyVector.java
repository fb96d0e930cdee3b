// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.Family;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A new vector for each invocation, and addresses to insert. */
@State(Scope.Benchmark)
public class EmptyVector {
  /** A constant, because the figure is for each of them. */
  static final int PEERS = 64_000;

  @Param({
    "SCATTERED",
    "CONSECUTIVE",
    "NODES_BY_PORTS",
    "PORTS_BY_NODES",
    "DESCENDING",
    "STRIDE_2",
    "GAPS",
    "DUPLICATES",
    "SHUFFLED_BLOCKS"
  })
  String pattern;

  @Param({"false", "true"})
  boolean hint;

  Arena arena;
  VectorFactory factory;
  AddressVector vector;
  AddressList addresses;
  MemorySegment handles;

  @Setup(Level.Trial)
  public void prepare() {
    arena = Arena.ofShared();
    factory = new VectorFactory(Family.IPV4);
    addresses = AddressOrder.list(arena, pattern, Family.IPV4, PEERS);
    handles = arena.allocate(8L * PEERS, 64);
  }

  @Setup(Level.Invocation)
  public void open() {
    vector = factory.open(hint ? PEERS : 0);
  }

  @TearDown(Level.Invocation)
  public void closeVector() {
    vector.close();
  }

  @TearDown(Level.Trial)
  public void close() {
    factory.close();
    arena.close();
  }
}
