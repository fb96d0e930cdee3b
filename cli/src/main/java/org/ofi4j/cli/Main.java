package org.ofi4j.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of the {@code ofi4j} command. */
@Command(
    name = "ofi4j",
    version = "ofi4j 0.1.0-SNAPSHOT",
    mixinStandardHelpOptions = true,
    description = "Address vectors of libfabric for the JVM.")
final class Main implements Runnable {

  private Main() {}

  @Override
  public void run() {
    new CommandLine(this).usage(System.out);
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }
}
