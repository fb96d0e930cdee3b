// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.ofi4j.benchmarks.process.FreshJvm;

/**
 * A {@link Peer} in a JVM of its own. It obeys lines on standard input, with the same commands and
 * answers as {@code messages.c}.
 *
 * <pre>
 *   name                     ok ADDRESS    where peers reach it
 *   peer ADDRESS             ok            whom it talks to
 *   answer SIZE COUNT        ok, ok        is ready; has sent back each of so many messages
 *   ask SIZE COUNT FILE      ok            has done as many round trips; their times are in the file
 *   take SIZE COUNT          ok, ok        is ready; has received so many, and said so to the peer
 *   stream SIZE COUNT        ok NANOS      has sent so many, and the peer has them
 *   announce SIZE COUNT      ok NANOS      the same, but says of each message if another follows
 *   self SIZE COUNT          ok NANOS      has sent so many to itself, in that processor time
 * </pre>
 */
record MessagingJvm(Peer peer) implements FreshJvm.Commands {
  /**
   * Obeys until standard input ends.
   *
   * @param arguments the {@link Contestant}, the longest message, and the provider
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    Contestant contestant = Contestant.valueOf(arguments[0]);
    try (Peer peer = contestant.open(Integer.parseInt(arguments[1]), arguments[2])) {
      FreshJvm.say("ok");
      FreshJvm.run(new MessagingJvm(peer));
    } catch (LinkageError missing) {
      FreshJvm.say("error " + contestant.side().title() + " is not on the class path: " + missing);
    }
  }

  @Override
  public String obey(String[] words) throws IOException, InterruptedException {
    return switch (words[0]) {
      case "name" -> peer.name();
      case "peer" -> {
        peer.connect(words[1]);
        yield "";
      }
      default -> obey(words, Integer.parseInt(words[1]), Integer.parseInt(words[2]));
    };
  }

  private String obey(String[] words, int size, int count)
      throws IOException, InterruptedException {
    switch (words[0]) {
      case "answer" -> peer.answer(size, count, () -> FreshJvm.say("ok"));
      case "ask" -> {
        long[] times = new long[count];
        peer.ask(size, times);
        ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.nativeOrder());
        bytes.asLongBuffer().put(times);
        Files.write(Path.of(words[3]), bytes.array());
      }
      case "take" -> peer.take(size, count, () -> FreshJvm.say("ok"));
      case "stream", "announce" -> {
        return Long.toString(peer.stream(size, count, words[0].equals("announce")));
      }
      case "self" -> {
        return Long.toString(((EndpointPeer) peer).toItself(size, count));
      }
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }
}
