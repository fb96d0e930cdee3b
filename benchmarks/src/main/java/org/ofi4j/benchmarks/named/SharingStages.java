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
import org.ofi4j.benchmarks.schedule.Stage;
import org.ofi4j.benchmarks.vector.JvmSource;

/** What several processes do with one vector of the usual size, and what that costs each. */
final class SharingStages {
  private static final int WARM_UP_PEERS = 50_000;
  private static final List<Integer> BATCHES = List.of(1, 1000);
  private static final long INSERT_NANOS = 100_000_000;
  private static final long INSERT_WARM_UP_NANOS = 700_000_000;

  private final NamedRun run;
  private final int peers;
  private final int rounds;
  private final List<FreshJvmProcess> writers = new ArrayList<>();

  SharingStages(NamedRun run) {
    this.run = run;
    this.peers = run.usual();
    this.rounds = run.options().rounds();
  }

  List<Stage> all() {
    List<Stage> stages = new ArrayList<>();
    lookups(stages);
    stages.add(stage("writers, starting", Stage.Place.EARLY, figures -> startWriters()));
    stages.add(stage("writers", Stage.Place.QUIET, this::write));
    stages.add(stage("memory of processes", Stage.Place.LATE, this::grow));
    return stages;
  }

  private Stage stage(String what, Stage.Place place, Stage.Work work) {
    return new Stage(NamedRun.title(peers, what), place, work);
  }

  private void lookups(List<Stage> stages) {
    FreshJvmProcess[] started = new FreshJvmProcess[1];
    stages.add(
        stage(
            "lookups, starting",
            Stage.Place.EARLY,
            figures -> {
              started[0] = run.start(List.of());
              started[0].tell("lookups looked-up " + peers + " " + rounds);
            }));
    stages.add(
        stage(
            "lookups",
            Stage.Place.QUIET,
            figures -> {
              try (FreshJvmProcess jvm = started[0]) {
                jvm.tell("measure", figures);
              }
            }));
  }

  /** 1, 2, 4 and so on, and the most. */
  private List<Integer> numbersOfProcesses() {
    List<Integer> numbers = new ArrayList<>();
    for (int number = 1; number < run.options().processes(); number *= 2) {
      numbers.add(number);
    }
    numbers.add(run.options().processes());
    return numbers;
  }

  private void startWriters() throws IOException {
    for (int i = 0; i < run.options().processes(); i++) {
      FreshJvmProcess writer = run.start(List.of());
      writers.add(writer);
      writer.tell("writer open written " + peers + " " + i);
    }
  }

  private void write(FigureSink figures) {
    long warmUp = Math.min(INSERT_WARM_UP_NANOS, INSERT_NANOS * rounds);
    for (int batch : BATCHES) {
      for (FreshJvmProcess writer : writers) {
        insert(List.of(writer), batch, warmUp, figure -> {});
      }
      for (int round = 0; round < rounds; round++) {
        for (int number : numbersOfProcesses()) {
          insert(writers.subList(0, number), batch, INSERT_NANOS, figures);
        }
      }
    }
    FreshJvmProcess alone = writers.getFirst();
    alone.tell("writer private");
    for (int batch : BATCHES) {
      insert(List.of(alone), batch, warmUp, figure -> {});
      for (int round = 0; round < rounds; round++) {
        insert(List.of(alone), batch, INSERT_NANOS, figures);
      }
    }
    writers.forEach(FreshJvmProcess::close);
  }

  /** All insert at the same time; then each removes what is its own. */
  private void insert(List<FreshJvmProcess> some, int batch, long nanos, FigureSink figures) {
    String command = "writer insert " + some.size() + " " + batch + " " + nanos;
    List<Figure> found = new ArrayList<>();
    some.forEach(writer -> writer.begin(command));
    some.forEach(writer -> writer.end(command, found::add));
    some.forEach(writer -> writer.tell("writer remove"));
    Quantity each = Quantity.insertShared(some.size(), batch);
    double rate = 0;
    double worst = 0;
    for (Figure figure : found) {
      if (figure.quantity().equals(each)) {
        rate += 1000 / figure.value();
      } else {
        worst = Math.max(worst, figure.value());
      }
    }
    Side side = found.getFirst().side();
    figures.add(new Figure(each, peers, side, 1000 * some.size() / rate));
    figures.add(new Figure(Quantity.insertSharedWorst(some.size(), batch), peers, side, worst));
    figures.add(new Figure(Quantity.insertSharedRate(some.size(), batch), peers, side, rate));
  }

  /** One after the other opens the vector, beside those that have it open; then all say. */
  private void grow(FigureSink figures) throws IOException {
    List<FreshJvmProcess> waiting = new ArrayList<>();
    for (int i = 0; i <= run.options().processes(); i++) {
      FreshJvmProcess process = run.start(JvmSource.optionsForMemory(peers));
      waiting.add(process);
      process.tell("process warm " + Math.min(WARM_UP_PEERS, peers));
    }
    FreshJvmProcess alone = waiting.removeLast();
    alone.tell("process fill " + peers);
    List<FreshJvmProcess> sharing = new ArrayList<>();
    for (int number : numbersOfProcesses()) {
      while (sharing.size() < number) {
        FreshJvmProcess next = waiting.removeFirst();
        next.tell("process open " + NamedRun.name(peers) + " " + peers);
        sharing.add(next);
      }
      for (FreshJvmProcess process : sharing) {
        process.tell("process grown " + number, figures);
      }
      alone.tell("process filled " + number, figures);
    }
    sharing.forEach(FreshJvmProcess::close);
    alone.close();
  }
}
