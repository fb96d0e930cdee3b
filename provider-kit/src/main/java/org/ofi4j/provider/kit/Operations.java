// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;

/**
 * A list of operations in order, linked through the operations themselves: adding one allocates
 * nothing, and an operation is in at most one list. For one thread at a time.
 *
 * @param <T> the class of the operations
 */
public class Operations<T extends Operation> {
  private @Nullable T first;
  private @Nullable T last;
  private int size;

  /** An empty list. */
  public Operations() {}

  /**
   * Returns the first operation.
   *
   * @return the operation; null if the list is empty
   */
  public final @Nullable T first() {
    return first;
  }

  /**
   * Returns the number of operations.
   *
   * @return the number, 0 or more
   */
  public final int size() {
    return size;
  }

  /**
   * Returns whether there is no operation.
   *
   * @return true if the list is empty
   */
  public final boolean isEmpty() {
    return first == null;
  }

  /**
   * Returns the operation behind another one.
   *
   * @param operation an operation of the list
   * @return the next one; null behind the last one
   */
  @SuppressWarnings("unchecked") // only these are added
  public final @Nullable T after(T operation) {
    return (T) operation.next;
  }

  /**
   * Adds an operation behind all others.
   *
   * @param operation an operation that is in no list
   */
  public final void add(T operation) {
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

  /**
   * Adds one behind another one of the list, or as the first if that is null.
   *
   * @param before an operation of the list, or null
   * @param operation an operation that is in no list
   */
  public final void addAfter(@Nullable T before, T operation) {
    if (before == null) {
      operation.next = first;
      first = operation;
      if (last == null) {
        last = operation;
      }
      size++;
    } else if (before.equals(last)) {
      add(operation);
    } else {
      operation.next = before.next;
      before.next = operation;
      size++;
    }
  }

  /**
   * Takes out the first one; returns null if there is none.
   *
   * @return the operation, or null
   */
  public @Nullable T poll() {
    T taken = first;
    if (taken != null) {
      removeAfter(null, taken);
    }
    return taken;
  }

  /**
   * Takes out one whose predecessor is known; that of the first one is null.
   *
   * @param before the operation in front of it, or null
   * @param operation the operation to take out
   */
  public final void removeAfter(@Nullable T before, T operation) {
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

  /**
   * Takes out the first one with a context, compared by identity as in C; null if there is none.
   *
   * @param context the context
   * @return the operation, or null
   */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity
  public final @Nullable T remove(@Nullable Object context) {
    T before = null;
    for (T each = first; each != null; each = after(each)) {
      if (each.context == context) {
        removeAfter(before, each);
        return each;
      }
      before = each;
    }
    return null;
  }

  /**
   * Moves all of another list to the end of this one.
   *
   * @param other another list, which becomes empty
   */
  public final void takeAll(Operations<T> other) {
    for (T each = other.poll(); each != null; each = other.poll()) {
      add(each);
    }
  }

  /** Forgets all. */
  public final void clear() {
    first = null;
    last = null;
    size = 0;
  }
}
