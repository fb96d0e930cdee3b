// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.schedule.Stage;
import org.ofi4j.benchmarks.vector.Subject;

/** Opens vectors that are there: by their names, and from files. */
record OpeningStages(NamedRun run) {
  /** Rounds of what takes a JVM each. */
  private static final int FIRST_ROUNDS = 5;

  List<Stage> all() {
    List<Stage> stages = new ArrayList<>();
    stages.add(new Stage("filling and saving vectors", Stage.Place.EARLY, this::make));
    stages.add(new Stage("opening them again and again", Stage.Place.QUIET, this::open));
    for (long size : run.options().sizes()) {
      stages.add(
          new Stage(
              NamedRun.title(size, "opening in fresh JVMs"),
              Stage.Place.QUIET,
              figures -> openFirst(size, figures)));
    }
    return stages;
  }

  /** Who makes them keeps them open until the end of the run. */
  private void make(FigureSink figures) throws IOException {
    FreshJvmProcess maker = run.start(List.of());
    for (long size : run.options().sizes()) {
      maker.tell("make " + NamedRun.name(size) + " " + size + " " + run.file(size), figures);
    }
  }

  private void open(FigureSink figures) throws IOException {
    int rounds = run.options().rounds();
    try (FreshJvmProcess jvm = run.start(List.of())) {
      for (long size : run.options().sizes()) {
        jvm.tell(
            "open " + NamedRun.name(size) + " " + size + " " + run.file(size) + " " + rounds,
            figures);
      }
    }
  }

  private void openFirst(long size, FigureSink figures) throws IOException {
    int rounds = size == run.usual() ? Math.min(FIRST_ROUNDS, run.options().rounds()) : 1;
    for (int round = 0; round < rounds; round++) {
      for (Opening opening : Opening.values()) {
        try (LineProcess jvm = run.startFirst(opening, size)) {
          String[] found = jvm.hear(opening.name()).split(" ", -1);
          Subject.check(Long.parseLong(found[2]), size, "entries of the vector that was opened");
          add(figures, opening.quantity(), size, found[0]);
          add(figures, opening.withDomain(), size, found[1]);
        }
      }
    }
  }

  private static void add(FigureSink figures, Quantity quantity, long size, String nanos) {
    figures.add(new Figure(quantity, size, Side.OFI4J_FIRST, Long.parseLong(nanos) / 1e6));
  }
}
