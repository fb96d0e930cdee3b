// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** Starts the JVMs that measure. For several threads. */
public final class JvmSource {
  /** The heap is there from the beginning, so that it does not count. */
  private static final List<String> FIXED_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch");

  /** The optimising compiler takes a megabyte or two, which among more peers do not count. */
  private static final long LEAST_OPTIMISED = 10_000_000;

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

  /** One whose own memory does not change by anything that matters with so many peers. */
  FreshJvmProcess startForMemory(int peers) throws IOException {
    return start(optionsForMemory(peers));
  }

  /** What makes it so. */
  public static List<String> optionsForMemory(int peers) {
    List<String> jvmOptions = new ArrayList<>(FIXED_HEAP);
    if (peers < LEAST_OPTIMISED) {
      jvmOptions.add("-XX:TieredStopAtLevel=1");
    }
    return jvmOptions;
  }

  /** Rounds of this library in a JVM, which warms up for each work. */
  JvmContender contender(FreshJvmProcess process, WarmUp warmUp) {
    return new JvmContender(process, warmUp.scaled(options.rounds()));
  }

  private FreshJvmProcess start(List<String> jvmOptions) throws IOException {
    FreshJvmProcess process = new FreshJvmProcess(VectorJvm.class, options.time(), jvmOptions);
    return processes.add(process, process::close);
  }
}
