// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LineProcess;
import org.ofi4j.benchmarks.process.OpenProcesses;

/** Two processes of one side that exchange messages when they are told to, and wait else. */
final class MessagingPair implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 60;
  private static final String OK = "ok";

  private final Side side;
  private final Path times;
  private final LineProcess asking;
  private final LineProcess answering;
  private final String version;

  /**
   * Starts them and makes them known to each other.
   *
   * @param side whose they are
   * @param command starts one of them
   * @param directory takes a file
   * @param processes end with the run
   */
  MessagingPair(Side side, List<String> command, Path directory, OpenProcesses processes)
      throws IOException {
    this.side = side;
    times = directory.resolve("times-" + side.id());
    asking = start("the asking side of " + side.title(), command, processes);
    answering = start("the answering side of " + side.title(), command, processes);
    version = hear(asking, "starting");
    hear(answering, "starting");
    String name = tell(asking, "name");
    tell(asking, "peer " + tell(answering, "name"));
    tell(answering, "peer " + name);
  }

  private static LineProcess start(String name, List<String> command, OpenProcesses processes)
      throws IOException {
    LineProcess process =
        new LineProcess(
            name,
            PATIENCE_SECONDS,
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
    return processes.add(process, process::close);
  }

  Side side() {
    return side;
  }

  /** Version and provider. */
  String version() {
    return version;
  }

  /** Does round trips one after the other; the nanoseconds of each. */
  long[] roundTrips(int size, int count) throws IOException {
    begin("answer " + size + " " + count);
    tell(asking, "ask " + size + " " + count + " " + times);
    hear(answering, "answer");
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(times)).order(ByteOrder.nativeOrder());
    long[] each = new long[count];
    bytes.asLongBuffer().get(each);
    return each;
  }

  /** Sends messages one way, many at a time; the nanoseconds until all have come. */
  long stream(int size, int count) {
    return stream("stream", size, count);
  }

  /** As {@link #stream(int, int)}, with the hint of each that another follows. */
  long announced(int size, int count) {
    return stream("announce", size, count);
  }

  private long stream(String how, int size, int count) {
    begin("take " + size + " " + count);
    long nanos = Long.parseLong(tell(asking, how + " " + size + " " + count));
    hear(answering, "take");
    return nanos;
  }

  /** The first answer says that messages may come. */
  private void begin(String command) {
    answering.say(command);
    hear(answering, command);
  }

  private static String tell(LineProcess process, String command) {
    process.say(command);
    return hear(process, command);
  }

  private static String hear(LineProcess process, String command) {
    String line = process.hear(command);
    if (!line.startsWith(OK)) {
      throw process.failure("says \"" + line + "\"", command);
    }
    return line.substring(OK.length()).strip();
  }

  @Override
  public void close() {
    asking.close();
    answering.close();
  }
}
