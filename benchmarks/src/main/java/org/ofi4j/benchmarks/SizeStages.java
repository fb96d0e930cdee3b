package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The stages of one number of peers. Whatever this library does it does in JVMs of its own, one for
 * each kind of work, as an application that does this kind of work is compiled. Those that are
 * measured in quiet start and warm up before.
 */
final class SizeStages {
  /** Fewer addresses say nothing about their order. */
  private static final int LEAST_REGULAR = 10_000;

  private final JvmSource jvms;
  private final BenchmarkOptions options;
  private final @Nullable Libfabric libfabric;
  private final int peers;
  private final List<Stage> stages = new ArrayList<>();

  /**
   * The stages of one size.
   *
   * @param jvms starts JVMs
   * @param options how often
   * @param libfabric the other side, or null without one
   * @param peers how many
   */
  SizeStages(JvmSource jvms, BenchmarkOptions options, @Nullable Libfabric libfabric, int peers) {
    this.jvms = jvms;
    this.options = options;
    this.libfabric = libfabric;
    this.peers = peers;
  }

  /** What is done with a number that libfabric can take too. */
  List<Stage> compared() {
    warm("scattered", List.of(RoundWork.SCATTERED), Effort.compared(options));
    warm(
        "consecutive",
        List.of(RoundWork.CONSECUTIVE, RoundWork.SYMMETRIC),
        Effort.compared(options));
    Libfabric other = libfabric;
    if (other != null) {
      stage(
          "libfabric tcp", Stage.Place.BESIDE_WITH_LIBFABRIC, figures -> other.tcp(peers, figures));
      stage(
          "libfabric udp, starting",
          Stage.Place.BESIDE_WITH_LIBFABRIC,
          figures -> other.startUdp(peers, figures));
    }
    shown("IPv6", 0, List.of(RoundWork.SCATTERED_IPV6, RoundWork.CONSECUTIVE_IPV6));
    // With few peers our removal in random order is done with the rest.
    boolean few = peers <= RoundWork.MOST_RANDOM_REMOVALS;
    shown(
        "one by one",
        1,
        few
            ? List.of(RoundWork.SINGLY, RoundWork.CHURN)
            : List.of(RoundWork.SINGLY, RoundWork.CHURN, RoundWork.REMOVAL));
    if (other != null) {
      stage(
          few ? "libfabric's symmetric, removal" : "libfabric's symmetric",
          Stage.Place.BESIDE_WITH_LIBFABRIC,
          figures -> {
            Rounds rounds = new Rounds(List.of(other.udp()), figures);
            rounds.run(RoundWork.SYMMETRIC, peers, Effort.ofUdp(options));
            if (few) {
              rounds.run(RoundWork.REMOVAL, peers, Effort.ofUdp(options));
            }
          });
    }
    if (peers >= LEAST_REGULAR) {
      apart("regular", RoundWork.REGULAR, Effort.shown(options));
    }
    told("first calls", List.of("first " + peers));
    return stages;
  }

  /** What is done with a number that only this library is measured with. */
  List<Stage> alone() {
    for (AddressPattern pattern : List.of(AddressPattern.SCATTERED, AddressPattern.CONSECUTIVE)) {
      told(
          pattern.title(),
          List.of("large " + peers + " " + options.rounds() + " " + pattern.name()));
    }
    return stages;
  }

  /** No clock runs here. */
  List<Stage> residentMemory() {
    toldBeside("resident memory", jvms::startForMemory, "resident " + peers);
    return stages;
  }

  /** What goes and comes ten million times. */
  List<Stage> churnForLong() {
    apart("churn for long", List.of(RoundWork.CHURN_FOR_LONG), Effort.required(options));
    return stages;
  }

  /** Memory of vectors of every size up to this one. */
  List<Stage> sweep() {
    toldBeside("memory at each size", jvms::start, "sweep " + peers);
    return stages;
  }

  /** What a JVM measures by itself, beside other work. */
  private void toldBeside(String title, Callable<FreshJvmProcess> jvm, String command) {
    stage(
        title,
        Stage.Place.BESIDE,
        figures -> {
          try (FreshJvmProcess process = jvm.call()) {
            process.tell(command, figures);
          }
        });
  }

  /** What a JVM measures by itself, in quiet. It is started before. */
  List<Stage> told(String title, List<String> commands) {
    FreshJvmProcess[] started = new FreshJvmProcess[1];
    stage(title + ", starting", Stage.Place.BESIDE, figures -> started[0] = jvms.start());
    stage(
        title,
        Stage.Place.QUIET,
        figures -> {
          try (FreshJvmProcess process = started[0]) {
            for (String command : commands) {
              process.tell(command, figures);
            }
          }
        });
    return stages;
  }

  /** Warms up beside other work and is measured in quiet. */
  private void warm(String title, List<RoundWork> works, Effort effort) {
    Ofi4jContender[] warm = new Ofi4jContender[1];
    stage(
        title + ", warming up",
        Stage.Place.BESIDE,
        figures -> {
          warm[0] = jvms.contenderInQuiet();
          warm[0].load(works.getFirst(), peers);
        });
    stage(
        title,
        Stage.Place.QUIET,
        figures -> {
          try (Ofi4jContender ofi4j = warm[0]) {
            run(works, effort, with(ofi4j), figures);
          }
        });
  }

  /** Both sides by turns, beside other work. */
  private void shown(String title, int before, List<RoundWork> works) {
    stage(
        title,
        libfabric == null ? Stage.Place.BESIDE : Stage.Place.BESIDE_WITH_LIBFABRIC,
        figures -> {
          try (Ofi4jContender ofi4j = jvms.contender(before)) {
            run(works, Effort.shown(options), with(ofi4j), figures);
          }
        });
  }

  /** This library alone, beside other work. */
  private void apart(String title, List<RoundWork> works, Effort effort) {
    stage(
        title,
        Stage.Place.BESIDE,
        figures -> {
          try (Ofi4jContender ofi4j = jvms.contender(0)) {
            run(works, effort, List.of(ofi4j), figures);
          }
        });
  }

  private void run(
      List<RoundWork> works, Effort effort, List<Contender> contenders, FigureSink figures) {
    Rounds rounds = new Rounds(contenders, figures);
    for (RoundWork work : works) {
      // No bar compares insertsym, and it costs libfabric as much as other insertion.
      boolean alone = work == RoundWork.SYMMETRIC;
      rounds.run(work, peers, alone ? Effort.required(options) : effort);
    }
  }

  private List<Contender> with(Ofi4jContender ofi4j) {
    return libfabric == null ? List.of(ofi4j) : List.of(ofi4j, libfabric.udp());
  }

  private void stage(String title, Stage.Place place, Stage.Work work) {
    stages.add(new Stage(String.format(Locale.ROOT, "%,d peers: %s", peers, title), place, work));
  }
}
