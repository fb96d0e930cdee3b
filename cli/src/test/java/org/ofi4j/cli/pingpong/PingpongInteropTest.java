// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.cli.Background;
import org.ofi4j.cli.CommandRun;

/**
 * libfabric's own fi_pingpong on the other side. Skipped where it is not installed, unless {@code
 * -Dofi4j.interop=required}.
 */
class PingpongInteropTest {
  private static final String PROGRAM = "fi_pingpong";

  @TempDir private Path directory;

  @BeforeAll
  static void isInstalled() {
    boolean installed = false;
    for (String place : System.getenv().getOrDefault("PATH", "").split(":")) {
      installed |= Files.isExecutable(Path.of(place, PROGRAM));
    }
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(installed)
          .as("%s is on the PATH: apt-get install libfabric-bin", PROGRAM)
          .isTrue();
    }
    assumeTrue(installed, PROGRAM + " is not on the PATH");
  }

  /**
   * A provider and a type of endpoint, as each program calls them.
   *
   * @param ours options of ofi4j
   * @param theirs options of fi_pingpong
   */
  private record Kind(List<String> ours, List<String> theirs) {
    static final Kind DATAGRAMS =
        new Kind(List.of("-p", "udp", "-e", "dgram"), List.of("-p", "udp", "-e", "dgram"));

    /** libfabric 1.17 has the protocol as provider net; its tcp has another one for this type. */
    static final Kind RELIABLE =
        new Kind(List.of("-p", "tcp", "-e", "rdm"), List.of("-p", "net", "-e", "rdm"));

    /** Both providers of libfabric 1.17 have endpoints that connect; neither has tags for them. */
    static Kind connected(String provider) {
      return new Kind(List.of("-p", "tcp", "-e", "msg"), List.of("-p", provider, "-e", "msg"));
    }

    /** The same fabric, over the installed libfabric. */
    static Kind over(String provider, String type) {
      return new Kind(
          List.of("-p", provider, "-e", type),
          List.of("-p", provider.replaceFirst("^libfabric:", ""), "-e", type));
    }

    @Override
    public String toString() {
      return String.join(" ", ours) + ", " + String.join(" ", theirs);
    }
  }

  static Stream<Arguments> runs() {
    return Stream.of(
            Stream.of("-I 100", "-I 100 -c", "-I 20 -S all -c", "-I 20 -S 1472 -c", "-I 50 -S 0")
                .map(options -> arguments(Kind.DATAGRAMS, options)),
            Stream.of("-I 20 -c", "-I 10 -S all -c", "-I 20 -c -m tagged", "-I 50 -S 0")
                .map(options -> arguments(Kind.RELIABLE, options)),
            Stream.of("-I 20 -c", "-I 10 -S all -c", "-I 50 -S 0")
                .map(options -> arguments(Kind.connected("net"), options)),
            Stream.of("-I 20 -c", "-I 5 -S all -c")
                .map(options -> arguments(Kind.connected("tcp"), options)),
            Stream.of("-I 20 -c", "-I 20 -c -m tagged", "-I 50 -S 0", "-I 2 -S all -c")
                .map(options -> arguments(Kind.over("shm", "rdm"), options)),
            Stream.of("net", "tcp;ofi_rxm", "udp;ofi_rxd")
                .map(provider -> arguments(Kind.over(provider, "rdm"), "-I 20 -c -S 4096")),
            Stream.of("net", "libfabric:tcp")
                .map(provider -> arguments(Kind.over(provider, "msg"), "-I 10 -S all -c")),
            Stream.of(arguments(Kind.over("libfabric:udp", "dgram"), "-I 20 -c")))
        .flatMap(kind -> kind);
  }

  @ParameterizedTest
  @MethodSource("runs")
  void theCProgramIsClient(Kind kind, String options) throws Exception {
    int port = Background.freePort();
    CompletableFuture<CommandRun> server =
        Background.run(words("pingpong", kind.ours, "-B", port, options));
    Background.awaitListening(port);
    CProgram client = start(words(kind.theirs, "-P", port, options, "127.0.0.1"));
    assertThat(client.exitCode()).as(client.output()).isZero();
    CommandRun served = Background.finished(server);
    assertThat(served.err()).isEmpty();
    assertThat(served.code()).isZero();
    assertSameTable(served.out(), client.output());
  }

  @ParameterizedTest
  @MethodSource("runs")
  void theCProgramIsServer(Kind kind, String options) throws Exception {
    int port = Background.freePort();
    CProgram server = start(words(kind.theirs, "-B", port, options));
    Background.awaitListening(port);
    CommandRun client =
        CommandRun.of(words("pingpong", kind.ours, "-P", port, options, "127.0.0.1"));
    assertThat(client.err()).isEmpty();
    assertThat(client.code()).isZero();
    assertThat(server.exitCode()).as(server.output()).isZero();
    assertSameTable(client.out(), server.output());
  }

  /** One side fills its messages and the other does not: both programs notice in the same way. */
  @Test
  void bothNoticeDifferentData() throws Exception {
    int port = Background.freePort();
    CProgram server = start(words(Kind.DATAGRAMS.theirs, "-B", port));
    Background.awaitListening(port);
    CommandRun client = CommandRun.of("pingpong", "-p", "udp", "-c", "-P", "" + port, "127.0.0.1");
    assertThat(client.code()).isEqualTo(1);
    assertThat(client.err()).contains("Error at iteration=1 size=64 byte=0");
    server.kill();
  }

  /** Sizes, counts and acknowledgements agree; times do not have to. */
  private static void assertSameTable(String ours, String theirs) {
    List<List<String>> left = counts(ours);
    assertThat(left).isNotEmpty().isEqualTo(counts(theirs));
  }

  private static List<List<String>> counts(String table) {
    List<List<String>> rows = new ArrayList<>();
    for (String line : table.lines().toList()) {
      String[] columns = line.strip().split("\\s+");
      if (columns.length >= 8 && columns[2].startsWith("=")) {
        rows.add(List.of(columns[0], columns[1], columns[2], columns[3]));
      }
    }
    return rows;
  }

  /** The words of a command: lists are taken apart, and texts at spaces. */
  private static String[] words(Object... pieces) {
    return Stream.of(pieces)
        .flatMap(piece -> piece instanceof List<?> several ? several.stream() : Stream.of(piece))
        .flatMap(piece -> Stream.of(piece.toString().split(" ")))
        .toArray(String[]::new);
  }

  private CProgram start(String... args) throws Exception {
    List<String> command = new ArrayList<>(List.of(PROGRAM));
    command.addAll(List.of(args));
    Path output = Files.createTempFile(directory, PROGRAM, ".out");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return new CProgram(process, output);
  }

  private record CProgram(Process process, Path file) {
    int exitCode() throws Exception {
      try {
        return process.waitFor();
      } finally {
        process.destroyForcibly();
      }
    }

    String output() throws Exception {
      return Files.readString(file, StandardCharsets.UTF_8);
    }

    void kill() throws Exception {
      process.destroyForcibly().waitFor();
    }
  }
}
