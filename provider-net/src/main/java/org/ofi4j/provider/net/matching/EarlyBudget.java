// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;

/**
 * The messages without a receive that {@link UnexpectedRoom} keeps from one kind of sender: peers
 * in the vector, or strangers. Messages that wait for space in it are in the order of arrival.
 *
 * <p>For one thread at a time.
 */
final class EarlyBudget {
  private final MatchQueue<Message> waiting = new MatchQueue<>(Matchable.WAITING);
  private long bytes;
  private int announced;

  /** Returns the bytes that count as kept. */
  long bytes() {
    return bytes;
  }

  /** Returns the number of messages that are only announced. */
  int announced() {
    return announced;
  }

  /** Counts a message that is kept from now on (1), or no longer (-1). */
  void count(Message message, int sign) {
    bytes += sign * message.room;
    if (message.room == 0) {
      announced += sign;
    }
  }

  /** Returns the message that is next if there is space; null if none waits. */
  @Nullable Message next() {
    return waiting.first();
  }

  /** Returns whether no other message is to be served before a message. */
  @SuppressWarnings("ReferenceEquality") // the message itself
  boolean isTurnOf(Message message) {
    Message first = waiting.first();
    return first == null || first == message;
  }

  /** Has a message wait for space, unless it does already. */
  void await(Message message) {
    if (!message.stands(Matchable.WAITING)) {
      waiting.add(message);
    }
  }

  /** Takes a message out of those that wait, if it is one of them. */
  void leave(Message message) {
    if (message.stands(Matchable.WAITING)) {
      waiting.remove(message);
    }
  }
}
