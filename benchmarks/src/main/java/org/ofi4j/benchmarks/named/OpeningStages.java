// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.util.List;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.vector.Subject;

/** Opens vectors that are there: by their names, and from files. */
record OpeningStages(NamedRun run) {
  /** Rounds of what takes a JVM each. */
  private static final int FIRST_ROUNDS = 5;

  void addAll() {
    run.stages().add("filling and saving vectors", this::make);
    run.stages().add("opening them again and again", this::open);
    for (long size : run.options().sizes()) {
      run.add(size, "opening in fresh JVMs", () -> openFirst(size));
    }
  }

  /** Who makes them keeps them open until the end of the run. */
  private void make() throws IOException {
    LineProcess maker = run.start(List.of());
    for (long size : run.options().sizes()) {
      maker.tell("make " + NamedRun.name(size) + " " + size + " " + run.file(size));
    }
  }

  private void open() throws IOException {
    int rounds = run.options().rounds();
    try (LineProcess jvm = run.start(List.of())) {
      for (long size : run.options().sizes()) {
        jvm.tell(
            "open " + NamedRun.name(size) + " " + size + " " + run.file(size) + " " + rounds,
            run.results());
      }
    }
  }

  private void openFirst(long size) throws IOException {
    int rounds = size == run.usual() ? Math.min(FIRST_ROUNDS, run.options().rounds()) : 1;
    for (int round = 0; round < rounds; round++) {
      for (Opening opening : Opening.values()) {
        try (LineProcess jvm = run.startFirst(opening, size)) {
          String[] found = jvm.hear(opening.name()).split(" ", -1);
          Subject.check(Long.parseLong(found[2]), size, "entries of the vector that was opened");
          add(opening.quantity(), size, found[0]);
          add(opening.withDomain(), size, found[1]);
        }
      }
    }
  }

  private void add(Quantity quantity, long size, String nanos) {
    run.results().add(new Figure(quantity, size, Side.OFI4J_FIRST, Long.parseLong(nanos) / 1e6));
  }
}
