// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ofi4j.benchmarks.process.FreshJvm;

/**
 * {@link MessagingEndpoint} in a JVM of its own: told what to do by lines on standard input, with
 * the same commands and answers as {@code messages.c}.
 *
 * <pre>
 *   name                     ok ADDRESS    where peers reach it
 *   peer ADDRESS             ok            whom it talks to
 *   answer SIZE COUNT        ok, ok        is ready; has sent back each of so many messages
 *   ask SIZE COUNT FILE      ok            has done as many round trips; their times are in the file
 *   take SIZE COUNT          ok, ok        is ready; has received so many, and said so to the peer
 *   stream SIZE COUNT        ok NANOS      has sent so many, and the peer has them
 *   announce SIZE COUNT      ok NANOS      the same, but says of each message if another follows
 * </pre>
 */
record MessagingJvm(MessagingEndpoint endpoint) implements FreshJvm.Commands {
  /**
   * Obeys until standard input ends.
   *
   * @param arguments how many messages are under way at a time, the longest one, and the provider
   */
  public static void main(String[] arguments) throws InterruptedException {
    int window = Integer.parseInt(arguments[0]);
    int longest = Integer.parseInt(arguments[1]);
    try (MessagingEndpoint endpoint = new MessagingEndpoint(window, longest, arguments[2])) {
      FreshJvm.say("ok");
      FreshJvm.run(new MessagingJvm(endpoint));
    }
  }

  @Override
  public String obey(String[] words) throws IOException {
    return switch (words[0]) {
      case "name" -> endpoint.name();
      case "peer" -> {
        endpoint.peer(words[1]);
        yield "";
      }
      default -> obey(words, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
    };
  }

  private String obey(String[] words, int size, int count) throws IOException {
    switch (words[0]) {
      case "answer" -> endpoint.answer(size, count, () -> FreshJvm.say("ok"));
      case "ask" -> {
        long[] times = new long[count];
        endpoint.ask(size, times);
        ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(times);
        Files.write(Path.of(words[3]), bytes.array());
      }
      case "take" -> endpoint.take(size, count, () -> FreshJvm.say("ok"));
      case "stream", "announce" -> {
        return Long.toString(endpoint.stream(size, count, words[0].equals("announce")));
      }
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }
}
