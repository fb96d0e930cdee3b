// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.util.concurrent.Callable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ofi4j demo}: shows what address vectors do, with two processes. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Builds an address vector from the peer list of a cluster (data/peers.txt, which is in the"
            + " jar too) and shows which lines failed and why; inserts a million peers; starts a"
            + " second JVM and exchanges datagrams with it by handle; removes it from the vector,"
            + " inserts it again and exchanges more; exchanges reliable messages with a third one,"
            + " which it kills and starts again; has messages of two peer groups come to one"
            + " endpoint; shares a named vector with processes that come and are killed; has three"
            + " processes find each other in a ZooKeeper of their own, kills one and starts it"
            + " again; and goes"
            + " through the shared memory of libfabric, if that is installed. Checks all of that,"
            + " and needs neither network nor name server.",
    footer = {
      "  ofi4j demo           takes a few seconds",
      "  ofi4j demo --json    the same for a program"
    })
public final class DemoCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public DemoCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    boolean good = Demo.run(DemoReport.of(terminal, json), terminal);
    return good ? ExitCode.OK : ExitCode.FAILED;
  }
}
