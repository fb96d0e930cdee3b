// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.ways;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;

/**
 * Counts the classes of ofi4j, nested ones included, that one call enters until it returns, and
 * compares them with lists in the repository. So a change that makes a way through the code longer
 * shows by how much. The property {@code ofi4j.ways} with the value {@code write} writes the lists.
 */
class WaysTest {
  private static final Path LISTS =
      Path.of(System.getProperty("basedir", "."), "src/test/resources/org/ofi4j/conformance/ways");

  @TempDir private Path directory;

  @Test
  void callsOfVectorsAndOverTcpEnterTheListedClasses() throws Exception {
    compare("tcp", LISTS.resolve("tcp.txt"));
  }

  /** Skipped where libfabric is not installed, unless {@code -Dofi4j.interop=required}. */
  @Test
  void sendOverLibfabricEntersTheListedClasses() throws Exception {
    String provider = "tcp;ofi_rxm";
    InfoAnswer answer = Fabrics.info(Hints.latest().withProvider(provider));
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(answer.offers()).as("offers; refused are %s", answer.refusals()).isNotEmpty();
    }
    assumeTrue(!answer.offers().isEmpty(), () -> "libfabric: " + answer.refusals());
    compare(provider, LISTS.resolve("libfabric.txt"));
  }

  private void compare(String provider, Path list) throws Exception {
    List<String> found = found(provider);
    found.forEach(System.out::println);
    if ("write".equals(System.getProperty("ofi4j.ways"))) {
      Files.write(list, found);
      return;
    }
    List<String> listed = Files.readAllLines(list);
    assertThat(difference(listed, found))
        .as(
            "classes that calls enter, unlike %s. If that is meant: mvn -pl conformance -am test"
                + " -Dtest=WaysTest -Dsurefire.failIfNoSpecifiedTests=false -Dofi4j.ways=write",
            list.getFileName())
        .isEmpty();
    assertThat(found).isEqualTo(listed);
  }

  /** Returns a line for each call with the number of its classes, and behind it these classes. */
  private List<String> found(String provider) throws Exception {
    Map<String, List<String>> classes = new TreeMap<>();
    for (String line : run(provider)) {
      String[] parts = line.split("\t");
      classes.computeIfAbsent(parts[0], _ -> new ArrayList<>()).add("  " + parts[1]);
    }
    return classes.entrySet().stream()
        .flatMap(call ->
            Stream.concat(
                Stream.of(call.getKey() + " = " + call.getValue().size()),
                call.getValue().stream()))
        .toList();
  }

  /** Returns what {@link WaysProgram} prints in a JVM of its own. */
  private List<String> run(String provider) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-javaagent:" + agent());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-Dofi4j.share.directory=" + directory.resolve("vectors"));
    String library = System.getProperty("ofi4j.libfabric.file");
    if (library != null) {
      command.add("-Dofi4j.libfabric.file=" + library);
    }
    command.addAll(List.of("--class-path", classPath(), WaysProgram.class.getName(), provider));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).as("%s prints %s", command, lines).isZero();
    return lines;
  }

  /** Writes a jar that only names the class of the agent, which is on the class path. */
  private Path agent() throws IOException {
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", EntryAgent.class.getName());
    Path jar = directory.resolve("agent.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  /** Returns both paths of this JVM and the tests, which Surefire adds to the module. */
  private static String classPath() throws Exception {
    Path tests =
        Path.of(WaysTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Stream.of(
            tests.toString(),
            System.getProperty("jdk.module.path", ""),
            System.getProperty("java.class.path"))
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Returns the lines of one list only: listed ones behind a minus, new ones behind a plus. */
  private static List<String> difference(List<String> listed, List<String> found) {
    Set<String> before = withCalls(listed);
    Set<String> now = withCalls(found);
    return Stream.concat(
            before.stream().filter(line -> !now.contains(line)).map(line -> "- " + line),
            now.stream().filter(line -> !before.contains(line)).map(line -> "+ " + line))
        .toList();
  }

  /** Returns the lines of calls, and those of classes behind the name of their call. */
  private static Set<String> withCalls(List<String> lines) {
    Set<String> result = new LinkedHashSet<>();
    String call = "";
    for (String line : lines) {
      if (line.startsWith(" ")) {
        result.add(call + line);
      } else {
        result.add(line);
        call = line.replaceFirst(" = .*", ":");
      }
    }
    return result;
  }
}
