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
  /** Those with one key. */
  static final class Keyed<T extends Matchable> extends MatchQueue<T> {
    final MatchKey key = new MatchKey();

    /** The next one in the same bucket, or among the unused ones. */
    @Nullable Keyed<T> next;

    Keyed(int kind) {
      super(kind);
    }
  }

  private static final int FIRST_LENGTH = 16;

  private final int kind;

  // Lists of the queues whose keys' hashes end in the same bits.
  private @Nullable Keyed<T>[] buckets = buckets(FIRST_LENGTH);
  private int queues;
  private @Nullable Keyed<T> unused;

  /**
   * An empty table.
   *
   * @param kind which links its queues use
   */
  MatchTable(int kind) {
    this.kind = kind;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // arrays have no type arguments
  private static <T extends Matchable> @Nullable Keyed<T>[] buckets(int length) {
    return new @Nullable Keyed[length];
  }

  /** Those with a key, in their order; null if there are none. */
  @Nullable Keyed<T> find(MatchKey key) {
    Keyed<T> queue = buckets[key.hash() & buckets.length - 1];
    while (queue != null && !queue.key.is(key)) {
      queue = queue.next;
    }
    return queue;
  }

  /** The first one with a key; null if there is none. */
  @Nullable T first(MatchKey key) {
    Keyed<T> queue = find(key);
    return queue == null ? null : queue.first();
  }

  /** Adds one with a key at its turn. */
  void add(T one, MatchKey key) {
    Keyed<T> queue = find(key);
    if (queue == null) {
      if (queues == buckets.length) {
        grow();
      }
      queue = unused;
      if (queue == null) {
        queue = new Keyed<>(kind);
      } else {
        unused = queue.next;
      }
      queue.key.set(key);
      link(queue);
      queues++;
    }
    queue.add(one);
  }

  private void link(Keyed<T> queue) {
    int bucket = queue.key.hash() & buckets.length - 1;
    queue.next = buckets[bucket];
    buckets[bucket] = queue;
  }

  private void grow() {
    @Nullable Keyed<T>[] old = buckets;
    buckets = buckets(2 * old.length);
    for (Keyed<T> first : old) {
      Keyed<T> queue = first;
      while (queue != null) {
        Keyed<T> following = queue.next;
        link(queue);
        queue = following;
      }
    }
  }

  void remove(T one, MatchKey key) {
    Keyed<T> queue = find(key);
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

  private void unlink(Keyed<T> queue) {
    int bucket = queue.key.hash() & buckets.length - 1;
    Keyed<T> preceding = null;
    Keyed<T> each = buckets[bucket];
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
