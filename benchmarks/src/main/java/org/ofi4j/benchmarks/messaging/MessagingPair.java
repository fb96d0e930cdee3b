// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LibfabricProgram;
import org.ofi4j.benchmarks.process.LibfabricUnavailableException;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** Two processes of one side that exchange messages when they are told to, and wait else. */
final class MessagingPair implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 300;

  private final Contestant contestant;
  private final Path times;
  private final LineProcess asking;
  private final LineProcess answering;
  private final String version;

  /**
   * Starts and connects them.
   *
   * @param longest the longest message in bytes
   * @throws LibfabricUnavailableException if libfabric is wanted and cannot be had
   */
  static MessagingPair start(
      Contestant contestant, int longest, String provider, Path directory, OpenProcesses processes)
      throws IOException, InterruptedException {
    ProcessBuilder each = command(contestant, longest, provider, directory, List.of());
    return new MessagingPair(contestant, each, each, directory, processes);
  }

  /** Starts two JVMs with an ahead-of-time cache, without which they would not start. */
  static MessagingPair startWithCache(
      Contestant contestant, int longest, Path cache, Path directory, OpenProcesses processes)
      throws IOException, InterruptedException {
    List<String> options = List.of("-XX:AOTMode=on", "-XX:AOTCache=" + cache);
    ProcessBuilder each = command(contestant, longest, MessagingOptions.TCP, directory, options);
    return new MessagingPair(contestant, each, each, directory, processes);
  }

  /**
   * Makes an ahead-of-time cache of what the asking JVM has loaded after one round trip.
   *
   * @throws IOException if the JVM makes none
   */
  static void makeCache(
      Contestant contestant, int longest, Path cache, Path directory, OpenProcesses processes)
      throws IOException, InterruptedException {
    String tcp = MessagingOptions.TCP;
    List<String> options = List.of("-XX:AOTCacheOutput=" + cache);
    ProcessBuilder asking =
        command(contestant, longest, tcp, directory, options)
            // The JVM that writes the cache prints its options.
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    ProcessBuilder answering = command(contestant, longest, tcp, directory, List.of());
    try (MessagingPair pair =
        new MessagingPair(contestant, asking, answering, directory, processes)) {
      pair.roundTrips(longest, 1);
      pair.asking.end(PATIENCE_SECONDS);
    }
    if (!Files.exists(cache)) {
      throw new IOException(
          "the JVM of "
              + contestant.side().title()
              + " made no ahead-of-time cache; its path must consist of jars");
    }
  }

  private static ProcessBuilder command(
      Contestant contestant, int longest, String provider, Path directory, List<String> options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (contestant == Contestant.LIBFABRIC) {
      LibfabricProgram program =
          LibfabricProgram.compile(directory, LibfabricProgram.MESSAGES, System.getenv());
      command.addAll(List.of(program.path().toString(), Integer.toString(Peer.WINDOW)));
    } else {
      command.addAll(contestant.jvm(MessagingJvm.class, provider, options));
      command.add(contestant.name());
    }
    boolean isShm = contestant == Contestant.LIBFABRIC && provider.equals(MessagingOptions.MEMORY);
    command.addAll(List.of(Integer.toString(longest), isShm ? "shm" : provider));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
  }

  /** Starts them and connects them; a file in the directory takes times. */
  private MessagingPair(
      Contestant contestant,
      ProcessBuilder asks,
      ProcessBuilder answers,
      Path directory,
      OpenProcesses processes)
      throws IOException {
    this.contestant = contestant;
    Side side = contestant.side();
    times = directory.resolve("times-" + side.id());
    asking = start("the asking side of " + side.title(), asks, processes);
    answering = start("the answering side of " + side.title(), answers, processes);
    version = asking.answer("starting");
    answering.answer("starting");
    String name = asking.tell("name");
    // Some connect only while the other side does too.
    asking.say("peer " + answering.tell("name"));
    answering.tell("peer " + name);
    asking.answer("peer");
  }

  private static LineProcess start(String name, ProcessBuilder builder, OpenProcesses processes)
      throws IOException {
    return processes.add(new LineProcess(name, PATIENCE_SECONDS, builder));
  }

  Contestant contestant() {
    return contestant;
  }

  /** Returns both processes, the asking one first. */
  List<LineProcess> processes() {
    return List.of(asking, answering);
  }

  /** Returns the processor time of both processes so far, of each to a hundredth of a second. */
  Duration processorTime() {
    return asking.processorTime().plus(answering.processorTime());
  }

  /** Version and provider. */
  String version() {
    return version;
  }

  /** Does round trips one after the other; the nanoseconds of each. */
  long[] roundTrips(int size, int count) throws IOException {
    // Its first answer says that messages may come.
    answering.tell("answer " + size + " " + count);
    asking.tell("ask " + size + " " + count + " " + times);
    answering.answer("answer");
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(times)).order(ByteOrder.nativeOrder());
    long[] each = new long[count];
    bytes.asLongBuffer().get(each);
    return each;
  }

  /**
   * Sends messages one way, many at a time; the nanoseconds until all have come.
   *
   * @param announced whether each but the last says that another follows
   */
  long stream(int size, int count, boolean announced) {
    String how = announced ? "announce" : "stream";
    answering.tell("take " + size + " " + count);
    long nanos = Long.parseLong(asking.tell(how + " " + size + " " + count));
    answering.answer("take");
    return nanos;
  }

  /** Connects the asking side to itself. */
  void toItself() {
    asking.tell("peer " + asking.tell("name"));
  }

  /** Sends messages from the asking side to itself; its processor time in nanoseconds. */
  long toItself(int size, int count) {
    return Long.parseLong(asking.tell("self " + size + " " + count));
  }

  @Override
  public void close() {
    asking.close();
    answering.close();
  }
}
