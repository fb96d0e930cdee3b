// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.ofi4j.benchmarks.cluster.ClusterBenchmarkOptions;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ofi4j cluster bench}: measures groups in ZooKeeper. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Times groups in a ZooKeeper of its own: newcomers, changes, jobs.", ""},
    description = {
      "One JVM publishes the members of a service, 62.5 on a host, and another one has them in a"
          + " vector: when it comes, and while single members join and leave. How long that takes"
          + " is counted from ZooKeeper's event, which a plain watch in the same JVM hears. Then a"
          + " job joins in several JVMs; what those take to start is shown apart."
    },
    footer = {
      "  ofi4j cluster bench                              a minute or two",
      "  ofi4j cluster bench --sizes 1k --changes 5       quickly",
      "  ofi4j cluster bench --sizes 1k --job 64 --processes 64",
      "  ofi4j cluster bench --json"
    })
public final class ClusterBenchCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(
      names = "--sizes",
      paramLabel = "N",
      split = ",",
      defaultValue = "1k,10k,100k",
      converter = BenchCommand.SizeWords.class,
      description = "How many members a service has. Default: ${DEFAULT-VALUE}.")
  private List<Long> sizes = List.of();

  @Option(
      names = "--changes",
      paramLabel = "N",
      defaultValue = "50",
      description = "How many join and leave one by one. Default: ${DEFAULT-VALUE}.")
  private int changes = 50;

  @Option(
      names = "--job",
      paramLabel = "N",
      defaultValue = "64",
      description = "How many members the job has. Default: ${DEFAULT-VALUE}.")
  private int job = 64;

  @Option(
      names = "--processes",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "How many JVMs have them, each member with a connection of its own. Default:"
              + " ${DEFAULT-VALUE}.")
  private int processes = 8;

  @Option(
      names = "--strict",
      description = "End with exit status 1 if a bar that was measured is not met.")
  private boolean strict;

  @Option(names = "--json", description = "Print one JSON document, with every round.")
  private boolean json;

  public ClusterBenchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    try {
      return new Chosen().run();
    } catch (NoClassDefFoundError missing) {
      throw new CommandException(
          ExitCode.UNAVAILABLE,
          "the benchmarks are not on the class path ("
              + missing.getMessage()
              + "); start them with ./ofi4j cluster bench",
          missing);
    }
  }

  /** Apart, as in {@link BenchCommand}. */
  private final class Chosen {
    int run() throws IOException, InterruptedException {
      return new BenchRun(terminal, json, null, strict).run(options());
    }

    ClusterBenchmarkOptions options() {
      try {
        return new ClusterBenchmarkOptions(
            sizes.stream().sorted().distinct().toList(), changes, job, processes);
      } catch (IllegalArgumentException wrong) {
        throw new CommandException(ExitCode.USAGE, "--" + wrong.getMessage(), wrong);
      }
    }
  }
}
