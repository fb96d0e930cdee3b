// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.cli.output.JsonReader;

/**
 * The distribution as the launcher makes and starts it: what a user has, other than the class path
 * of the tests. The launcher's Maven works as the one that runs the tests, which hands down where
 * its local repository is.
 */
@Execution(ExecutionMode.CONCURRENT)
class DistributionIT {
  private static final Path PROJECT =
      Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolve("..").normalize();
  private static final Path DIST = PROJECT.resolve("target/dist");

  @TempDir private Path directory;

  private record Run(int code, String out, String err) {}

  @BeforeAll
  static void build(@TempDir Path directory) throws Exception {
    assertThat(run(directory, List.of("--version")).out()).startsWith("ofi4j ");
  }

  /** Commands that need nobody else, with the arguments that make them short. */
  static List<List<String>> commands() {
    String peers = PROJECT.resolve("data/peers.txt").toString();
    String hosts = PROJECT.resolve("data/hosts").toString();
    List<List<String>> commands = new ArrayList<>();
    for (List<String> command :
        List.of(
            List.of("info"),
            List.of("av", peers, "--hosts", hosts),
            List.of("av", "stat"),
            List.of("conformance", "-r", "AV-083"),
            List.of("completion"))) {
      commands.add(command);
      commands.add(withJson(command));
    }
    commands.add(List.of("help"));
    commands.add(List.of("cluster"));
    commands.add(List.of("help", "bench"));
    commands.add(List.of("bench", "chaos", "--kills", "1"));
    return commands;
  }

  @ParameterizedTest
  @MethodSource("commands")
  void runs(List<String> command) throws Exception {
    // The list of peers has bad lines on purpose.
    int code = command.get(0).equals("av") && !command.contains("stat") ? 1 : 0;
    assertRan(code, command, run(directory, command));
  }

  @Test
  void aBenchmarkOfVectorsForPeople() throws Exception {
    Path plot = directory.resolve("plot.svg");
    String line = "bench av --sizes 1k --rounds 1 --strict --plot " + plot;
    Run run = run(directory, List.of(line.split(" ")));
    assertThat(run.out())
        .contains("1,000 peers", "lookup of a random handle", "least to most", "Bars")
        .contains("not measured  insert, scattered, count hint", " bars met, ")
        .doesNotContain("null", "NaN", "libfabric 1");
    boolean missed = run.out().contains("  not met ");
    assertThat(run.code()).as(run.out()).isEqualTo(missed ? 1 : 0);
    assertThat(Files.readString(plot))
        .startsWith("<svg ")
        .contains("1,000 IPv4 peers")
        .endsWith("</svg>\n");
  }

  @Test
  void aBenchmarkOfMessagesForPeople() throws Exception {
    String line = "bench pingpong --sizes 64 --rounds 1 --compare netty-nio,aeron";
    Run run = run(directory, List.of(line.split(" ")));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("round trip, median, us", "round trip, 99.9 % of them", "64 bytes, ofi4j")
        .contains("64 bytes, Netty, NIO", "64 bytes, Aeron IPC", "times")
        .contains("messages of a stream, million/s", "bytes of a stream, MB/s")
        .doesNotContain("null", "NaN", "libfabric", "Bars");
  }

  @Test
  void aBenchmarkOfCostsForPeople() throws Exception {
    String line =
        "bench costs --only first-message,first-message-cached,first-round-trips"
            + " --mode spinning --compare netty-nio --rounds 1";
    Run run = run(directory, List.of(line.split(" ")));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("processor time to the first message, ms", "1 connection, Netty, NIO")
        .contains("processor time to the first message, ahead-of-time cache, ms")
        .contains("first 50,000 round trips, mean, us", "first 50,000 round trips, 99 % of them")
        .doesNotContain("null", "NaN", "libfabric");
    assertThat(run.err()).doesNotContain("JAVA_TOOL_OPTIONS");
  }

  @Test
  void aBenchmarkOfNamedVectorsForPeople() throws Exception {
    Path plot = directory.resolve("plot.svg");
    String line = "bench named --sizes 300 --rounds 1 --processes 1 --plot " + plot;
    Run run = run(directory, List.of(line.split(" ")));
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("300 peers", "least to most", "first", "private", "times", "Bars")
        .contains("open a copy of a saved file, with domain", "private memory, each of 1 more")
        .contains("insert, 1,000 at once, 1 writer", "lookup, consecutive addresses")
        .contains("first in a JVM: at most 60 ms")
        .doesNotContain("null", "NaN", "libfabric");
    assertThat(Files.readString(plot)).contains("Named vectors of 300 IPv4 peers");
  }

  @Test
  void pingpongRuns() throws Exception {
    for (List<String> pingpong : bothForms(List.of("pingpong", "-S", "64"))) {
      String port = String.valueOf(Background.freePort());
      List<String> server = new ArrayList<>(pingpong);
      server.addAll(List.of("-B", port));
      List<String> client = new ArrayList<>(pingpong);
      client.addAll(List.of("-P", port, "localhost"));
      Path files = Files.createTempDirectory(directory, "server");
      Process process = start(files, server, "");
      try {
        Background.awaitListening(Integer.parseInt(port));
        assertRan(0, client, run(directory, client));
        assertRan(0, server, ended(files, process));
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void vectorsThatAreSharedAreVerifiedAndUnlinked() throws Exception {
    Path peers = Files.writeString(directory.resolve("peers.txt"), "10.1.1.0x4:5000\n");
    // In a directory of their own: a command beside this test that looks at the vector, and closes
    // it when the holder is dead, would remove it.
    String options = "-Dofi4j.share.directory=" + Files.createTempDirectory(directory, "vectors");
    for (boolean json : new boolean[] {false, true}) {
      String name = "distribution/" + UUID.randomUUID();
      List<String> holder = List.of("av", peers.toString(), "--name", name, "--stay", "--print");
      Path files = Files.createTempDirectory(directory, "holder");
      Process process = start(files, holder, options);
      try {
        // Lines come when the peers are in.
        while (Files.size(files.resolve("out")) == 0) {
          assertThat(process.isAlive()).as(Files.readString(files.resolve("err"))).isTrue();
          Thread.sleep(10);
        }
        List<String> verify =
            json ? withJson(List.of("av", "verify", name)) : List.of("av", "verify", name);
        assertRan(0, verify, run(directory, verify, options));
      } finally {
        process.destroyForcibly().waitFor();
      }
      List<String> unlink =
          json ? withJson(List.of("av", "unlink", name)) : List.of("av", "unlink", name);
      assertRan(0, unlink, run(directory, unlink, options));
    }
  }

  @Test
  void groupsAreListed() throws Exception {
    Path files = Files.createTempDirectory(directory, "server");
    Process server = start(files, List.of("cluster", "serve", "--port", "0"), "");
    try {
      Path out = files.resolve("out");
      while (!Files.readString(out).endsWith("\n")) {
        assertThat(server.isAlive()).as(Files.readString(files.resolve("err"))).isTrue();
        Thread.sleep(10);
      }
      String servers = Files.readString(out).strip();
      for (List<String> list : bothForms(List.of("cluster", "list", "--servers", servers))) {
        assertRan(0, list, run(directory, list));
      }
    } finally {
      server.destroy();
      server.waitFor();
      server.destroyForcibly();
    }
    // It takes its temporary directory along.
    String data = Files.readString(files.resolve("err")).strip().replaceFirst("(?s).* is in ", "");
    assertThat(Path.of(data)).isAbsolute().doesNotExist();
  }

  /** So that a new command is tried here too; the demonstration has a test of its own. */
  @Test
  void noCommandIsMissing() throws Exception {
    Set<String> tried = new HashSet<>(Set.of("demo", "pingpong", "av verify", "av unlink"));
    // Those that are listed last run until they are ended, or long, or need a group that is over;
    // they have tests of their own.
    tried.addAll(Set.of("cluster serve", "cluster list"));
    tried.addAll(Set.of("cluster join", "cluster watch", "cluster bench", "cluster end"));
    for (List<String> command : commands()) {
      tried.add(command.get(0));
      tried.add(command.get(0) + " " + command.getLast());
    }
    Set<String> offered = new TreeSet<>(listed(List.of("--help"), ""));
    offered.addAll(listed(List.of("av", "--help"), "av "));
    offered.addAll(listed(List.of("cluster", "--help"), "cluster "));
    assertThat(offered).contains("completion", "av stat");
    assertThat(tried).containsAll(offered);
  }

  private Set<String> listed(List<String> help, String prefix) throws Exception {
    Set<String> names = new TreeSet<>();
    run(directory, help)
        .out()
        .lines()
        .dropWhile(line -> !line.equals("Commands:"))
        .skip(1)
        .takeWhile(line -> !line.isEmpty())
        .filter(line -> line.matches("  \\S.*"))
        .forEach(line -> names.add(prefix + line.strip().split("[ ,]", 2)[0]));
    return names;
  }

  /** Those of the distribution, and those that the build has made so far. */
  private static List<Path> jars() throws IOException {
    List<Path> jars = new ArrayList<>();
    try (Stream<Path> files = Files.walk(DIST)) {
      files.filter(file -> file.toString().endsWith(".jar")).forEach(jars::add);
    }
    assertThat(jars).anyMatch(jar -> isOurs(jar)).anyMatch(jar -> !isOurs(jar));
    try (Stream<Path> modules = Files.list(PROJECT)) {
      for (Path module : modules.filter(Files::isDirectory).toList()) {
        if (Files.isDirectory(module.resolve("target"))) {
          try (Stream<Path> files = Files.list(module.resolve("target"))) {
            files.filter(file -> file.toString().endsWith(".jar")).forEach(jars::add);
          }
        }
      }
    }
    return jars;
  }

  private static boolean isOurs(Path jar) {
    return jar.getFileName().toString().startsWith("ofi4j-");
  }

  @Test
  void everyJarOfOursHasTheLicenceAndNothingOfThisMachine() throws Exception {
    for (Path path : jars()) {
      if (isOurs(path)) {
        try (JarFile jar = new JarFile(path.toFile())) {
          assertThat(jar.getEntry("META-INF/LICENSE")).as("LICENSE in %s", path).isNotNull();
          assertThat(jar.getEntry("META-INF/NOTICE")).as("NOTICE in %s", path).isNotNull();
          Attributes manifest = jar.getManifest().getMainAttributes();
          assertThat(manifest.getValue(Attributes.Name.CLASS_PATH)).as("%s", path).isNull();
          assertThat(manifest.values().stream().map(String::valueOf))
              .as("%s", path)
              .noneMatch(value -> value.contains("/"));
        }
      }
    }
  }

  @Test
  void theDistributionHasTheLicencesOfWhatItGathers() throws Exception {
    assertThat(DIST.resolve("LICENSE")).hasSameTextualContentAs(PROJECT.resolve("LICENSE"));
    assertThat(DIST.resolve("NOTICE")).hasSameTextualContentAs(PROJECT.resolve("NOTICE"));
    for (Path jar : jars()) {
      if (!isOurs(jar)) {
        String name = jar.getFileName().toString().replaceFirst("[.]jar$", "");
        assertThat(DIST.resolve("licenses").resolve(name)).isNotEmptyDirectory();
      }
    }
    assertThat(DIST.resolve("licenses")).isDirectoryContaining("glob:**/picocli-*");
  }

  /** Its width is asked of the terminal: 40 columns, of which the last stays free. */
  @Test
  void theBarIsNoWiderThanTheTerminal() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "no script(1) for a terminal");
    Path list = directory.resolve("list");
    assertThat(new ProcessBuilder("mkfifo", list.toString()).start().waitFor()).isZero();
    Path output = directory.resolve("output");
    String command = "stty cols 40; exec '" + PROJECT.resolve("ofi4j") + "' av - <'" + list + "'";
    ProcessBuilder builder =
        new ProcessBuilder("/usr/bin/script", "-qefc", command, "/dev/null")
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(output.toFile())
            .redirectErrorStream(true);
    builder.environment().remove("COLUMNS");
    builder.environment().put("OFI4J_JAVA_HOME", System.getProperty("java.home"));
    Process process = builder.start();
    try (Writer writer = Files.newBufferedWriter(list)) {
      writer.write("10.1.1.1:5000\n");
      writer.flush();
      while (!Files.readString(output).contains("reading")) {
        assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
        Thread.sleep(10);
      }
    } finally {
      process.waitFor();
      process.destroyForcibly();
    }
    assertThat(Files.readString(output).split("[\r\n]"))
        .filteredOn(line -> line.contains("reading"))
        .isNotEmpty()
        .allMatch(line -> line.length() < 40);
  }

  private static List<String> withJson(List<String> command) {
    List<String> longer = new ArrayList<>(command);
    longer.add("--json");
    return longer;
  }

  private static List<List<String>> bothForms(List<String> command) {
    return List.of(command, withJson(command));
  }

  private static void assertRan(int code, List<String> command, Run run) {
    assertThat(run.err()).as("%s", command).doesNotContain("Exception", "Error");
    assertThat(run.code()).as("%s: %s", command, run.err()).isEqualTo(code);
    assertThat(run.out()).as("%s", command).isNotBlank();
    if (command.contains("--json")) {
      assertThat(JsonReader.read(run.out()).value()).as("%s", command).isInstanceOf(Map.class);
    }
  }

  private static Run run(Path directory, List<String> command) throws Exception {
    return run(directory, command, "");
  }

  private static Run run(Path directory, List<String> command, String options) throws Exception {
    Path files = Files.createTempDirectory(directory, "run");
    return ended(files, start(files, command, options));
  }

  private static Process start(Path files, List<String> command, String options)
      throws IOException {
    List<String> words = new ArrayList<>(List.of(PROJECT.resolve("ofi4j").toString()));
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words);
    Map<String, String> environment = builder.environment();
    environment.put("OFI4J_JAVA_HOME", System.getProperty("java.home"));
    environment.merge("OFI4J_JAVA_OPTS", options, (given, more) -> given + " " + more);
    String arguments = environment.getOrDefault("OFI4J_MAVEN_ARGS", "");
    String repository = System.getProperty("ofi4j.repository");
    if (repository != null) {
      arguments += " -Dmaven.repo.local=" + repository;
    }
    environment.put("OFI4J_MAVEN_ARGS", arguments);
    return builder
        .redirectInput(Path.of("/dev/null").toFile())
        .redirectOutput(files.resolve("out").toFile())
        .redirectError(files.resolve("err").toFile())
        .start();
  }

  private static Run ended(Path files, Process process) throws Exception {
    try {
      int code = process.waitFor();
      return new Run(
          code, Files.readString(files.resolve("out")), Files.readString(files.resolve("err")));
    } finally {
      process.destroyForcibly();
    }
  }
}
