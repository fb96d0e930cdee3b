// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;

/**
 * Receives or messages that wait, in their order. For one thread at a time.
 *
 * @param <T> which of them
 */
class MatchQueue<T extends Matchable> {
  private final int kind;
  private @Nullable T first;
  private @Nullable T last;

  MatchQueue(int kind) {
    this.kind = kind;
  }

  @Nullable T first() {
    return first;
  }

  @SuppressWarnings("unchecked") // only these are added
  @Nullable T after(T one) {
    return (T) one.after[kind];
  }

  boolean isEmpty() {
    return first == null;
  }

  /** Adds one at its turn, which is the end unless it was there before. */
  void add(T one) {
    T end = last;
    if (end == null || end.turn < one.turn) {
      link(end, one, null);
      return;
    }
    T following = first;
    while (following != null && following.turn < one.turn) {
      following = after(following);
    }
    link(following == null ? end : before(following), one, following);
  }

  @SuppressWarnings("unchecked") // only these are added
  private @Nullable T before(T one) {
    return (T) one.before[kind];
  }

  private void link(@Nullable T preceding, T one, @Nullable T following) {
    one.before[kind] = preceding;
    one.after[kind] = following;
    one.stepIntoOrOutOf(kind);
    if (preceding == null) {
      first = one;
    } else {
      preceding.after[kind] = one;
    }
    if (following == null) {
      last = one;
    } else {
      following.before[kind] = one;
    }
  }

  void remove(T one) {
    T preceding = before(one);
    T following = after(one);
    if (preceding == null) {
      first = following;
    } else {
      preceding.after[kind] = following;
    }
    if (following == null) {
      last = preceding;
    } else {
      following.before[kind] = preceding;
    }
    one.before[kind] = null;
    one.after[kind] = null;
    one.stepIntoOrOutOf(kind);
  }
}
