// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ofi4j.benchmarks.figure.Results;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;

/**
 * What the stages of a run with named vectors have in common: its JVMs, which see no vectors but
 * those of the run, and where things are.
 *
 * @param options what to measure
 * @param stages the stages
 * @param results takes their figures
 * @param processes end with the run
 * @param shared where the files of named vectors are
 * @param saved where copies of them are
 */
record NamedRun(
    NamedOptions options,
    Stages stages,
    Results results,
    OpenProcesses processes,
    Path shared,
    Path saved) {
  private static final int PATIENCE_SECONDS = 120;

  /** What lookups, processes and writers are measured with: a million, if it is measured at all. */
  int usual() {
    List<Long> sizes = options.sizes();
    return (int)
        (long) (sizes.contains(Row.USUAL_SIZE) ? Long.valueOf(Row.USUAL_SIZE) : sizes.getLast());
  }

  /** The name of the vector of a size. */
  static String name(long size) {
    return "peers-" + size;
  }

  /** Where a copy of it is saved. */
  Path file(long size) {
    return saved.resolve(name(size));
  }

  /** Adds a stage about so many peers. */
  void add(long size, String what, Stages.Work work) {
    String peers = size == 1 ? "peer" : "peers";
    stages.add(String.format(Locale.ROOT, "%,d %s: %s", size, peers, what), work);
  }

  /** Starts a JVM. */
  LineProcess start(List<String> jvmOptions) throws IOException {
    return processes.start(JvmCommand.of(NamedJvm.class, within(jvmOptions)));
  }

  /** Starts a JVM that opens one vector and says what that took. */
  LineProcess startFirst(Opening opening, long size) throws IOException {
    List<String> command = JvmCommand.of(FirstOpening.class, within(List.of()));
    command.addAll(List.of(opening.name(), name(size), file(size).toString()));
    return processes.add(new LineProcess("a fresh JVM", PATIENCE_SECONDS, command));
  }

  private List<String> within(List<String> jvmOptions) {
    List<String> all = new ArrayList<>(jvmOptions);
    all.add("-Dofi4j.share.directory=" + shared);
    return all;
  }
}
