// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.process.FreshJvmProcess;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What the stages of a run with named vectors have in common: its JVMs, which see no vectors but
 * those of the run, and where things are.
 *
 * @param options what to measure
 * @param processes end with the run
 * @param shared where the files of named vectors are
 * @param saved where copies of them are
 */
record NamedRun(NamedOptions options, OpenProcesses processes, Path shared, Path saved) {
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

  /** The title of a stage. */
  static String title(long size, String what) {
    return String.format(Locale.ROOT, "%,d %s: %s", size, size == 1 ? "peer" : "peers", what);
  }

  /** Starts a JVM. */
  FreshJvmProcess start(List<String> jvmOptions) throws IOException {
    FreshJvmProcess process =
        new FreshJvmProcess(NamedJvm.class, TimeSource.WALL, within(jvmOptions));
    return processes.add(process, process::close);
  }

  /** Starts a JVM that opens one vector and says what that took. */
  LineProcess startFirst(Opening opening, long size) throws IOException {
    List<String> command = JvmCommand.of(FirstOpening.class, within(List.of()));
    command.addAll(List.of(opening.name(), name(size), file(size).toString()));
    LineProcess process = new LineProcess("a fresh JVM", PATIENCE_SECONDS, command);
    return processes.add(process, process::close);
  }

  private List<String> within(List<String> jvmOptions) {
    List<String> all = new ArrayList<>(jvmOptions);
    all.add("-Dofi4j.share.directory=" + shared);
    return all;
  }
}
