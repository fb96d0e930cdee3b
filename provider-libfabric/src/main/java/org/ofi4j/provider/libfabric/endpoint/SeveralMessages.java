// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operations;

/**
 * Buffers for several messages of one endpoint. Libfabric has each as a receive for one message,
 * which is posted again with what is left of the buffer: its own {@code FI_MULTI_RECV} writes past
 * the buffer when a message is longer than what is left ({@code util_srx}), or crashes.
 *
 * <p>Untagged receives take messages in the order of posting. So those that are posted behind a
 * buffer wait in a line until the buffer is full. Guarded by the lock of the domain.
 */
final class SeveralMessages {
  /** How little must be left of a buffer, unless the endpoint says otherwise; as over tcp. */
  private static final long DEFAULT_LEAST = 64;

  private final Predicate<NativeOperation> posting;
  private final long least;

  /** The buffer that takes messages; null if none does. */
  private @Nullable NativeOperation filling;

  /** Whether libfabric has no space for it at present. */
  private boolean unposted;

  /** The receives behind it, which libfabric does not have yet. */
  private final Operations<NativeOperation> behind = new Operations<>();

  /**
   * Creates the buffers of an endpoint, none at first.
   *
   * @param posting posts a receive to libfabric, or fails it; returns false if libfabric cannot
   *     take it at present
   * @param least how much must be left of a buffer for it to take another message; 0 for the
   *     default
   */
  SeveralMessages(Predicate<NativeOperation> posting, long least) {
    this.posting = posting;
    this.least = least == 0 ? DEFAULT_LEAST : least;
  }

  /** Whether a receive has to wait for a buffer that was posted before it. */
  boolean precede(NativeOperation receive) {
    return !receive.tagged && (filling != null || !behind.isEmpty());
  }

  /** Puts a receive behind all others. */
  void add(NativeOperation receive) {
    behind.add(receive);
  }

  /** Libfabric has a receive. */
  void posted(NativeOperation receive) {
    if (receive.takesSeveral()) {
      filling = receive;
    }
  }

  /**
   * A message is in a buffer. Whether the buffer takes another one; then it {@linkplain #postAgain
   * is to be posted again}.
   */
  boolean takesMore(NativeOperation buffer, long length) {
    buffer.filled += length;
    return !buffer.withdrawn && buffer.size - buffer.filled >= least;
  }

  /** Posts what is left of the buffer that takes messages. */
  void postAgain() {
    unposted = true;
    post();
  }

  /** A receive has ended: those behind it are posted if it was the buffer that took messages. */
  @SuppressWarnings("ReferenceEquality") // an operation is itself and no other
  void ended(NativeOperation receive) {
    if (receive == filling) {
      filling = null;
      unposted = false;
      post();
    }
  }

  /** Whether something is to be posted that libfabric had no space for. */
  boolean isDue() {
    return unposted || (filling == null && !behind.isEmpty());
  }

  /**
   * Takes a receive back that libfabric does not have.
   *
   * @return false if it has it
   */
  @SuppressWarnings("ReferenceEquality") // an operation is itself and no other
  boolean takeBack(NativeOperation receive) {
    if (receive == filling && unposted) {
      unposted = false;
      return true;
    }
    NativeOperation before = null;
    for (NativeOperation each = behind.first(); each != null; each = behind.after(each)) {
      if (each == receive) {
        behind.removeAfter(before, each);
        return true;
      }
      before = each;
    }
    return false;
  }

  /** Takes all back that libfabric does not have. */
  void clear(Consumer<NativeOperation> taken) {
    for (NativeOperation each = behind.poll(); each != null; each = behind.poll()) {
      taken.accept(each);
    }
  }

  /** Posts what is to be posted, as far as libfabric has space for it. */
  void post() {
    if (filling != null) {
      if (unposted) {
        unposted = !posting.test(filling);
      }
      return;
    }
    NativeOperation next = behind.poll();
    while (next != null && posting.test(next)) {
      next = filling == null ? behind.poll() : null;
    }
    if (next != null) {
      behind.addAfter(null, next);
    }
  }
}
