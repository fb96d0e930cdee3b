// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;

/**
 * A list of operations, linked through themselves, so that one stands in one list at most. For one
 * thread at a time.
 *
 * @param <T> which operations
 */
public class Operations<T extends Operation> {
  private @Nullable T first;
  private @Nullable T last;
  private int size;

  @Nullable T first() {
    return first;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return first == null;
  }

  @SuppressWarnings("unchecked") // only these are added
  @Nullable T after(T operation) {
    return (T) operation.next;
  }

  public void add(T operation) {
    operation.next = null;
    T end = last;
    if (end == null) {
      first = operation;
    } else {
      end.next = operation;
    }
    last = operation;
    size++;
  }

  /** Adds one behind another one of the list, or as the first if that is null. */
  void addAfter(@Nullable T before, T operation) {
    if (before == null) {
      addFirst(operation);
    } else if (before.equals(last)) {
      add(operation);
    } else {
      operation.next = before.next;
      before.next = operation;
      size++;
    }
  }

  void addFirst(T operation) {
    operation.next = first;
    first = operation;
    if (last == null) {
      last = operation;
    }
    size++;
  }

  void clear() {
    first = null;
    last = null;
    size = 0;
  }

  public @Nullable T poll() {
    T taken = first;
    if (taken != null) {
      removeAfter(null, taken);
    }
    return taken;
  }

  /** Takes one whose predecessor is known, null being that of the first. */
  void removeAfter(@Nullable T before, T operation) {
    T following = after(operation);
    if (before == null) {
      first = following;
    } else {
      before.next = following;
    }
    if (following == null) {
      last = before;
    }
    operation.next = null;
    size--;
  }

  /** Moves all of another list to the end of this one. */
  public void takeAll(Operations<T> other) {
    for (T each = other.poll(); each != null; each = other.poll()) {
      add(each);
    }
  }
}
