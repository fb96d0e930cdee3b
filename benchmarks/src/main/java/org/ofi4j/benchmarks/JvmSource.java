package org.ofi4j.benchmarks;

import java.io.IOException;
import java.util.List;

/** Starts the JVMs that measure. For several threads. */
final class JvmSource {
  /** With fewer rounds than this, which is for a quick look, they warm up for less time. */
  private static final int USUAL_ROUNDS = 11;

  private static final long LONG_WARM_UP = 800_000_000;
  private static final long SHORT_WARM_UP = 300_000_000;

  /** The heap is there from the beginning, so that it does not count. */
  private static final List<String> FIXED_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1");

  private final BenchmarkOptions options;
  private final OpenProcesses processes;

  JvmSource(BenchmarkOptions options, OpenProcesses processes) {
    this.options = options;
    this.processes = processes;
  }

  /** A JVM that has done nothing yet. */
  FreshJvmProcess start() throws IOException {
    return start(List.of());
  }

  /** One whose own memory does not change. */
  FreshJvmProcess startForMemory() throws IOException {
    return start(FIXED_HEAP);
  }

  /** One for rounds on which bars rest. */
  Ofi4jContender contenderInQuiet() throws IOException {
    return contender(LONG_WARM_UP, 1);
  }

  /**
   * One for other rounds.
   *
   * @param before how many rounds as they will be measured do not count
   */
  Ofi4jContender contender(int before) throws IOException {
    return contender(SHORT_WARM_UP, before);
  }

  private Ofi4jContender contender(long nanos, int rounds) throws IOException {
    long scaled = nanos * Math.min(options.rounds(), USUAL_ROUNDS) / USUAL_ROUNDS;
    return new Ofi4jContender(start(), options.rounds(), scaled, rounds);
  }

  private FreshJvmProcess start(List<String> jvmOptions) throws IOException {
    FreshJvmProcess process = new FreshJvmProcess(options.time(), jvmOptions);
    return processes.add(process, process::close);
  }
}
