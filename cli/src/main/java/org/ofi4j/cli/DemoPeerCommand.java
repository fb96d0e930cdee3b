package org.ofi4j.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.ofi4j.cli.demo.DemoPeer;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;

/** The second JVM of {@code ofi4j demo}; not for people. */
@Command(
    name = "demo-peer",
    hidden = true,
    mixinStandardHelpOptions = true,
    description = "The other side of ofi4j demo: takes commands on standard input.")
final class DemoPeerCommand implements Callable<Integer> {
  private final Terminal terminal;

  DemoPeerCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    DemoPeer.serve(terminal);
    return ExitCode.OK;
  }
}
