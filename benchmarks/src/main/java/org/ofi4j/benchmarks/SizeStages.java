package org.ofi4j.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The stages of one number of peers. Whatever this library does it does in JVMs of its own, one for
 * each kind of work, as an application that does this kind of work is compiled.
 */
final class SizeStages {
  /** With fewer peers, what a process takes for itself counts more than the vector. */
  static final int LEAST_RESIDENT = 500_000;

  private static final int FIRST_CALLS = 3;
  private static final int MOST_RANDOM_REMOVALS = 20_000;

  /** Fewer addresses say nothing about their order. */
  private static final int LEAST_REGULAR = 10_000;

  /** With fewer rounds than this, which is for a quick look, it warms up for less time. */
  private static final int USUAL_ROUNDS = 11;

  private static final long LONG_WARM_UP = 1_000_000_000;
  private static final long SHORT_WARM_UP = 500_000_000;

  /** The heap is there from the beginning, so that it does not count. */
  private static final List<String> FIXED_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1");

  private final BenchmarkOptions options;
  private final OpenProcesses processes;
  private final @Nullable Libfabric libfabric;
  private final int peers;
  private final List<Stage> stages = new ArrayList<>();

  SizeStages(
      BenchmarkOptions options, OpenProcesses processes, @Nullable Libfabric libfabric, int peers) {
    this.options = options;
    this.processes = processes;
    this.libfabric = peers <= BenchmarkOptions.MOST_COMPARED ? libfabric : null;
    this.peers = peers;
  }

  /** What is done with a number that libfabric can take too. */
  List<Stage> compared() {
    quiet(RoundWork.SCATTERED, Effort.compared(options));
    quiet(RoundWork.CONSECUTIVE, Effort.compared(options));
    quiet(RoundWork.SYMMETRIC, Effort.required(options));
    Libfabric other = libfabric;
    if (other != null) {
      withLibfabric("libfabric tcp", figures -> other.tcp(peers, figures));
      withLibfabric("libfabric's symmetric", ofUdp(other, RoundWork.SYMMETRIC));
      withLibfabric("libfabric's churn", ofUdp(other, RoundWork.CHURN));
    }
    apart("churn", List.of(RoundWork.CHURN), Effort.required(options));
    shown("one by one", List.of(RoundWork.SINGLY), Effort.shown(options));
    if (peers >= LEAST_REGULAR) {
      apart("regular", RoundWork.REGULAR, Effort.shown(options));
    }
    shown(
        "IPv6",
        List.of(RoundWork.SCATTERED_IPV6, RoundWork.CONSECUTIVE_IPV6),
        Effort.shown(options));
    for (int i = 0; i < Math.min(FIRST_CALLS, options.rounds()); i++) {
      beside("first calls in JVM " + (i + 1), figures -> inFreshJvm("first " + peers, 1, figures));
    }
    return stages;
  }

  /**
   * libfabric's random removal takes time with the square of the number. Where that is small, ours
   * was done with the rest.
   */
  List<Stage> randomRemoval() {
    Libfabric other = libfabric;
    if (peers > MOST_RANDOM_REMOVALS) {
      shown("random removal", List.of(RoundWork.REMOVAL), Effort.shown(options));
    } else if (other != null) {
      withLibfabric("libfabric's random removal", ofUdp(other, RoundWork.REMOVAL));
    }
    return stages;
  }

  /** What is done with a number that only this library is measured with. */
  List<Stage> alone() {
    for (AddressPattern pattern : List.of(AddressPattern.SCATTERED, AddressPattern.CONSECUTIVE)) {
      inQuietJvm(pattern.title(), "large " + peers + " " + pattern.name(), options.rounds());
    }
    return stages;
  }

  /** No clock runs here. */
  List<Stage> residentMemory() {
    Libfabric other = libfabric;
    if (other != null) {
      withLibfabric("libfabric's resident memory", figures -> other.residentMemory(peers, figures));
    }
    resident(AddressPattern.SCATTERED, Family.IPV4);
    resident(AddressPattern.SCATTERED, Family.IPV6);
    resident(AddressPattern.CONSECUTIVE, Family.IPV4);
    return stages;
  }

  private void resident(AddressPattern pattern, Family family) {
    Quantity quantity = Quantity.resident(pattern, family);
    beside(
        quantity.title(),
        figures -> {
          try (FreshJvmProcess process = start(FIXED_HEAP, 1)) {
            process.tell("resident " + peers + " " + pattern.name() + " " + family.name(), figures);
          }
        });
  }

  /** What a command of {@link FreshJvm} measures that takes nothing but the number. */
  List<Stage> quietly(String title, String command, int rounds) {
    inQuietJvm(title, command + " " + peers, rounds);
    return stages;
  }

  /** The same for what needs no clock. */
  List<Stage> besideOthers(String title, String command) {
    beside(title, figures -> inFreshJvm(command + " " + peers, 1, figures));
    return stages;
  }

  /** Warms up beside other work and is measured while there is none. */
  private void quiet(RoundWork work, Effort effort) {
    Ofi4jContender[] warm = new Ofi4jContender[1];
    String title = work.title();
    beside(
        title + ", warming up",
        figures -> {
          warm[0] = ofi4j(LONG_WARM_UP, 1);
          warm[0].load(work, peers);
        });
    stage(
        title,
        Stage.Place.QUIET,
        figures -> {
          try (Ofi4jContender ofi4j = warm[0]) {
            new Rounds(with(ofi4j), figures).run(work, peers, effort);
          }
        });
  }

  /** Both sides by turns, beside other work. */
  private void shown(String title, List<RoundWork> works, Effort effort) {
    Stage.Place place = libfabric == null ? Stage.Place.BESIDE : Stage.Place.BESIDE_WITH_LIBFABRIC;
    stage(
        title,
        place,
        figures -> {
          try (Ofi4jContender ofi4j = ofi4j(SHORT_WARM_UP, 0)) {
            for (RoundWork work : works) {
              new Rounds(with(ofi4j), figures).run(work, peers, effort);
            }
          }
        });
  }

  /** This library alone, beside other work. */
  private void apart(String title, List<RoundWork> works, Effort effort) {
    beside(
        title,
        figures -> {
          try (Ofi4jContender ofi4j = ofi4j(SHORT_WARM_UP, 0)) {
            for (RoundWork work : works) {
              new Rounds(List.of(ofi4j), figures).run(work, peers, effort);
            }
          }
        });
  }

  private Stage.Work ofUdp(Libfabric other, RoundWork work) {
    return figures ->
        new Rounds(List.of(other.udp()), figures).run(work, peers, Effort.ofUdp(options));
  }

  private List<Contender> with(Ofi4jContender ofi4j) {
    return libfabric == null ? List.of(ofi4j) : List.of(ofi4j, libfabric.udp());
  }

  private void inQuietJvm(String title, String command, int rounds) {
    stage(title, Stage.Place.QUIET, figures -> inFreshJvm(command, rounds, figures));
  }

  private void inFreshJvm(String command, int rounds, FigureSink figures) throws IOException {
    try (FreshJvmProcess process = start(List.of(), rounds)) {
      process.tell(command, figures);
    }
  }

  private Ofi4jContender ofi4j(long warmUpNanos, int warmUpRounds) throws IOException {
    long nanos = warmUpNanos * Math.min(options.rounds(), USUAL_ROUNDS) / USUAL_ROUNDS;
    return new Ofi4jContender(start(List.of(), options.rounds()), nanos, warmUpRounds);
  }

  private FreshJvmProcess start(List<String> jvmOptions, int rounds) throws IOException {
    FreshJvmProcess process = new FreshJvmProcess(options.time(), rounds, jvmOptions);
    return processes.add(process, process::close);
  }

  private void beside(String title, Stage.Work work) {
    stage(title, Stage.Place.BESIDE, work);
  }

  private void withLibfabric(String title, Stage.Work work) {
    stage(title, Stage.Place.BESIDE_WITH_LIBFABRIC, work);
  }

  private void stage(String title, Stage.Place place, Stage.Work work) {
    stages.add(new Stage(String.format(Locale.ROOT, "%,d peers: %s", peers, title), place, work));
  }
}
