// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.cluster.ClusterBenchmark;
import org.ofi4j.benchmarks.cluster.ClusterBenchmarkOptions;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkListener;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.messaging.CostsBenchmark;
import org.ofi4j.benchmarks.messaging.CostsOptions;
import org.ofi4j.benchmarks.messaging.MessagingBenchmark;
import org.ofi4j.benchmarks.messaging.MessagingOptions;
import org.ofi4j.benchmarks.named.NamedBenchmark;
import org.ofi4j.benchmarks.named.NamedOptions;
import org.ofi4j.benchmarks.plot.SvgPlot;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.vector.AvBenchmark;
import org.ofi4j.benchmarks.vector.BenchmarkOptions;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.output.Terminal;

/** Runs the benchmark and prints its report. Apart from the command, which works without it. */
record BenchRun(Terminal terminal, boolean json, @Nullable Path plot, boolean strict) {
  int run(BenchmarkOptions options) throws IOException, InterruptedException {
    return run(steps -> AvBenchmark.run(options, steps), BenchTable::print);
  }

  int run(MessagingOptions options) throws IOException, InterruptedException {
    return run(steps -> MessagingBenchmark.run(options, steps), ContestantTable::print);
  }

  int run(CostsOptions options) throws IOException, InterruptedException {
    return run(steps -> CostsBenchmark.run(options, steps), ContestantTable::print);
  }

  int run(NamedOptions options) throws IOException, InterruptedException {
    return run(steps -> NamedBenchmark.run(options, steps), NamedTable::print);
  }

  int run(ClusterBenchmarkOptions options) throws IOException, InterruptedException {
    return run(steps -> ClusterBenchmark.run(options, steps), ClusterTable::print);
  }

  /** Measures something. */
  @FunctionalInterface
  private interface Benchmark {
    BenchmarkReport run(BenchmarkListener listener) throws IOException, InterruptedException;
  }

  private int run(Benchmark benchmark, BiConsumer<Terminal, BenchmarkReport> table)
      throws IOException, InterruptedException {
    Path directory = plot == null ? null : plot.toAbsolutePath().getParent();
    if (directory != null && !Files.isDirectory(directory)) {
      throw new CommandException(ExitCode.USAGE, "--plot: there is no directory " + directory);
    }
    BenchmarkReport report;
    try (Steps steps = new Steps()) {
      report = benchmark.run(steps);
    } catch (LibfabricUnavailableException missing) {
      throw new CommandException(
          ExitCode.UNAVAILABLE, String.valueOf(missing.getMessage()), missing);
    }
    if (plot != null) {
      Files.writeString(plot, SvgPlot.of(report));
    }
    if (json) {
      BenchJson.print(terminal.out(), report);
    } else {
      table.accept(terminal, report);
    }
    boolean missed = report.bars().stream().map(Bar::met).anyMatch(Boolean.FALSE::equals);
    return strict && missed ? ExitCode.FAILED : ExitCode.OK;
  }

  /** Shows how far the run is. */
  private final class Steps implements BenchmarkListener, AutoCloseable {
    private @Nullable Progress progress;

    @Override
    public void at(String what, int done, int steps) {
      close();
      progress = new Progress(terminal, what, "steps", steps);
      progress.at(done);
    }

    @Override
    public void close() {
      if (progress != null) {
        progress.close();
        progress = null;
      }
    }
  }
}
