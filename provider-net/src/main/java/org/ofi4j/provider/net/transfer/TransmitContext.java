// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import static org.ofi4j.provider.kit.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.OperationPool;
import org.ofi4j.provider.kit.Operations;

/**
 * The sends of an endpoint, or of one transmit context of a scalable endpoint: their number is
 * bounded, and they end in one completion queue. Guarded by the lock of the endpoint, but {@link
 * #outstanding}.
 */
public final class TransmitContext {
  private final Completions completions;
  private final OperationPool<Send> pool;

  // Of a scalable endpoint: sends are dropped without a report.
  private boolean closed;

  public TransmitContext(Completions completions, int size) {
    this.completions = completions;
    pool = new OperationPool<>(size, () -> new Send(this));
  }

  /** Takes an idle send; returns null if all are under way. */
  public @Nullable Send take(CounterFlag what, boolean tagged) {
    if (closed) {
      throw invalid("the transmit context is closed: open it again");
    }
    return pool.take(what, tagged);
  }

  /** Reports and posts nothing any more. */
  public void close() {
    closed = true;
    completions.detach();
    pool.clear();
  }

  boolean isClosed() {
    return closed;
  }

  /** Returns whether the application hears of the success of a send. */
  boolean tells(Send send) {
    return !completions.isSilent(send) && completions.tells(send.what);
  }

  /** Takes its sends out of those that wait for a connection. */
  public void withdrawFrom(Operations<Send> waiting) {
    Send before = null;
    Send each = waiting.first();
    while (each != null) {
      Send following = waiting.after(each);
      if (equals(each.owner())) {
        waiting.removeAfter(before, each);
      } else {
        before = each;
      }
      each = following;
    }
  }

  public void report(Send send) {
    if (!closed) {
      completions.report(send);
    }
  }

  public void fail(Send send, Errno errno, String reason) {
    send.fail(errno, reason);
    report(send);
  }

  public void reportKept() {
    completions.reportKept();
  }

  /** Returns how many sends are under way, or were not reported; for any thread. */
  public long outstanding() {
    return pool.outstanding();
  }
}
