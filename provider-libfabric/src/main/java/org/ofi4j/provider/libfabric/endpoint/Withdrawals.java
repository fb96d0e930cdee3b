// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * How receives of one endpoint end that get no message: the application withdraws them, or the
 * entry has gone that they are directed at. Those take nothing any more, and stay until they are
 * withdrawn. Guarded by the lock of the domain.
 */
final class Withdrawals {
  private final NativeTraffic traffic;

  Withdrawals(NativeTraffic traffic) {
    this.traffic = traffic;
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  boolean cancel(@Nullable Object context) {
    if (traffic.outstandingReceives() == 0) {
      return false;
    }
    Operation first = null;
    for (Operation each : traffic.domain.contexts().all()) {
      if (traffic.isReceive(each)
          && each.context == context
          && !each.withdrawn
          && (first == null || each.number < first.number)) {
        first = each;
      }
    }
    return first != null && traffic.withdraw(first);
  }

  /** Has libfabric give back a receive; false if it does not have it any more. */
  boolean withdraw(Operation receive) {
    if (receive.orphaned) {
      receive.withdrawn = true;
      end(receive, new FabricException(Errno.ECANCELED, Outcomes.WITHDRAWN));
    } else {
      receive.withdrawn = receive.withdrawn || receive.severed || traffic.poster.cancel(receive);
    }
    return receive.withdrawn;
  }

  /** The entry has gone that a receive is directed at. */
  void sever(Operation receive) {
    receive.severed = receive.severed || (!receive.withdrawn && traffic.poster.cancel(receive));
  }

  /** Has the end of a receive reported that libfabric does not have. */
  void end(Operation receive, FabricException reason) {
    CompletionReader reader = traffic.ends.receives();
    if (reader != null) {
      reader.end(receive, reason);
      traffic.wake();
    }
  }
}
