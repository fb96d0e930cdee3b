// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Fabrics;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * A JVM of its own, for what would end this one if it went wrong, and for what is settled once in
 * the life of a JVM.
 */
final class ChildJvm implements AutoCloseable {
  /** How a process ends that was killed with {@code SIGKILL}: 128 and the number of the signal. */
  static final int KILLED = 137;

  /** For JVMs that may call C. */
  static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

  /**
   * How long a JVM may take before it has to say where its threads are: a little less than the 10
   * minutes of JUnit, which does not see into it.
   */
  static final long SECONDS = 570;

  private final Process process;
  private final Path errors;
  private final BufferedReader output;
  private final PrintStream input;

  private ChildJvm(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    input = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
  }

  /**
   * Starts the {@code main} of a class, over the same libfabric as this JVM.
   *
   * @param options of that JVM, besides those for a quick start
   */
  static ChildJvm start(Class<?> program, List<String> options, String... arguments)
      throws IOException {
    return startWithin(List.of(), program, options, arguments);
  }

  /**
   * Starts the {@code main} of a class by another command, such as one that makes a namespace.
   *
   * @param starter the command, which starts the one that follows
   */
  static ChildJvm startWithin(
      List<String> starter, Class<?> program, List<String> options, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(starter);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m"));
    // A crash leaves no file in whichever directory this is; what is said of it suffices.
    command.addAll(List.of("-XX:+ErrorFileToStderr", "-XX:-CreateCoredumpOnCrash"));
    // Or processes of one number in several namespaces say that they share a file in /tmp.
    command.add("-XX:-UsePerfData");
    String library = System.getProperty(Libfabric.FILE_PROPERTY);
    if (library != null
        && options.stream().noneMatch(each -> each.contains(Libfabric.FILE_PROPERTY))) {
      command.add("-D" + Libfabric.FILE_PROPERTY + "=" + library);
    }
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(program), program.getName()));
    command.addAll(List.of(arguments));
    Path errors = Files.createTempFile(program.getSimpleName(), ".err");
    errors.toFile().deleteOnExit();
    return new ChildJvm(
        new ProcessBuilder(command).redirectError(Redirect.to(errors.toFile())).start(), errors);
  }

  /** All that this test runs on, whether it came by class path or by module path. */
  private static String classPath(Class<?> program) {
    return String.join(
        System.getProperty("path.separator"),
        location(program),
        location(LibfabricProvider.class),
        location(Fabrics.class),
        location(KitFabric.class),
        location(KitFabric.class.getSuperclass()),
        location(Assertions.class),
        System.getProperty("java.class.path"));
  }

  private static String location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException broken) {
      throw new UncheckedIOException(new IOException(broken));
    }
  }

  long pid() {
    return process.pid();
  }

  /** The next line that it prints; null if there will be none. */
  @Nullable String line() throws IOException {
    return output.readLine();
  }

  /** The next line that it prints, which has to be there. */
  String demandedLine() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new AssertionError("it has ended early: " + errors());
    }
    return line;
  }

  /** Prints a line into its input. */
  void say(String line) {
    input.println(line);
  }

  /** What it has said of errors so far. */
  String errors() throws IOException {
    return Files.readString(errors);
  }

  /** Stops it with {@code SIGSTOP}, and waits until none of its threads runs. */
  void stop() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-STOP", Long.toString(pid())).start().waitFor();
    while (!isStopped()) {
      Thread.onSpinWait();
    }
  }

  /** Has it go on after {@link #stop}. */
  void resume() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-CONT", Long.toString(pid())).start().waitFor();
  }

  private boolean isStopped() throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid()), "task"))) {
      for (Path each : threads.toList()) {
        String stat = Files.readString(each.resolve("stat"));
        if (!stat.startsWith(") T", stat.lastIndexOf(')'))) {
          return false;
        }
      }
      return true;
    } catch (NoSuchFileException threadEnded) {
      return false;
    }
  }

  /** Kills it with {@code SIGKILL}, and waits until it is gone. */
  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /**
   * Waits until it ends by itself; if it does not, it says where its threads are, and is killed.
   *
   * @return its exit status
   */
  int exitStatus() throws IOException, InterruptedException {
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      process.waitFor(1, TimeUnit.SECONDS);
      kill();
      StringBuilder threads = new StringBuilder();
      output.lines().forEach(line -> threads.append(line).append('\n'));
      throw new AssertionError("it does not end: " + errors() + threads);
    }
    return process.exitValue();
  }

  @Override
  public void close() throws IOException {
    kill();
    input.close();
    output.close();
    Files.deleteIfExists(errors);
  }
}
