// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;

/**
 * Messages that came before a receive was posted for them, in the order of arrival. Their bytes are
 * kept in {@link UnexpectedRoom}, if there is any.
 *
 * <p>Receives that want a tag as it is, or no tag, find theirs in tables; those that ignore bits of
 * the tag look at one after the other.
 *
 * <p>For one thread at a time.
 */
final class UnexpectedMessages {
  /** Those that can be matched. */
  final MatchQueue<Message> all = new MatchQueue<>(Matchable.ALL);

  private final MatchTable<Message> same = new MatchTable<>(Matchable.SAME);
  private final MatchTable<Message> sameSender = new MatchTable<>(Matchable.SAME_SENDER);
  private final MatchTable<Message> sameAuthorization =
      new MatchTable<>(Matchable.SAME_AUTHORIZATION);
  private final boolean directed;

  // Messages that a peek has put aside for the receive with its context.
  private final MatchQueue<Message> claimed = new MatchQueue<>(Matchable.ALL);

  private final UnexpectedRoom room;
  private final MatchKey open = new MatchKey();

  /**
   * No messages yet.
   *
   * @param directed whether receives may ask for those of one sender
   * @param room where their bytes are kept
   */
  UnexpectedMessages(boolean directed, UnexpectedRoom room) {
    this.directed = directed;
    this.room = room;
  }

  void add(Message message) {
    all.add(message);
    open.set(message.key, null);
    same.add(message, open);
    if (directed) {
      sameSender.add(message, message.key);
      if (message.sender().matchedKey() != 0) {
        open.setSameKey(message.key);
        sameAuthorization.add(message, open);
      }
    }
  }

  /** Puts one that was taken out back to its place. */
  void putBack(Message message) {
    message.context = null;
    add(message);
  }

  /** Puts those back that were put aside for a receive. */
  void putBackClaimed() {
    for (Message each = claimed.first(); each != null; each = claimed.first()) {
      claimed.remove(each);
      putBack(each);
    }
  }

  /** Forgets those that came to one of the endpoints that share the context. */
  void forget(ReceiveOutcomes endpoint) {
    forget(all, endpoint);
    forget(claimed, endpoint);
  }

  private void forget(MatchQueue<Message> queue, ReceiveOutcomes endpoint) {
    Message each = queue.first();
    while (each != null) {
      Message following = queue.after(each);
      if (endpoint.equals(each.outcomes)) {
        remove(each);
        if (each.state == Message.State.PAUSED) {
          room.pollPaused(each.incoming().link);
        }
        room.forget(each);
      }
      each = following;
    }
  }

  /** The first one that a receive takes, which stays; null if there is none. */
  @Nullable Message match(Receive receive) {
    if (receive.ignore == 0) {
      return tableFor(receive.key).first(receive.key);
    }
    for (Message each = all.first(); each != null; each = all.after(each)) {
      if (receive.takes(each.key)) {
        return each;
      }
    }
    return null;
  }

  private MatchTable<Message> tableFor(MatchKey wanted) {
    if (wanted.from != null) {
      return sameSender;
    }
    return wanted.authorizationKey == 0 ? same : sameAuthorization;
  }

  /**
   * The one after another one, which may have been taken out since.
   *
   * @param turn of the other one, when it was in
   */
  @Nullable Message after(long turn, Message message) {
    if (message.turn == turn && message.stands(Matchable.SAME)) {
      return all.after(message);
    }
    Message each = all.first();
    while (each != null && each.turn <= turn) {
      each = all.after(each);
    }
    return each;
  }

  /** Takes one out: it has been matched, or its connection is lost. */
  void remove(Message message) {
    if (message.stands(Matchable.SAME)) {
      all.remove(message);
      open.set(message.key, null);
      same.remove(message, open);
      if (directed) {
        sameSender.remove(message, message.key);
        if (message.sender().matchedKey() != 0) {
          open.setSameKey(message.key);
          sameAuthorization.remove(message, open);
        }
      }
    } else if (message.stands(Matchable.ALL)) {
      claimed.remove(message);
    }
  }

  /** Puts one aside for a receive with a context. */
  void claim(Message message, @Nullable Object context) {
    remove(message);
    message.context = context;
    claimed.add(message);
  }

  /** Takes the message that was put aside for a context; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  @Nullable Message pollClaimed(@Nullable Object context) {
    for (Message each = claimed.first(); each != null; each = claimed.after(each)) {
      if (each.context == context) {
        claimed.remove(each);
        return each;
      }
    }
    return null;
  }
}
