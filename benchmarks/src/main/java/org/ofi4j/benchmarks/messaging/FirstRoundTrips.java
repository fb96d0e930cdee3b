// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.LineProcess;

/**
 * The first round trips between two fresh processes of {@code ofi4j pingpong} or of libfabric's
 * {@code fi_pingpong}, as the client prints them. Both programs poll, have the same options, and
 * print the same columns, after which {@code ofi4j pingpong} prints percentiles.
 */
final class FirstRoundTrips {
  /** The command of libfabric's program. */
  static final List<String> FI_PINGPONG = List.of("fi_pingpong");

  private static final String SIZE = "64";
  private static final int PATIENCE_SECONDS = 1800;
  private static final int MEAN_COLUMN = 6;
  private static final int TAIL_COLUMN = 9;
  private static final long LOOK_MILLIS = 5;

  private final String[] columns;

  private FirstRoundTrips(String[] columns) {
    this.columns = columns;
  }

  /**
   * Runs a server and its client.
   *
   * @param program the command of the program, to which arguments may be added
   * @param provider the provider as the program calls it
   * @param count the number of round trips
   * @throws LibfabricUnavailableException if there is no such program
   * @throws IOException if the program prints no figures
   */
  static FirstRoundTrips run(List<String> program, String provider, int count)
      throws IOException, InterruptedException {
    int port = freePort();
    String options = "-p " + provider + " -e rdm -S " + SIZE + " -I " + count;
    try (LineProcess server = start(program, options + " -B " + port)) {
      awaitListening(server, port);
      try (LineProcess client = start(program, options + " -P " + port + " 127.0.0.1")) {
        FirstRoundTrips asking = new FirstRoundTrips(columns(client));
        columns(server);
        return asking;
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static LineProcess start(List<String> program, String options) {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(options.split(" ")));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    try {
      return new LineProcess(program.getLast(), PATIENCE_SECONDS, builder);
    } catch (IOException missing) {
      throw new LibfabricUnavailableException(
          missing.getMessage()
              + ". To compare with libfabric's fi_pingpong, install it: apt-get install"
              + " libfabric-bin (Debian, Ubuntu), dnf install libfabric (Fedora)",
          missing);
    }
  }

  /**
   * Waits until a server listens. Reads the kernel's table, because a server takes its first
   * connection for its client.
   */
  private static void awaitListening(LineProcess server, int port)
      throws IOException, InterruptedException {
    String wanted = "(?s).*:%04X 0+:0000 0A .*".formatted(port);
    while (!Files.readString(Path.of("/proc/net/tcp")).matches(wanted)
        && !Files.readString(Path.of("/proc/net/tcp6")).matches(wanted)) {
      if (ProcessHandle.of(server.pid()).isEmpty()) {
        // Throws the reason.
        columns(server);
      }
      Thread.sleep(LOOK_MILLIS);
    }
  }

  /** Returns the line of the table, without the lines before it. */
  private static String[] columns(LineProcess process) throws IOException {
    List<String> lines = new ArrayList<>();
    try {
      while (true) {
        String line = process.hear("the figures").strip();
        lines.add(line);
        String[] columns = line.split("\\s+");
        if (columns[0].equals(SIZE)) {
          return columns;
        }
      }
    } catch (UncheckedIOException ended) {
      throw new IOException(ended.getMessage() + ": " + String.join("; ", lines), ended);
    }
  }

  /** Returns the mean in microseconds. */
  double meanMicros() {
    return roundTrip(MEAN_COLUMN);
  }

  /** Returns the microseconds that 99 % of them stay below; only ofi4j prints the figure. */
  double tailMicros() {
    return roundTrip(TAIL_COLUMN);
  }

  /** Returns a figure of the table, which has half of each round trip. */
  private double roundTrip(int column) {
    return 2 * Double.parseDouble(columns[column]);
  }
}
