// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;

/** What several processes do with one vector of the usual size, and what that costs each. */
final class SharingStages {
  private static final int WARM_UP_PEERS = 50_000;
  private static final List<Integer> BATCHES = List.of(1, 1000);
  private static final long INSERT_NANOS = 100_000_000;
  private static final long INSERT_WARM_UP_NANOS = 700_000_000;

  private final NamedRun run;
  private final int peers;
  private final int rounds;

  SharingStages(NamedRun run) {
    this.run = run;
    this.peers = run.usual();
    this.rounds = run.options().rounds();
  }

  void addAll() {
    run.add(peers, "lookups", this::lookUp);
    run.add(peers, "writers", this::write);
    run.add(peers, "memory of processes", this::grow);
  }

  private void lookUp() throws IOException {
    try (LineProcess jvm = run.start(List.of())) {
      jvm.tell("lookups looked-up " + peers + " " + rounds, run.results());
    }
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

  private void write() throws IOException {
    FigureSink figures = run.results();
    List<LineProcess> writers = new ArrayList<>();
    for (int i = 0; i < run.options().processes(); i++) {
      LineProcess writer = run.start(List.of());
      writers.add(writer);
      writer.tell("writer open written " + peers + " " + i);
    }
    long warmUp = Math.min(INSERT_WARM_UP_NANOS, INSERT_NANOS * rounds);
    for (int batch : BATCHES) {
      for (LineProcess writer : writers) {
        insert(List.of(writer), batch, warmUp, figure -> {});
      }
      for (int round = 0; round < rounds; round++) {
        for (int number : numbersOfProcesses()) {
          insert(writers.subList(0, number), batch, INSERT_NANOS, figures);
        }
      }
    }
    LineProcess alone = writers.getFirst();
    alone.tell("writer private");
    for (int batch : BATCHES) {
      insert(List.of(alone), batch, warmUp, figure -> {});
      for (int round = 0; round < rounds; round++) {
        insert(List.of(alone), batch, INSERT_NANOS, figures);
      }
    }
    writers.forEach(LineProcess::close);
  }

  /** All insert at the same time; then each removes what is its own. */
  private void insert(List<LineProcess> some, int batch, long nanos, FigureSink figures) {
    String command = "writer insert " + some.size() + " " + batch + " " + nanos;
    List<Figure> found = new ArrayList<>();
    some.forEach(writer -> writer.say(command));
    some.forEach(writer -> writer.answer(command, found::add));
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
  private void grow() throws IOException {
    List<LineProcess> waiting = new ArrayList<>();
    for (int i = 0; i <= run.options().processes(); i++) {
      LineProcess process = run.start(JvmCommand.forMemory(peers));
      waiting.add(process);
      process.tell("process warm " + Math.min(WARM_UP_PEERS, peers));
    }
    LineProcess alone = waiting.removeLast();
    alone.tell("process fill " + peers);
    List<LineProcess> sharing = new ArrayList<>();
    for (int number : numbersOfProcesses()) {
      while (sharing.size() < number) {
        LineProcess next = waiting.removeFirst();
        next.tell("process open " + NamedRun.name(peers) + " " + peers);
        sharing.add(next);
      }
      for (LineProcess process : sharing) {
        process.tell("process grown " + number, run.results());
      }
      alone.tell("process filled " + number, run.results());
    }
    sharing.forEach(LineProcess::close);
    alone.close();
  }
}
