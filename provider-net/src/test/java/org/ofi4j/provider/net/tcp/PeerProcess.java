// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.ofi4j.FabricAddress;

/**
 * An endpoint in a process of its own, with which a test speaks in lines: a command goes there, an
 * answer comes back. First it says where it listens. To be used by one thread.
 */
class PeerProcess implements AutoCloseable {
  private static final String END = "(end of its output)";

  private final String program;
  private final Process process;
  private final Writer commands;
  private final Path errors;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private FabricAddress name;
  private Work meanwhile = () -> {};

  PeerProcess(String program, Process process, Path errors) {
    this.program = program;
    this.process = process;
    this.errors = errors;
    commands = process.outputWriter();
    Thread.ofPlatform().daemon().name("output of " + program).start(this::readLines);
    name = hearName("starting");
  }

  /** Where it listens. */
  final FabricAddress name() {
    return name;
  }

  /** Waits until it says where it listens from now on. */
  final void hearNewName(String command) {
    name = hearName(command);
  }

  /** Waits for an address as the answer to a command. */
  final FabricAddress hearName(String command) {
    String[] words = hear(command, "name ").split(" ");
    return FabricAddress.of(new InetSocketAddress(words[0], Integer.parseInt(words[1])));
  }

  /** An address as commands have it. */
  static String words(FabricAddress address) {
    InetSocketAddress socket =
        switch (address) {
          case FabricAddress.SocketAddress4 v4 -> v4.toSocketAddress();
          case FabricAddress.SocketAddress6 v6 -> v6.toSocketAddress();
          default -> throw new IllegalArgumentException(address + " is no address with a port");
        };
    return socket.getAddress().getHostAddress() + " " + socket.getPort();
  }

  /** Inserts an address into its vector; answers the handle that it has there. */
  final long insert(FabricAddress address) {
    return Long.parseLong(ask("insert " + words(address), "inserted "));
  }

  /** Gives a command and waits for its answer, a line. */
  final String ask(String command) {
    return ask(command, "");
  }

  /** Gives a command and waits for its answer, which has to begin like that; gives the rest. */
  final String ask(String command, String beginning) {
    say(command);
    return hear(command, beginning);
  }

  /** Gives a command whose answer will be asked for by {@link #hear}. */
  final void say(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException ended) {
      throw failure("has ended before \"" + command + "\"");
    }
  }

  /**
   * What to do again and again while waiting for an answer. An endpoint with manual progress
   * answers the peer only when somebody reads its queue: {@code peer.meanwhile(() ->
   * rig.move(ZERO))}.
   */
  final void meanwhile(Work work) {
    this.meanwhile = work;
  }

  /** Something done while waiting. */
  interface Work {
    /** Does a little of it, and does not wait. */
    void run() throws InterruptedException;
  }

  /** Waits for the answer to a command, which has to begin like that; gives the rest. */
  final String hear(String command, String beginning) {
    try {
      String line = lines.poll();
      while (line == null) {
        meanwhile.run();
        line = lines.poll(1, TimeUnit.MILLISECONDS);
      }
      if (!line.startsWith(beginning) || line.equals(END)) {
        throw failure("answers \"" + line + "\" to \"" + command + "\"");
      }
      return line.substring(beginning.length());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw failure("was given up at \"" + command + "\"");
    }
  }

  /** Lets it close everything and end, and fails unless it was content with all that it saw. */
  final void finish() throws InterruptedException {
    ask("quit", "bye");
    if (process.waitFor() != 0) {
      throw failure("does not end well");
    }
    assertNoErrors();
  }

  /** Fails if it has written to its standard error. */
  final void assertNoErrors() {
    assertThat(errors).isEmptyFile();
  }

  /** The process, for those who kill it or stop it. */
  final Process process() {
    return process;
  }

  private void readLines() {
    try (BufferedReader output = process.inputReader()) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        lines.add(line);
      }
    } catch (IOException killed) {
      // There is nothing more to read.
    }
    lines.add(END);
  }

  /** With what the process itself says about it. */
  private AssertionError failure(String what) {
    try {
      return new AssertionError(
          "%s %s; it says: %s".formatted(program, what, Files.readString(errors)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
