// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Senders by address: a hash table with open addressing, so that finding one allocates nothing. For
 * one thread at a time.
 *
 * @param <T> what is known of them
 */
public final class Senders<T extends Sender> {
  private static final int FIRST_SIZE = 64;

  private final Predicate<T> missed;
  private @Nullable Object[] table = new @Nullable Object[FIRST_SIZE];
  private int size;
  private long forgotten;

  /** Keeps those that have a use. */
  public Senders() {
    this(_ -> false);
  }

  /**
   * Keeps some others, too.
   *
   * @param missed whether one that has no use is kept, because somebody waits for its return
   */
  public Senders(Predicate<T> missed) {
    this.missed = missed;
  }

  @SuppressWarnings("unchecked") // nothing else is there; arrays have no type arguments
  private @Nullable T at(int slot) {
    return (T) table[slot];
  }

  public @Nullable T find(long high, long low, long scopeAndPort) {
    int mask = table.length - 1;
    for (int slot = slot(high, low, scopeAndPort) & mask; ; slot = slot + 1 & mask) {
      T present = at(slot);
      if (present == null || present.is(high, low, scopeAndPort)) {
        return present;
      }
    }
  }

  /** Returns how many have been forgotten so far, which happens when one is added. */
  public long forgotten() {
    return forgotten;
  }

  /** Adds one that is not there. */
  public void add(T sender) {
    if (2 * (size + 1) > table.length) {
      rebuild();
    }
    place(sender);
    size++;
  }

  public void forEach(Consumer<? super T> action) {
    for (int slot = 0; slot < table.length; slot++) {
      T sender = at(slot);
      if (sender != null) {
        action.accept(sender);
      }
    }
  }

  /** Forgets those that have no use, and makes the table larger if those that have fill it. */
  private void rebuild() {
    List<T> staying = new ArrayList<>();
    forEach(sender -> {
      if (stays(sender)) {
        staying.add(sender);
      } else {
        sender.forgotten();
        forgotten++;
      }
    });
    size = staying.size();
    table =
        new @Nullable Object[Math.max(FIRST_SIZE, Integer.highestOneBit(Math.max(1, size)) << 3)];
    staying.forEach(this::place);
  }

  private boolean stays(T sender) {
    return !sender.isForgettable() || missed.test(sender);
  }

  private void place(T sender) {
    int mask = table.length - 1;
    int slot = slot(sender.high, sender.low, sender.scopeAndPort) & mask;
    while (table[slot] != null) {
      slot = slot + 1 & mask;
    }
    table[slot] = sender;
  }

  private static int slot(long high, long low, long scopeAndPort) {
    long mixed = (high * 31 + low) * 31 + scopeAndPort;
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }
}
