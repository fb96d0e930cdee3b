package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.ofi4j.FabricAddress;

/**
 * A process of ours on libfabric: one of the C programs in {@code src/test/c}, compiled against the
 * libfabric of this machine and started. The test tells it what to do in lines and hears lines
 * back; {@code peer.h} says how such a program is written.
 *
 * <pre>{@code
 * try (LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1")) {
 *   long handle = rig.vector.insert(peer.name());
 *   long toUs = peer.insert(rig.name());
 *   peer.ask("send 1 " + toUs + " 1000", "posted");
 *   ...                                           // receive it here
 *   assertThat(peer.ask("await 1")).isEqualTo("sent");
 *   peer.finish();                                // it is content, too
 * }
 * }</pre>
 *
 * <p>A test with such a peer is skipped where the compiler or libfabric's headers are missing,
 * unless the system property {@code ofi4j.interop} is {@code required}: then it fails. To be used
 * by one thread.
 */
final class LibfabricPeer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(100);
  private static final String END = "(end of its output)";
  private static final Path SOURCES =
      Path.of(System.getProperty("basedir", "provider-net"), "src", "test", "c");

  private final String program;
  private final Process process;
  private final Writer commands;
  private final Path errors;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final FabricAddress name;
  private Work meanwhile = () -> {};

  private LibfabricPeer(String program, Process process, Path errors) {
    this.program = program;
    this.process = process;
    this.errors = errors;
    commands = process.outputWriter();
    Thread.ofPlatform().daemon().name("output of " + program).start(this::readLines);
    String[] words = hear("starting", "name ").split(" ");
    name = FabricAddress.of(new InetSocketAddress(words[0], Integer.parseInt(words[1])));
  }

  /**
   * Compiles a program if this JVM has not yet done so, and starts it.
   *
   * @param program the name of its source, without {@code .c}
   * @param arguments of its {@code main}
   */
  static LibfabricPeer start(String program, String... arguments) throws Exception {
    Path executable = Executables.of(program);
    List<String> command = new ArrayList<>(List.of(executable.toString()));
    command.addAll(List.of(arguments));
    Path errors = Files.createTempFile(program, ".err");
    errors.toFile().deleteOnExit();
    return new LibfabricPeer(
        program, new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
  }

  /** Where it listens. */
  FabricAddress name() {
    return name;
  }

  /** Inserts an address into its vector; answers the handle that it has there. */
  long insert(FabricAddress address) {
    InetSocketAddress socket =
        switch (address) {
          case FabricAddress.SocketAddress4 v4 -> v4.toSocketAddress();
          case FabricAddress.SocketAddress6 v6 -> v6.toSocketAddress();
          default -> throw new IllegalArgumentException(address + " is no address with a port");
        };
    String host = socket.getAddress().getHostAddress();
    return Long.parseLong(ask("insert " + host + " " + socket.getPort(), "inserted "));
  }

  /** Gives a command and waits for its answer, a line. */
  String ask(String command) {
    return ask(command, "");
  }

  /** Gives a command and waits for its answer, which has to begin like that; gives the rest. */
  String ask(String command, String beginning) {
    say(command);
    return hear(command, beginning);
  }

  /** Gives a command whose answer will be asked for by {@link #hear}. */
  void say(String command) {
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
  void meanwhile(Work work) {
    this.meanwhile = work;
  }

  /** Something done while waiting. */
  interface Work {
    /** Does a little of it, and does not wait. */
    void run() throws InterruptedException;
  }

  /** Waits for the answer to a command, which has to begin like that; gives the rest. */
  String hear(String command, String beginning) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      String line = lines.poll();
      while (line == null) {
        if (System.nanoTime() - end > 0) {
          throw failure("does not answer \"" + command + "\" within " + PATIENCE);
        }
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
  void finish() throws InterruptedException {
    ask("quit", "bye");
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw failure("does not end well");
    }
    assertThat(errors).isEmptyFile();
  }

  /** The process, for those who kill it or stop it. */
  Process process() {
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
          "%s on libfabric %s; it says: %s".formatted(program, what, Files.readString(errors)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills it if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }

  /** The compiled programs of this JVM. */
  private static final class Executables {
    private static final Map<String, Path> COMPILED = new HashMap<>();

    private Executables() {}

    static synchronized Path of(String program) throws Exception {
      Path compiled = COMPILED.get(program);
      if (compiled == null) {
        need();
        compiled = compile(program);
        COMPILED.put(program, compiled);
      }
      return compiled;
    }

    /** Skips or fails the test unless a program that includes libfabric's headers can be linked. */
    private static void need() throws Exception {
      Path probe = temporary("probe", ".c");
      Files.writeString(
          probe, "#include <rdma/fabric.h>\nint main(void) { return fi_version() == 0; }\n");
      String complaint = gcc(probe, temporary("probe", ""));
      if ("required".equals(System.getProperty("ofi4j.interop"))) {
        assertThat(complaint)
            .as("a C compiler and libfabric are there: apt-get install gcc libc6-dev libfabric-dev")
            .isEmpty();
      }
      assumeTrue(complaint.isEmpty(), "no C program can be linked with libfabric: " + complaint);
    }

    private static Path compile(String program) throws Exception {
      Path executable = temporary(program, "");
      assertThat(gcc(SOURCES.resolve(program + ".c"), executable)).isEmpty();
      return executable;
    }

    /** What the compiler has to complain about. */
    private static String gcc(Path source, Path executable) throws Exception {
      Path messages = temporary("gcc", ".txt");
      Process compiler;
      try {
        compiler =
            new ProcessBuilder(
                    "gcc",
                    "-std=gnu11",
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-o",
                    executable.toString(),
                    source.toString(),
                    "-lfabric")
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
      } catch (IOException absent) {
        return "there is no gcc";
      }
      if (!compiler.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        compiler.destroyForcibly();
        return "gcc does not end";
      }
      return compiler.exitValue() == 0
          ? ""
          : "gcc ends with %d: %s".formatted(compiler.exitValue(), Files.readString(messages));
    }

    private static Path temporary(String name, String ending) throws IOException {
      Path file = Files.createTempFile(name, ending);
      file.toFile().deleteOnExit();
      return file;
    }
  }
}
