// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The second JVM of {@code ofi4j demo}; not for people. */
@Command(
    name = "demo-peer",
    hidden = true,
    mixinStandardHelpOptions = true,
    description = "The other side of ofi4j demo: takes commands on standard input.")
public final class DemoPeerCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(names = "--reliable", description = "Exchange messages over TCP.")
  private boolean reliable;

  @Option(
      names = "--key",
      description = "Do so under the authorization key that the first line of input names.")
  private boolean key;

  @Option(
      names = "--shared",
      paramLabel = "NAME",
      description = "Do so with a vector that others share under this name.")
  private @Nullable String shared;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "0",
      description = "Where to listen for them. Default: any port.")
  private int port;

  @Option(
      names = "--groups",
      paramLabel = "N",
      defaultValue = "0",
      description = "Their largest peer group. Default: none.")
  private int groups;

  @Option(
      names = "--fabric",
      paramLabel = "PROVIDER",
      description = "Exchange messages over this provider.")
  private @Nullable String fabric;

  @Option(
      names = "--job",
      paramLabel = "SERVERS",
      description = "Join a job whose members meet at these servers of ZooKeeper.")
  private @Nullable String job;

  @Option(
      names = "--rank",
      paramLabel = "N",
      defaultValue = "0",
      description = "The rank in the job. Default: ${DEFAULT-VALUE}.")
  private int rank;

  public DemoPeerCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (key) {
      DemoPeer.serveUnderKey(terminal);
    } else if (fabric != null) {
      DemoPeer.serveFabric(terminal, fabric);
    } else if (job != null) {
      DemoPeer.serveJob(terminal, job, rank);
    } else if (shared != null) {
      DemoPeer.serveSharing(terminal, shared);
    } else {
      DemoPeer.serve(terminal, reliable, port, groups);
    }
    return ExitCode.OK;
  }
}
