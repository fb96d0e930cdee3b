// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A vector with peers in it, and its handles and addresses in random order. */
@State(Scope.Benchmark)
public class FilledVector {
  @Param({"1000", "64000", "1000000"})
  int peers;

  @Param({"SCATTERED", "CONSECUTIVE", "NODES_BY_PORTS"})
  String pattern;

  @Param({"IPV4", "IPV6"})
  String family;

  @Param({"PRIVATE", "NAMED"})
  String kind;

  Arena arena;
  VectorFactory factory;
  AddressVector vector;
  AddressList addresses;
  AddressList sources;
  MemorySegment handles;
  int[] order;

  /** The handles in random order. */
  long[] ordered;

  @Setup(Level.Trial)
  public void fill() {
    Family chosen = Family.valueOf(family);
    arena = Arena.ofShared();
    factory = VectorFactory.sharing(chosen);
    vector =
        kind.equals("NAMED")
            ? factory.open(
                VectorOptions.table().withName("benchmark-" + ProcessHandle.current().pid()))
            : factory.open(0);
    addresses = AddressOrder.list(arena, pattern, chosen, peers);
    order = Mixing.order(peers, 1);
    sources = addresses.inOrder(arena, order);
    handles = arena.allocate(8L * peers, 64);
    vector.insert(addresses.packed(), peers, handles, null, 0, null);
    ordered = new long[peers];
    for (int i = 0; i < peers; i++) {
      ordered[i] = handles.getAtIndex(ValueLayout.JAVA_LONG, order[i]);
    }
  }

  @TearDown(Level.Trial)
  public void close() {
    vector.close();
    factory.close();
    arena.close();
  }
}
