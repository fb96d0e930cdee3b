// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Receives that wait for a message. Of those that take a message the one posted first gets it.
 *
 * <p>Those that want a tag as it is, or no tag, stand in a table; only those that ignore bits of
 * the tag are looked at one by one. A receive that is directed at an entry of the address vector
 * takes nothing any more once that entry has gone, even if its index or its address is used again.
 * It stays posted, to be cancelled.
 *
 * <p>For one thread at a time.
 */
final class PostedReceives {
  private final LongUnaryOperator generations;
  private final MatchTable<Receive> exact = new MatchTable<>(Matchable.SAME);
  private final MatchQueue<Receive> ignoring = new MatchQueue<>(Matchable.SAME);
  final MatchQueue<Receive> all = new MatchQueue<>(Matchable.ALL);
  private final MatchKey wanted = new MatchKey();
  private int directed;

  /** How many are directed at an authorization key. */
  private int keyed;

  private long turns;

  /**
   * No receives yet.
   *
   * @param generations which generation the entry of a handle has
   */
  PostedReceives(LongUnaryOperator generations) {
    this.generations = generations;
  }

  /** Returns how many have been added so far. */
  long count() {
    return turns;
  }

  /** Returns whether the first one takes several messages. */
  boolean takesSeveral() {
    Receive first = all.first();
    return first != null && first.takesSeveral();
  }

  /** Adds one behind all others. */
  void add(Receive receive) {
    receive.turn = turns++;
    putBack(receive);
  }

  /** Puts one back to where it was taken from: its message broke off. */
  void putBack(Receive receive) {
    all.add(receive);
    if (receive.ignore == 0) {
      exact.add(receive, receive.key);
    } else {
      ignoring.add(receive);
    }
    count(receive, 1);
  }

  private void count(Receive receive, int sign) {
    Sender sender = receive.key.from;
    if (sender != null) {
      directed += sign;
      sender.directedReceives += sign;
    }
    if (receive.key.authorizationKey != 0) {
      keyed += sign;
    }
  }

  /** The first one that takes a message, which stays; null if there is none. */
  @Nullable Receive match(MatchKey message) {
    wanted.set(message, null);
    Receive best = firstLiving(exact.find(wanted));
    if (directed > 0) {
      best = earlier(best, firstLiving(exact.find(message)));
    }
    if (keyed > 0) {
      wanted.setSameKey(message);
      best = earlier(best, firstLiving(exact.find(wanted)));
    }
    Receive each = ignoring.first();
    while (each != null && (best == null || each.turn < best.turn)) {
      Receive following = ignoring.after(each);
      if (each.takes(message) && isLiving(each)) {
        return each;
      }
      each = following;
    }
    return best;
  }

  private static @Nullable Receive earlier(@Nullable Receive one, @Nullable Receive other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.turn < other.turn ? one : other;
  }

  private @Nullable Receive firstLiving(@Nullable MatchQueue<Receive> queue) {
    Receive each = queue == null ? null : queue.first();
    while (queue != null && each != null) {
      Receive following = queue.after(each);
      if (isLiving(each)) {
        return each;
      }
      each = following;
    }
    return null;
  }

  /**
   * Whether the entry that a receive is directed at is there; if not, nothing finds it any more.
   */
  private boolean isLiving(Receive receive) {
    if (receive.generation == Receive.UNDIRECTED
        || generations.applyAsLong(receive.peer) == receive.generation) {
      return true;
    }
    forget(receive);
    return false;
  }

  /** All entries that receives are directed at are gone. */
  void forgetDirected() {
    for (Receive each = all.first(); each != null; each = all.after(each)) {
      if (each.generation != Receive.UNDIRECTED) {
        forget(each);
      }
    }
  }

  private void forget(Receive receive) {
    if (receive.stands(Matchable.SAME)) {
      if (receive.ignore == 0) {
        exact.remove(receive, receive.key);
      } else {
        ignoring.remove(receive);
      }
      count(receive, -1);
    }
  }

  void remove(Receive receive) {
    forget(receive);
    all.remove(receive);
  }

  @Nullable Receive poll() {
    Receive first = all.first();
    if (first != null) {
      remove(first);
    }
    return first;
  }

  /** Takes the first one with a context; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  @Nullable Receive withdraw(@Nullable Object context) {
    for (Receive each = all.first(); each != null; each = all.after(each)) {
      if (each.context == context) {
        remove(each);
        return each;
      }
    }
    return null;
  }
}
