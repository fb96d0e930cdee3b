// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Holding;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ofi4j cluster serve}: a server of ZooKeeper, for trying out. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Runs a server of ZooKeeper on the loopback interface, for trying out.", ""},
    description =
        "Prints where it is once it takes connections, and runs until Ctrl-C. It is one server"
            + " without any protection: what must not be lost or read by others belongs to a real"
            + " ZooKeeper.",
    footer = {
      "  ofi4j cluster serve                            at 127.0.0.1:2181",
      "  ofi4j cluster serve --port 0                   at any free port",
      "  ofi4j cluster serve --data /var/tmp/zookeeper  groups outlive it"
    })
public final class ServeCommand extends ClusterTask {
  private static final int LAST_PORT = 65_535;

  private final Terminal terminal;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "2181",
      description = "Where to listen; 0 for any free port. Default: ${DEFAULT-VALUE}.")
  private int port = 2181;

  @Option(
      names = "--data",
      paramLabel = "DIRECTORY",
      description =
          "Where to keep what is written there. Default: a temporary directory that goes with the"
              + " server.")
  private @Nullable Path data;

  @Option(
      names = "--with-input",
      description = "End with standard input too, as the program does that started this one.")
  private boolean withInput;

  @Option(names = "--json", description = "Print where it is as one JSON document.")
  private boolean json;

  public ServeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  void run() throws IOException {
    if (port < 0 || port > LAST_PORT) {
      throw new CommandException(ExitCode.USAGE, "--port takes 0 to 65535, not \"" + port + "\"");
    }
    EmbeddedServer server = EmbeddedServer.start(port, data);
    try (Holding holding = Holding.open(server::close)) {
      if (json) {
        new JsonDocument(terminal.out())
            .writeStartObject()
            .writeStringProperty("servers", server.address())
            .writeStringProperty("data", server.data().toString())
            .close();
      } else {
        terminal.out().println(server.address());
      }
      if (terminal.lostOutput() != null) {
        // Nobody can learn where it is; the command fails for that.
        return;
      }
      terminal
          .err()
          .println(
              "ZooKeeper is at "
                  + server.address()
                  + "; end with Ctrl-C. Its data is in "
                  + server.data());
      CountDownLatch enough = new CountDownLatch(1);
      if (withInput) {
        Thread.ofPlatform().daemon().name("ofi4j-input").start(() -> awaitEnd(enough));
      }
      holding.await(enough);
    }
  }

  private void awaitEnd(CountDownLatch enough) {
    try {
      terminal.in().transferTo(OutputStream.nullOutputStream());
    } catch (IOException broken) {
      // As good as its end.
    }
    enough.countDown();
  }
}
