// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.libfabric.library.Constants;

/**
 * Buffers for several messages of one endpoint. Libfabric has each as a receive for one message,
 * which is posted again with what is left of the buffer: its own {@code FI_MULTI_RECV} writes past
 * the buffer when a message is longer than what is left ({@code util_srx}), or crashes.
 *
 * <p>Untagged receives take messages in the order of posting. So those that are posted behind a
 * buffer wait in a line until the buffer is full. Guarded by the lock of the domain.
 */
final class SeveralMessages {
  private static final long SEVERAL = TransferFlag.MULTI_RECEIVE.mask();

  /** How little must be left of a buffer, unless the endpoint says otherwise; as over tcp. */
  private static final long DEFAULT_LEAST = 64;

  private final NativeTraffic traffic;
  private final long least;

  /** The buffer that takes messages; null if none does. */
  private @Nullable Operation filling;

  /** Whether libfabric has no space for it at present. */
  private boolean unposted;

  // The receives behind it, which libfabric does not have yet.
  private @Nullable Operation first;
  private @Nullable Operation last;

  /**
   * There is none yet.
   *
   * @param least how much must be left of a buffer for it to take another message; 0 for the
   *     default
   */
  SeveralMessages(NativeTraffic traffic, long least) {
    this.traffic = traffic;
    this.least = least == 0 ? DEFAULT_LEAST : least;
  }

  static boolean isBuffer(Operation operation) {
    return operation.what == CounterFlag.RECEIVE && (operation.flags & SEVERAL) != 0;
  }

  /** Whether a receive has to wait for a buffer that was posted before it. */
  boolean precede(Operation receive) {
    return !receive.tagged && (filling != null || first != null);
  }

  /** Puts a receive behind all others. */
  void add(Operation receive) {
    receive.next = null;
    if (last == null) {
      first = receive;
    } else {
      last.next = receive;
    }
    last = receive;
  }

  /** Libfabric has a receive. */
  void posted(Operation receive) {
    if (isBuffer(receive)) {
      filling = receive;
    }
  }

  /**
   * A message is in a buffer. Whether the buffer takes another one; then it {@linkplain #postAgain
   * is to be posted again}.
   */
  boolean takesMore(Operation buffer, long length) {
    buffer.filled += length;
    return !buffer.withdrawn && buffer.length - buffer.filled >= least;
  }

  /** Posts what is left of the buffer that takes messages. */
  void postAgain() {
    unposted = true;
    post();
  }

  /** A receive has ended: those behind it are posted if it was the buffer that took messages. */
  @SuppressWarnings("ReferenceEquality") // an operation is itself and no other
  void ended(Operation receive) {
    if (receive == filling) {
      filling = null;
      unposted = false;
      post();
    }
  }

  /** Whether something is to be posted that libfabric had no space for. */
  boolean isDue() {
    return unposted || (filling == null && first != null);
  }

  /** Tries again to post it. */
  void retry() {
    if (isDue()) {
      post();
    }
  }

  /**
   * Takes a receive back that libfabric does not have.
   *
   * @return false if it has it
   */
  @SuppressWarnings("ReferenceEquality") // an operation is itself and no other
  boolean takeBack(Operation receive) {
    if (receive == filling && unposted) {
      unposted = false;
      return true;
    }
    Operation before = null;
    for (Operation each = first; each != null; before = each, each = each.next) {
      if (each == receive) {
        if (before == null) {
          first = each.next;
        } else {
          before.next = each.next;
        }
        if (last == each) {
          last = before;
        }
        each.next = null;
        return true;
      }
    }
    return false;
  }

  /** Takes all back that libfabric does not have. */
  void clear(Consumer<Operation> taken) {
    Operation each = first;
    first = null;
    last = null;
    while (each != null) {
      Operation behind = each.next;
      each.next = null;
      taken.accept(each);
      each = behind;
    }
  }

  private void post() {
    if (!traffic.takesReceives()) {
      return;
    }
    Operation buffer = filling;
    if (buffer != null) {
      if (unposted) {
        unposted = !attempt(buffer);
      }
      return;
    }
    while (first != null && filling == null) {
      Operation next = first;
      if (!attempt(next)) {
        return;
      }
      takeBack(next);
    }
  }

  /** Whether libfabric has a receive now, or never will; false if it has no space for it. */
  private boolean attempt(Operation receive) {
    int errno = traffic.poster.post(receive);
    if (errno == Constants.TRY_AGAIN) {
      return false;
    }
    if (errno < 0) {
      traffic.withdrawals.end(receive, traffic.outcomes.refused(receive, errno));
    } else {
      posted(receive);
    }
    return true;
  }
}
