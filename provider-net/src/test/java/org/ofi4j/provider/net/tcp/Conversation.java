// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.ofi4j.CompletionLevel;
import org.ofi4j.MessageSender;
import org.ofi4j.SendRequest;
import org.ofi4j.provider.net.Rig;

/**
 * Numbered messages to one peer, a few under way at a time, each to be acknowledged. Their memory
 * is used again, so that a conversation can go on for hours.
 */
final class Conversation {
  /** A message that is under way: the context of its send. */
  static final class Sent {
    private final Conversation in;
    private final MemorySegment memory = Rig.buffer(LONGEST);
    private long number;

    Sent(Conversation in) {
      this.in = in;
    }

    long number() {
      return number;
    }

    Conversation conversation() {
      return in;
    }

    /** Its send has ended, one way or the other. */
    void ended() {
      in.idle.add(this);
    }
  }

  /** One message in so many is of any length up to the longest; the others are short. */
  private static final int LONG_ONES = 16;

  private static final int SHORT = 300;
  static final int LONGEST = 100_000;
  static final int WINDOW = 16;

  private final MessageSender from;
  private final long handle;
  private final Random random;
  private final Deque<Sent> idle = new ArrayDeque<>();
  private long next;

  /**
   * A conversation with one who has said nothing yet.
   *
   * @param handle to whom
   * @param first the number of the first message; the others follow it
   */
  Conversation(MessageSender from, long handle, long first, Random random) {
    this.from = from;
    this.handle = handle;
    this.random = random;
    next = first;
    for (int i = 0; i < WINDOW; i++) {
      idle.add(new Sent(this));
    }
  }

  /** Sends as much as may be under way. */
  void goOn() {
    for (Sent message = idle.poll(); message != null; message = idle.poll()) {
      int longest = random.nextInt(LONG_ONES) == 0 ? LONGEST : SHORT;
      int length =
          NumberedMessage.SHORTEST + random.nextInt(longest - NumberedMessage.SHORTEST + 1);
      message.number = next++;
      from.send(
          new SendRequest()
              .memory(NumberedMessage.write(message.memory.asSlice(0, length), message.number))
              .destination(handle)
              .context(message)
              .completes(CompletionLevel.DELIVERED));
    }
  }

  /** Whether nothing is under way. */
  boolean isIdle() {
    return idle.size() == WINDOW;
  }
}
