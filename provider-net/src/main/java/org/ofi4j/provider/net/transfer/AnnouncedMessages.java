// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The large messages that are announced over one connection, by those who send them or by those who
 * receive them: up to 255, each with a number from 1 on. For one thread at a time.
 *
 * @param <T> what stands for a message
 */
public class AnnouncedMessages<T> {
  private static final int NUMBERS = 256;

  // Made when it is first needed, because most connections have none.
  private @Nullable Object @Nullable [] all;
  private int last;

  /** A number that is not in use; 0 if all are. */
  int unused() {
    @Nullable Object[] numbers = all;
    if (numbers == null) {
      return 1;
    }
    // Not the one that was given back last, so that mistakes show.
    for (int i = 1; i < NUMBERS; i++) {
      int number = (last + i - 1) % (NUMBERS - 1) + 1;
      if (numbers[number] == null) {
        return number;
      }
    }
    return 0;
  }

  /** Whether a number may be used for another one. */
  public boolean isUnused(int number) {
    return number > 0 && (all == null || all[number] == null);
  }

  public void put(int number, T message) {
    @Nullable Object[] numbers = all;
    if (numbers == null) {
      numbers = new @Nullable Object[NUMBERS];
      all = numbers;
    }
    numbers[number] = message;
    last = number;
  }

  /** The one with a number; null if there is none. */
  @SuppressWarnings("unchecked") // only these are put in
  public @Nullable T at(int number) {
    return all == null ? null : (T) all[number];
  }

  public void remove(int number) {
    if (all != null) {
      all[number] = null;
    }
  }

  boolean contains(Predicate<T> kind) {
    for (int number = 1; all != null && number < NUMBERS; number++) {
      T message = at(number);
      if (message != null && kind.test(message)) {
        return true;
      }
    }
    return false;
  }

  public boolean isEmpty() {
    return !contains(_ -> true);
  }

  public void forEach(Consumer<T> each) {
    for (int number = 1; all != null && number < NUMBERS; number++) {
      T message = at(number);
      if (message != null) {
        each.accept(message);
      }
    }
  }

  public void removeAll(Consumer<T> each) {
    forEach(each);
    all = null;
  }
}
