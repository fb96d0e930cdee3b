// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.cli.output.CommandJvm;

/**
 * The other side: a second JVM with the same Java and the same modules, told what to do by lines on
 * its standard input. It ends when that ends, so it cannot outlive this process, whatever becomes
 * of this one.
 */
final class PeerProcess implements AutoCloseable {
  private static final String END = "";
  private static final int PATIENCE_SECONDS = 60;
  private static final String MAIN = "org.ofi4j.cli.Main";
  private static final String CLUSTER_JARS = "lib-cluster";

  private final Process process;
  private final PrintWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final FabricAddress address;

  private PeerProcess(Process process, @Nullable String firstLine)
      throws IOException, InterruptedException {
    this.process = process;
    commands = new PrintWriter(process.outputWriter(), true);
    if (firstLine != null) {
      commands.println(firstLine);
    }
    Thread.ofVirtual().name("demo-peer answers").start(this::readAnswers);
    try {
      address = FabricAddress.parse(answer("address"));
    } catch (IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts one with options of the hidden command that it runs. */
  static PeerProcess start(String... options) throws IOException, InterruptedException {
    return launch(null, options);
  }

  /** Starts one that holds an authorization key, which is told to it alone. */
  static PeerProcess startUnderKey(byte[] key) throws IOException, InterruptedException {
    return launch(HexFormat.of().formatHex(key), "--key");
  }

  /** Starts one that may join a job, with all jars on its class path; see {@link #hasCluster}. */
  static PeerProcess startMember(String... options) throws IOException, InterruptedException {
    List<String> command = onClassPath();
    command.add("demo-peer");
    return launch(command, null, options);
  }

  /** Whether the jars are there with which members of a job find each other. */
  static boolean hasCluster() {
    String home = System.getProperty("ofi4j.home");
    return home == null || Files.isDirectory(Path.of(home, CLUSTER_JARS));
  }

  /** The command line of {@code ofi4j cluster}, to which arguments are to be added. */
  static List<String> cluster() {
    List<String> command = onClassPath();
    command.add("cluster");
    return command;
  }

  private static PeerProcess launch(@Nullable String firstLine, String... options)
      throws IOException, InterruptedException {
    List<String> quickly = List.of("-XX:TieredStopAtLevel=1");
    return launch(CommandJvm.of(quickly, "demo-peer"), firstLine, options);
  }

  private static PeerProcess launch(
      List<String> command, @Nullable String firstLine, String... options)
      throws IOException, InterruptedException {
    command.addAll(List.of(options));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    return new PeerProcess(builder.start(), firstLine);
  }

  /**
   * Jars of ZooKeeper share packages, so they cannot be modules, and neither can what uses them.
   */
  private static List<String> onClassPath() {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--class-path");
    String home = System.getProperty("ofi4j.home");
    command.add(
        home == null
            ? System.getProperty("jdk.module.path", "")
                + File.pathSeparator
                + System.getProperty("java.class.path", "")
            : Path.of(home, "lib", "*") + File.pathSeparator + Path.of(home, CLUSTER_JARS, "*"));
    command.add(MAIN);
    return command;
  }

  private void readAnswers() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // The process was ended; there are no more answers.
    }
    answers.add(END);
  }

  /** Tells it to do something, and gives what comes after the expected word of its answer. */
  String tell(String command, String expectedAnswer) throws IOException, InterruptedException {
    say(command);
    return answer(expectedAnswer);
  }

  /** Tells it to do something, and waits for nothing. */
  void say(String command) {
    commands.println(command);
  }

  /** Waits for an answer, and gives what comes after its expected word. */
  String answer(String expected) throws IOException, InterruptedException {
    String line = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new IOException("the second JVM does not answer for " + PATIENCE_SECONDS + " s");
    }
    if (line.equals(END)) {
      throw new IOException("the second JVM has ended");
    }
    if (!line.startsWith(expected)) {
      throw new IOException("the second JVM says: " + line);
    }
    return line.substring(expected.length()).strip();
  }

  /** Where its endpoint is. */
  FabricAddress address() {
    return address;
  }

  long pid() {
    return process.pid();
  }

  /** Ends it as kill -9 does. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    commands.close();
    try {
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
