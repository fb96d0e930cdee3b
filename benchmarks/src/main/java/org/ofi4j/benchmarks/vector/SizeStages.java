// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.schedule.Stage;

/**
 * The stages of one number of peers. Whatever this library does it does in JVMs of its own, one for
 * each kind of work, as an application that does this kind of work is compiled. Those that are
 * measured in quiet start and warm up before; what no bar rests on may come in one of them after
 * that, when it has compiled the like.
 */
final class SizeStages {
  /** What a JVM does in one of its stages. */
  @FunctionalInterface
  private interface JvmWork {
    void run(FreshJvmProcess jvm, FigureSink figures) throws Exception;
  }

  private final JvmSource jvms;
  private final BenchmarkOptions options;
  private final @Nullable Libfabric libfabric;
  private final int peers;

  /** With how many that is done which no bar rests on. */
  private final int shown;

  private final List<Stage> stages = new ArrayList<>();

  SizeStages(JvmSource jvms, BenchmarkOptions options, @Nullable Libfabric libfabric, int peers) {
    this.jvms = jvms;
    this.options = options;
    this.libfabric = libfabric;
    this.peers = peers;
    this.shown = Math.min(peers, options.shown());
  }

  /**
   * What is done with a number that libfabric can take too.
   *
   * @param prepared what the JVM of single calls is measured at in quiet, as {@link FreshJvm} knows
   *     it
   * @param churnForLong whether entries go and come ten million times
   * @param shows whether that is done which no bar rests on
   */
  List<Stage> compared(List<String> prepared, boolean churnForLong, boolean shows) {
    // Of what comes late this takes longest, so it is the first.
    JvmWork scattered =
        (jvm, figures) -> {
          if (shows && shown < peers) {
            shown(List.of(RoundWork.SCATTERED), jvm, WarmUp.FAMILIAR, figures);
          }
          if (churnForLong) {
            jvm.tell("churn " + peers + " " + options.rounds(), figures);
          }
          if (shows && shown > RoundWork.MOST_RANDOM_REMOVALS) {
            shown(List.of(RoundWork.REMOVAL), jvm, WarmUp.FAMILIAR, figures);
          }
        };
    byTurns("scattered", RoundWork.SCATTERED, shows, shows || churnForLong ? scattered : null);
    prepared(prepared);
    byTurns("consecutive", RoundWork.CONSECUTIVE, false, null);
    if (shows) {
      jvm(
          "IPv6",
          Stage.Place.LATE,
          (jvm, figures) ->
              shown(
                  List.of(RoundWork.SCATTERED_IPV6, RoundWork.CONSECUTIVE_IPV6),
                  jvm,
                  WarmUp.SHOWN,
                  figures));
    }
    Libfabric other = libfabric;
    if (other != null) {
      libfabric("libfabric udp, starting", figures -> other.startUdp(peers, figures));
      if (shows) {
        libfabric("libfabric tcp", figures -> other.tcp(shown, figures));
        libfabric("libfabric udp", figures -> other.shown(peers, shown, figures));
      }
    }
    return stages;
  }

  /**
   * What is done with a number that only this library is measured with.
   *
   * @param prepared as for {@link #compared}
   */
  List<Stage> alone(List<String> prepared) {
    for (AddressPattern pattern : List.of(AddressPattern.SCATTERED, AddressPattern.CONSECUTIVE)) {
      String command = "large " + peers + " " + options.rounds() + " " + pattern.name();
      jvm(pattern.title(), Stage.Place.QUIET, (jvm, figures) -> jvm.tell(command, figures));
    }
    prepared(prepared);
    return stages;
  }

  /**
   * What the system and the vector say of memory. No clock runs here.
   *
   * @param commands as {@link FreshJvm} knows them
   */
  List<Stage> memory(List<String> commands) {
    stage(
        "memory",
        Stage.Place.EARLIEST,
        figures -> {
          try (FreshJvmProcess jvm = jvms.startForMemory(peers)) {
            commands.forEach(command -> jvm.tell(command, figures));
          }
        });
    return stages;
  }

  /** Single calls, made ready before, measured in quiet. */
  private void prepared(List<String> measurements) {
    if (measurements.isEmpty()) {
      return;
    }
    jvm(
        "single calls",
        (jvm, figures) -> measurements.forEach(what -> jvm.tell("prepare " + what)),
        (jvm, figures) -> {
          for (int i = 0; i < measurements.size(); i++) {
            jvm.tell("measure", figures);
          }
        },
        null);
  }

  /** A JVM for one stage. */
  private void jvm(String title, Stage.Place place, JvmWork work) {
    stage(
        title,
        place,
        figures -> {
          try (FreshJvmProcess jvm = jvms.start()) {
            work.run(jvm, figures);
          }
        });
  }

  /** A JVM that starts early, is measured in quiet, and may do something afterwards. */
  private void jvm(String title, JvmWork early, JvmWork quiet, @Nullable JvmWork late) {
    FreshJvmProcess[] started = new FreshJvmProcess[1];
    stage(
        title + ", starting",
        Stage.Place.EARLY,
        figures -> {
          started[0] = jvms.start();
          early.run(started[0], figures);
        });
    stage(
        title,
        Stage.Place.QUIET,
        figures -> {
          quiet.run(started[0], figures);
          if (late == null) {
            started[0].close();
          }
        });
    if (late != null) {
      stage(
          title + ", afterwards",
          Stage.Place.LATE,
          figures -> {
            try (FreshJvmProcess jvm = started[0]) {
              late.run(jvm, figures);
            }
          });
    }
  }

  private JvmContender compared(FreshJvmProcess jvm) {
    return jvms.contender(jvm, WarmUp.COMPARED);
  }

  /**
   * What bars compare, both sides in each round, and in some of them memory alone; then calls for
   * one address each, which take more than twice the time beside other work.
   */
  private void byTurns(String title, RoundWork work, boolean singleCalls, @Nullable JvmWork late) {
    List<Contender> memory = new ArrayList<>();
    Libfabric other = libfabric;
    if (other != null) {
      libfabric(
          "memory alone, " + title,
          figures -> {
            Contender contender = other.startMemory();
            contender.load(work, peers);
            memory.add(contender);
          });
    }
    jvm(
        title,
        (jvm, figures) -> compared(jvm).load(work, peers),
        (jvm, figures) -> {
          List<Contender> contenders = new ArrayList<>(List.of(compared(jvm)));
          if (other != null) {
            contenders.add(other.udp());
          }
          contenders.addAll(memory);
          new Rounds(contenders, figures).run(work, peers, Effort.compared(options));
          memory.forEach(Contender::close);
          if (singleCalls) {
            List<Contender> both = new ArrayList<>(List.of(jvms.contender(jvm, WarmUp.FAMILIAR)));
            if (other != null) {
              both.add(other.udp());
            }
            new Rounds(both, figures).run(RoundWork.SINGLY, shown, Effort.shown(options));
          }
        },
        late);
  }

  /** This library alone, as often as there is time for. */
  private void shown(
      List<RoundWork> works, FreshJvmProcess jvm, WarmUp warmUp, FigureSink figures) {
    Rounds rounds = new Rounds(List.of(jvms.contender(jvm, warmUp)), figures);
    for (RoundWork work : works) {
      rounds.run(work, shown, Effort.shown(options));
    }
  }

  private void libfabric(String title, Stage.Work work) {
    stage(title, Stage.Place.EARLY_WITH_LIBFABRIC, work);
  }

  private void stage(String title, Stage.Place place, Stage.Work work) {
    stages.add(new Stage(String.format(Locale.ROOT, "%,d peers: %s", peers, title), place, work));
  }
}
