// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.KnownWords;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j cluster join}: a member of a group. */
@Command(
    name = "join",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Joins a service, or a job with --rank and --size, until Ctrl-C.", ""},
    description =
        "Opens an endpoint, publishes its address, keeps a vector of all members, and prints a line"
            + " for each change in it. A job begins when all ranks are there.",
    footer = {
      "  ofi4j cluster join shuffle",
      "  ofi4j cluster join shuffle --member worker-7 --attribute zone=b",
      "  ofi4j cluster join run-1 --rank 0 --size 2",
      "  ofi4j cluster join shuffle --servers zk1:2181,zk2:2181 --source 10.1.1.5",
      "  ofi4j cluster join shuffle --source 0.0.0.0:7000 --publish 192.0.2.7:17000"
    })
public final class JoinCommand extends ClusterTask {
  private static final int LONGEST = 86_400;

  private final Terminal terminal;

  @Parameters(paramLabel = "GROUP", description = "The name of the job or the service.")
  private String group = "";

  @Mixin private final WhichServers where = new WhichServers();

  @Option(
      names = "--member",
      paramLabel = "NAME",
      description =
          "The member's name in a service. Default: the host's name, the process and a random"
              + " number.")
  private @Nullable String member;

  @Option(names = "--rank", paramLabel = "N", description = "The member's rank in a job.")
  private @Nullable Integer rank;

  @Option(names = "--size", paramLabel = "N", description = "How many members the job has.")
  private @Nullable Integer size;

  @Option(
      names = "--expire",
      description =
          "Let ZooKeeper end the job some minutes after the last member has left; for the member"
              + " that joins first. Otherwise end it with 'ofi4j cluster end'.")
  private boolean expire;

  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      defaultValue = "tcp",
      description = "The provider of the endpoint. Default: ${DEFAULT-VALUE}.")
  private String provider = "tcp";

  @Option(
      names = "--source",
      paramLabel = "HOST[:PORT]",
      description =
          "The local address of the endpoint, which the others have to reach unless --publish gives"
              + " another one. Default: the provider chooses.")
  private @Nullable String source;

  @Option(
      names = "--publish",
      paramLabel = "HOST[:PORT]",
      description =
          "The address that the others use, where a port mapping or NAT leads from it to the"
              + " endpoint. Default: the address of the endpoint; without a port, its port.")
  private @Nullable String publish;

  @Option(
      names = "--attribute",
      paramLabel = "NAME=VALUE",
      description = "What else the member says of itself. Repeatable.")
  private Map<String, String> attributes = new TreeMap<>();

  @Option(
      names = "--user-id",
      paramLabel = "N",
      description = "What completions of the others report instead of the member's handle.")
  private @Nullable Long userId;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "How long to wait for the other members of a job, and for a former member of this rank to"
              + " go. Default: ${DEFAULT-VALUE}.")
  private int timeout = 60;

  @Option(
      names = "--session",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How soon the others notice if this process dies; ZooKeeper has limits. Default:"
              + " ${DEFAULT-VALUE}.")
  private int session = 10;

  @Option(
      names = "--json",
      description = "Print one JSON document for each change, on a line of its own.")
  private boolean json;

  public JoinCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  /** What to join, and as what. */
  record Wanted(
      String group,
      @Nullable String member,
      @Nullable Integer rank,
      @Nullable Integer size,
      boolean expire,
      String provider,
      @Nullable String source,
      @Nullable String publish,
      Map<String, String> attributes,
      @Nullable Long userId,
      int timeout,
      int session) {}

  @Override
  void run() {
    if ((rank == null) != (size == null)) {
      throw new CommandException(
          ExitCode.USAGE, "--rank and --size go together: a job has both, a service neither");
    }
    if (expire && rank == null) {
      throw new CommandException(
          ExitCode.USAGE, "--expire goes with --rank and --size: a service does not expire");
    }
    if (rank != null && member != null) {
      throw new CommandException(
          ExitCode.USAGE, "--member goes with a service only: in a job the rank is the name");
    }
    requireSeconds("--timeout", timeout);
    requireSeconds("--session", session);
    Wanted wanted =
        new Wanted(
            group,
            member,
            rank,
            size,
            expire,
            provider,
            source,
            publish,
            attributes,
            userId,
            timeout,
            session);
    new JoinRun(terminal, json).run(where, wanted);
  }

  private static void requireSeconds(String option, int seconds) {
    if (seconds < 1 || seconds > LONGEST) {
      throw new CommandException(
          ExitCode.USAGE,
          option
              + " takes a whole number of seconds, 1 to "
              + LONGEST
              + ", not \""
              + seconds
              + "\"");
    }
  }
}
