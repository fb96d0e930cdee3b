// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Machine;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.vector.AddressParts;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * How much memory a process takes that opens a named vector and looks up every entry. What the JVM
 * itself needs for that it has before: another vector was looked up until the compiler was done.
 *
 * <pre>
 *   warm PEERS         does the same with others, named and private, and closes them
 *   open NAME PEERS    notes what memory the process has; opens the vector, looks up all
 *   grown PROCESSES    says by how much the memory has grown, of that many that share the vector
 *   fill PEERS         notes what memory the process has; fills a private vector, looks up all
 *   filled PROCESSES   says by how much the memory has grown, to stand beside that many
 * </pre>
 */
final class SharingProcess {
  /** Looked up so often, everything is compiled. */
  private static final int WARM_UP_LOOKUPS = 500_000;

  private final FigureSink figures;
  private final VectorFactory domain;
  private @Nullable AddressVector vector;
  private int peers;
  private long resident;
  private long proportional;

  SharingProcess(FigureSink figures, VectorFactory domain) {
    this.figures = figures;
    this.domain = domain;
  }

  void obey(String[] words) {
    switch (words[1]) {
      case "warm" -> {
        int count = number(words[2]);
        String name = "of process " + ProcessHandle.current().pid();
        try (AddressVector named = domain.open(VectorOptions.table().withName(name));
            AddressVector own = domain.open(VectorOptions.table())) {
          AddressParts.fill(named, AddressPattern.SCATTERED, count);
          AddressParts.fill(own, AddressPattern.SCATTERED, count);
          for (int done = 0; done < WARM_UP_LOOKUPS; done += count) {
            lookUpAll(named, count);
            lookUpAll(own, count);
          }
        }
      }
      case "open" -> {
        peers = number(words[3]);
        note();
        keep(domain.open(VectorOptions.table().withName(words[2])));
      }
      case "fill" -> {
        peers = number(words[2]);
        note();
        AddressVector own = domain.open(VectorOptions.table());
        AddressParts.fill(own, AddressPattern.SCATTERED, peers);
        keep(own);
      }
      case "grown" -> say(Side.OFI4J, number(words[2]));
      case "filled" -> say(Side.PRIVATE, number(words[2]));
      default -> throw new IllegalArgumentException("unknown command process " + words[1]);
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private void note() {
    resident = Machine.resident();
    proportional = Machine.proportional();
  }

  private void keep(AddressVector opened) {
    lookUpAll(opened, peers);
    vector = opened;
  }

  private static void lookUpAll(AddressVector vector, int count) {
    Subject.check(vector.size(), count, "entries of the vector that was opened");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(64, 64);
      for (int handle = 0; handle < count; handle++) {
        vector.lookup(handle, buffer);
      }
    }
  }

  private void say(Side side, int processes) {
    Objects.requireNonNull(vector, "nothing is open");
    add(Quantity.sharedPrivately(processes), side, Machine.resident() - resident);
    add(Quantity.sharedProportionally(processes), side, Machine.proportional() - proportional);
  }

  private void add(Quantity quantity, Side side, long bytes) {
    figures.add(new Figure(quantity, peers, side, bytes));
  }
}
