// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.process.JvmCommand;

/**
 * Kills processes that change one named vector, at random moments and as no process can prevent
 * ({@code kill -9}), stops some for a while, and has a {@link Referee} say what is left.
 */
public final class Chaos {
  /** So that what is killed has done something. */
  private static final long PATIENCE_NANOS = 120_000_000_000L;

  private static final int LONGEST_PAUSE_MILLIS = 400;
  private static final int LONGEST_STOP_MILLIS = 120;

  /** Every so manieth process only reads. */
  private static final int READERS = 4;

  private final ChaosOptions options;
  private final BenchmarkListener listener;
  private final SplittableRandom random;
  private final String name = "chaos " + UUID.randomUUID();
  private final List<WatchedProcess> processes = new ArrayList<>();
  private final List<Long> recoveries = new ArrayList<>();

  /** 0 is the referee's. */
  private int started = 1;

  private int kills;
  private int killedInChange;
  private int stops;
  private long changes;
  private long looks;

  private Chaos(ChaosOptions options, BenchmarkListener listener) {
    this.options = options;
    this.listener = listener;
    this.random = new SplittableRandom(options.seed());
  }

  /**
   * Runs it. The listener hears how many were killed.
   *
   * @throws IOException if processes cannot be started or do not begin to work
   * @throws InterruptedException if this thread was interrupted; all processes are ended
   */
  public static ChaosReport run(ChaosOptions options, BenchmarkListener listener)
      throws IOException, InterruptedException {
    try (EndOfRun _ = EndOfRun.interrupting(Thread.currentThread())) {
      return new Chaos(options, listener).run();
    }
  }

  private ChaosReport run() throws IOException, InterruptedException {
    try (ChaosVector writing = new ChaosVector(name, false);
        ChaosVector reading = new ChaosVector(name, true)) {
      ChaosReport report = run(writing, reading);
      if (Thread.interrupted()) {
        // By the end of the JVM, whose signal may have ended the processes too: no finding.
        throw new InterruptedException();
      }
      return report;
    } finally {
      // An interrupt would end the work on files too.
      boolean isInterrupted = Thread.interrupted();
      processes.forEach(WatchedProcess::destroy);
      // The last process that leaves a vector removes its files; a process that is killed does not.
      ChaosVector.removeFiles(name);
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private ChaosReport run(ChaosVector writing, ChaosVector reading)
      throws IOException, InterruptedException {
    long begin = System.nanoTime();
    Referee referee = new Referee(name, writing, reading);
    for (int i = 0; i < options.processes(); i++) {
      start();
    }
    while (kills < options.kills() && referee.violations().isEmpty()) {
      listener.at("processes killed", kills, options.kills());
      killOne(disturb(), referee);
      start();
    }
    for (WatchedProcess last : List.copyOf(processes)) {
      end(last, referee);
      referee.judge(last, true);
    }
    referee.change();
    referee.verify("at the end");
    long entries = referee.judgeAll();
    long repairs = writing.all().status(name).repairs();
    Collections.sort(recoveries);
    return new ChaosReport(
        options,
        kills,
        killedInChange,
        repairs,
        stops,
        changes,
        looks,
        referee.judged(),
        referee.verifications(),
        recoveries.isEmpty() ? 0 : recoveries.get(recoveries.size() / 2),
        recoveries.isEmpty() ? 0 : recoveries.getLast(),
        entries,
        (System.nanoTime() - begin) / 1e9,
        referee.violations());
  }

  private void start() throws IOException {
    int number = started++;
    List<String> command =
        JvmCommand.of(ChaosProcess.class, List.of("-XX:TieredStopAtLevel=1", "-Xmx64m"));
    command.add(name);
    command.add(number % READERS == 0 ? "READ" : "WRITE");
    command.add(Integer.toString(number));
    command.add(Long.toString(random.nextLong()));
    processes.add(new WatchedProcess(number, command));
  }

  /** Lets them work for a while, in which one may be stopped; says who is to be killed. */
  private WatchedProcess disturb() throws IOException, InterruptedException {
    Thread.sleep(random.nextInt(LONGEST_PAUSE_MILLIS));
    if (random.nextInt(3) > 0) {
      return atWork();
    }
    WatchedProcess stopped = atWork();
    stopped.stop();
    stops++;
    Thread.sleep(random.nextInt(LONGEST_STOP_MILLIS));
    if (random.nextBoolean()) {
      // It dies as it stands, perhaps with the lock.
      return stopped;
    }
    stopped.resume();
    return atWork();
  }

  /** Someone who has begun to work. */
  private WatchedProcess atWork() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (true) {
      List<WatchedProcess> able = new ArrayList<>();
      for (WatchedProcess process : processes) {
        if (process.complaint() != null) {
          return process;
        }
        if (process.isAtWork()) {
          able.add(process);
        }
      }
      if (!able.isEmpty()) {
        return able.get(random.nextInt(able.size()));
      }
      if (System.nanoTime() > deadline) {
        throw new IOException("no process has begun to work for two minutes");
      }
      Thread.sleep(1);
    }
  }

  private void killOne(WatchedProcess victim, Referee referee) throws InterruptedException {
    Thread.sleep(0, random.nextInt(1_000_000));
    long begin = System.nanoTime();
    end(victim, referee);
    kills++;
    referee.verify("after the kill of process " + victim.number());
    referee.change();
    recoveries.add(System.nanoTime() - begin);
    referee.judge(victim, random.nextBoolean());
  }

  private void end(WatchedProcess process, Referee referee) throws InterruptedException {
    processes.remove(process);
    if (process.kill()) {
      killedInChange++;
    }
    changes += process.changes();
    looks += process.looks();
    String complaint = process.complaint();
    if (complaint != null) {
      referee.found(complaint);
    }
  }
}
