// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;

/**
 * Receives or messages that wait, by what must be the same to match: a hash table of queues, so
 * that among thousands the first with a key is found at once. Queues that become empty are used
 * again. For one thread at a time.
 *
 * @param <T> which of them
 */
final class MatchTable<T extends Matchable> {
  private static final int FIRST_LENGTH = 16;

  private final int kind;

  // Lists of the queues whose keys' hashes end in the same bits.
  private @Nullable Object[] buckets = new @Nullable Object[FIRST_LENGTH];
  private int queues;
  private @Nullable MatchQueue<T> unused;

  /**
   * An empty table.
   *
   * @param kind which links its queues use
   */
  MatchTable(int kind) {
    this.kind = kind;
  }

  @SuppressWarnings("unchecked") // nothing else is there; arrays have no type arguments
  private @Nullable MatchQueue<T> bucket(int number) {
    return (MatchQueue<T>) buckets[number];
  }

  /** Those with a key, in their order; null if there are none. */
  @Nullable MatchQueue<T> find(MatchKey key) {
    MatchQueue<T> queue = bucket(key.hash() & buckets.length - 1);
    while (queue != null && !queue.key.is(key)) {
      queue = queue.next;
    }
    return queue;
  }

  /** The first one with a key; null if there is none. */
  @Nullable T first(MatchKey key) {
    MatchQueue<T> queue = find(key);
    return queue == null ? null : queue.first();
  }

  /** Adds one with a key at its turn. */
  void add(T one, MatchKey key) {
    MatchQueue<T> queue = find(key);
    if (queue == null) {
      if (queues == buckets.length) {
        grow();
      }
      queue = unused;
      if (queue == null) {
        queue = new MatchQueue<>(kind);
      } else {
        unused = queue.next;
      }
      queue.key.set(key);
      link(queue);
      queues++;
    }
    queue.add(one);
  }

  private void link(MatchQueue<T> queue) {
    int bucket = queue.key.hash() & buckets.length - 1;
    queue.next = bucket(bucket);
    buckets[bucket] = queue;
  }

  @SuppressWarnings("unchecked") // as in bucket
  private void grow() {
    @Nullable Object[] old = buckets;
    buckets = new @Nullable Object[2 * old.length];
    for (Object first : old) {
      MatchQueue<T> queue = (MatchQueue<T>) first;
      while (queue != null) {
        MatchQueue<T> following = queue.next;
        link(queue);
        queue = following;
      }
    }
  }

  void remove(T one, MatchKey key) {
    MatchQueue<T> queue = find(key);
    if (queue != null) {
      queue.remove(one);
      if (queue.isEmpty()) {
        unlink(queue);
        queue.key.clear();
        queue.next = unused;
        unused = queue;
        queues--;
      }
    }
  }

  private void unlink(MatchQueue<T> queue) {
    int bucket = queue.key.hash() & buckets.length - 1;
    MatchQueue<T> preceding = null;
    MatchQueue<T> each = bucket(bucket);
    while (each != null && each != queue) {
      preceding = each;
      each = each.next;
    }
    if (preceding == null) {
      buckets[bucket] = queue.next;
    } else {
      preceding.next = queue.next;
    }
  }
}
