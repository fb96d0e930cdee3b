// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Operations of an endpoint that are under way, in the order of posting. Guarded by the lock of the
 * domain.
 */
final class OperationList {
  private @Nullable Operation first;
  private @Nullable Operation last;

  void add(Operation operation) {
    operation.previous = last;
    operation.next = null;
    if (last == null) {
      first = operation;
    } else {
      last.next = operation;
    }
    last = operation;
  }

  void remove(Operation operation) {
    if (operation.previous == null) {
      first = operation.next;
    } else {
      operation.previous.next = operation.next;
    }
    if (operation.next == null) {
      last = operation.previous;
    } else {
      operation.next.previous = operation.previous;
    }
    operation.previous = null;
    operation.next = null;
  }

  boolean isEmpty() {
    return first == null;
  }

  /** The first one; null if there is none. */
  @Nullable Operation first() {
    return first;
  }

  /** The first that was posted with a context; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  @Nullable Operation find(@Nullable Object context) {
    Operation each = first;
    while (each != null && (each.context != context || each.withdrawn)) {
      each = each.next;
    }
    return each;
  }
}
