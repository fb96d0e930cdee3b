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
final class MessagingPair {
  private static final int PATIENCE_SECONDS = 300;

  private final Side side;
  private final Path times;
  private final LineProcess asking;
  private final LineProcess answering;
  private final String version;

  /** Starts them and makes them known to each other; a file in the directory takes times. */
  MessagingPair(Side side, List<String> command, Path directory, OpenProcesses processes)
      throws IOException {
    this.side = side;
    times = directory.resolve("times-" + side.id());
    asking = start("the asking side of " + side.title(), command, processes);
    answering = start("the answering side of " + side.title(), command, processes);
    version = asking.answer("starting");
    answering.answer("starting");
    String name = asking.tell("name");
    asking.tell("peer " + answering.tell("name"));
    answering.tell("peer " + name);
  }

  private static LineProcess start(String name, List<String> command, OpenProcesses processes)
      throws IOException {
    return processes.add(new LineProcess(name, PATIENCE_SECONDS, command));
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
}
