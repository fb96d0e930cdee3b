// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ofi4j cluster} without a command of its own. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    description =
        "Members of jobs and services publish the addresses of their endpoints in Apache ZooKeeper,"
            + " and have those of all others in their vectors.",
    footer = {
      "  ofi4j cluster serve                        a server, for trying it out",
      "  ofi4j cluster join shuffle                 a member of a service",
      "  ofi4j cluster join run-1 --rank 0 --size 2 a member of a job",
      "  ofi4j cluster watch shuffle                who comes and goes",
      "  ofi4j cluster list                         which groups there are",
      "  ofi4j cluster end run-1                    removes a job that is over",
      "  ofi4j cluster bench                        how soon 100,000 members are there"
    })
public final class ClusterCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec private @Nullable CommandSpec spec;

  public ClusterCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Objects.requireNonNull(spec).commandLine().usage(terminal.out());
    return ExitCode.OK;
  }
}
