// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two versions on one machine, as while one process after the other is upgraded: they speak over
 * every kind of endpoint, and refuse each other's named vectors, in whose files a field is new, if
 * both are given one directory.
 *
 * <p>The former version is kept in {@code former.jar.gz}. The file has the classes of commit
 * 8510baa9 that the commands of these tests need. The first release will replace it. It was made
 * with the JDK 25:
 *
 * <pre>
 * git checkout 8510baa9
 * mvn package -Dofi4j.jars -Dmaven.compiler.debuglevel=none
 * mkdir former
 * cd former
 * for m in api core provider-net cli; do jar -x -f ../$m/target/jars/ofi4j-$m-*.jar; done
 * rm -r module-info.class META-INF/maven org/ofi4j/cli/{bench,conformance,demo,info}
 * jar -c -0 -M -f ../former.jar --date 2026-11-25T00:00:00Z .
 * gzip -9 -n ../former.jar
 * </pre>
 */
@Tag("long")
class FormerVersionTest {
  /** The directory of the former version, and of the vectors of both versions. */
  @TempDir private static Path former;

  private static final List<Process> STARTED = new ArrayList<>();

  /** Who runs a command. */
  private enum Version {
    FORMER_VERSION,
    THIS_VERSION;

    Version other() {
      return this == THIS_VERSION ? FORMER_VERSION : THIS_VERSION;
    }

    /** A process of its own. */
    Process start(String... arguments) throws IOException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.add("-XX:+UseSerialGC");
      // The former version would choose another directory.
      command.add("-Dofi4j.share.directory=" + former.resolve("vectors"));
      command.addAll(List.of("-XX:TieredStopAtLevel=1", "--class-path"));
      command.add(this == THIS_VERSION ? ClassPath.text() : formerClassPath());
      command.add(Main.class.getName());
      command.addAll(List.of(arguments));
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      STARTED.add(process);
      return process;
    }

    CompletableFuture<CommandRun> begin(String... arguments) throws IOException {
      Process process = start(arguments);
      return CompletableFuture.supplyAsync(() -> {
        String output = process.inputReader().lines().collect(Collectors.joining("\n"));
        return new CommandRun(process.onExit().join().exitValue(), output, "");
      });
    }

    /** What a command prints that succeeds. */
    String output(String... arguments) throws Exception {
      return output(begin(arguments));
    }

    String output(CompletableFuture<CommandRun> run) throws Exception {
      CommandRun ended = run.get();
      assertThat(ended.code()).as("%s: %s", this, ended).isZero();
      return ended.out();
    }
  }

  @AfterEach
  void endThoseThatWereStarted() {
    STARTED.forEach(Process::destroyForcibly);
  }

  @BeforeAll
  static void unpack() throws IOException {
    try (InputStream kept = FormerVersionTest.class.getResourceAsStream("former.jar.gz");
        InputStream jar = new GZIPInputStream(kept)) {
      Files.copy(jar, former.resolve("former.jar"));
    }
  }

  static Stream<Arguments> conversations() {
    return Stream.of("-p udp -e dgram", "-p tcp -e rdm -m tagged", "-p tcp -e msg")
        .flatMap(kind -> Stream.of(Version.values()).map(server -> arguments(kind, server)));
  }

  @ParameterizedTest
  @MethodSource("conversations")
  void theySpeakWithEachOther(String kind, Version server) throws Exception {
    String options = "pingpong -I 10 -S all -c " + kind;
    int port = Background.freePort();
    CompletableFuture<CommandRun> serving = server.begin(words(options + " -B " + port));
    Background.awaitListening(port);
    String asked = server.other().output(words(options + " -P " + port + " 127.0.0.1"));
    String served = server.output(serving);
    assertThat(List.of(asked, served)).allMatch(table -> table.lines().count() > 10);
  }

  /** The former version does not know what a replaced address leaves in the file. */
  @ParameterizedTest
  @EnumSource
  void theyRefuseEachOthersNamedVectors(Version maker, @TempDir Path directory) throws Exception {
    Version joiner = maker.other();
    String name = "former version/" + UUID.randomUUID();
    String list = list(directory.resolve("list"), "10.1.1.0x250:5000x8\n10.3.3.3:9\n");
    Process making = maker.start("av", list, "--name", name, "--stay");
    awaitOpen(making);
    for (String more : new String[] {"--name", "verify"}) {
      CommandRun refused = joiner.begin("av", more, name).get();
      assertThat(refused.code()).isNotZero();
      assertThat(refused.out() + refused.err())
          .contains("has version", joiner == Version.THIS_VERSION ? "older than" : "newer than");
    }

    // Who knows it finds it as it was.
    assertThat(maker.output("av", "--name", name, "--find", "10.3.3.3:9"))
        .contains("10.3.3.3:9: handle 2000");
    assertThat(maker.output("av", "verify", name))
        .contains("all is as it must be", "2,001 entries");
    making.destroyForcibly().waitFor();
    assertThat(maker.output("av", "unlink", name)).contains("removed");
  }

  private static void awaitOpen(Process holder) throws IOException {
    List<String> said = new ArrayList<>();
    BufferedReader reader = holder.inputReader();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      said.add(line);
      if (line.contains("end with Ctrl-C")) {
        return;
      }
    }
    throw new AssertionError("the vector was not opened: " + said);
  }

  private static String list(Path file, String text) throws IOException {
    return Files.writeString(file, text).toString();
  }

  private static String[] words(String line) {
    return line.split(" ");
  }

  /** The former version, and libraries, which are the same for both. */
  private static String formerClassPath() {
    Stream<String> libraries =
        ClassPath.entries().stream()
            .filter(each -> each.endsWith(".jar"))
            .filter(each -> !Path.of(each).getFileName().toString().startsWith("ofi4j-"));
    return Stream.concat(Stream.of(former.resolve("former.jar").toString()), libraries)
        .collect(Collectors.joining(File.pathSeparator));
  }
}
