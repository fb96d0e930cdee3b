// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands in a JVM of their own on a pseudo terminal, whose width only the terminal says. */
class NarrowTerminalTest {
  private static final Path SCRIPT = Path.of("/usr/bin/script");

  @TempDir private Path directory;

  @BeforeAll
  static void requireTerminal() {
    assumeTrue(Files.isExecutable(SCRIPT), "no script(1) for a pseudo terminal");
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80})
  void helpAndOffersFit(int columns) throws Exception {
    Path output = directory.resolve("output");
    Process process = start(columns, output, "pingpong --help; %1$s info");
    assertThat(process.waitFor()).isZero();
    assertThat(lines(output))
        .contains("Exit status:")
        .anyMatch(line -> line.startsWith("provider  type "))
        .anyMatch(line -> line.startsWith("udp       dgram "))
        .allMatch(line -> line.length() <= columns);
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80})
  void tableOfPingpongFits(int columns) throws Exception {
    int port = Background.freePort();
    CompletableFuture<CommandRun> server = Background.run("pingpong", "-S", "64", "-B", "" + port);
    Background.awaitListening(port);
    Path output = directory.resolve("output");
    Process process = start(columns, output, "pingpong -S 64 -P " + port + " 127.0.0.1");
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    assertThat(Background.finished(server).code()).isZero();
    assertThat(String.join(" ", lines(output)).strip().split("\\s+"))
        .hasSize(22)
        .startsWith("bytes", "#sent", "#ack", "total", "time", "MB/sec", "usec/xfer", "Mxfers/sec")
        .contains("p50", "p99", "max", "64", "10", "=10", "1.2k");
    assertThat(lines(output)).allMatch(line -> line.length() <= columns);
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80})
  void changesOfAGroupFit(int columns) throws Exception {
    RunningCommand server = RunningCommand.start("cluster", "serve", "--port", "0", "--json");
    Path output = directory.resolve("output");
    Process process = null;
    try {
      server.await("\"servers\"");
      String address = server.out().replaceFirst("(?s).*\"servers\": *\"([^\"]*)\".*", "$1");
      process =
          start(
              columns,
              output,
              "cluster join narrow --member a --host there --attribute zone=b --source 127.0.0.1"
                  + " --servers "
                  + address);
      while (!Files.readString(output).contains("zone=b")) {
        assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
        Thread.sleep(10);
      }
    } finally {
      if (process != null) {
        process.descendants().forEach(ProcessHandle::destroy);
        process.waitFor();
      }
      server.interrupt();
    }
    List<String> lines = lines(output);
    assertThat(String.join(" ", lines))
        .containsPattern(
            "joined +handle 0 +a +fi_sockaddr_in://127[.]0[.]0[.]1:[0-9]+ +there +zone");
    assertThat(lines).allMatch(line -> line.length() <= columns);
  }

  /** Starts a command of a shell, in which {@code %1$s} is the command ofi4j. */
  private static Process start(int columns, Path output, String arguments) throws Exception {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String ofi4j =
        "'%s' -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '%s' %s"
            .formatted(java, ClassPath.text(), Main.class.getName());
    String command = "stty cols " + columns + "; %1$s " + arguments;
    ProcessBuilder builder =
        new ProcessBuilder(SCRIPT.toString(), "-qefc", String.format(command, ofi4j), "/dev/null")
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().remove("COLUMNS");
    return builder.start();
  }

  /** Returns the lines of standard output and error, without colours and warnings of the JVM. */
  private static List<String> lines(Path output) throws Exception {
    return Files.readString(output)
        .replaceAll("\033\\[[0-9;]*[mK]", "")
        .lines()
        .map(line -> line.replace("\r", ""))
        .filter(line -> !line.startsWith("WARNING: "))
        .toList();
  }
}
