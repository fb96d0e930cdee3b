// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * How receives of one endpoint end that get no message: the application withdraws them, or the
 * entry has gone that they are directed at. Those take nothing any more, and stay until they are
 * withdrawn. Guarded by the lock of the domain.
 */
final class Withdrawals {
  /** What a receive fails with that was withdrawn. */
  static final String WITHDRAWN = "the receive was withdrawn with cancel";

  private final Poster poster;
  private final SeveralMessages several;
  private final EndpointBindings bindings;

  Withdrawals(Poster poster, SeveralMessages several, EndpointBindings bindings) {
    this.poster = poster;
    this.several = several;
    this.bindings = bindings;
  }

  /** The receive that was posted first with a context, and is not withdrawn; null if none is. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  static @Nullable Operation first(
      List<Operation> all, Predicate<Operation> isReceive, @Nullable Object context) {
    Operation first = null;
    for (Operation each : all) {
      if (isReceive.test(each)
          && each.context == context
          && !each.withdrawn
          && (first == null || each.number < first.number)) {
        first = each;
      }
    }
    return first;
  }

  /** Has libfabric give back a receive; false if it does not have it any more. */
  boolean withdraw(Operation receive) {
    receive.orphaned = receive.orphaned || several.takeBack(receive);
    if (receive.orphaned) {
      receive.withdrawn = true;
      end(receive, new FabricException(Errno.ECANCELED, WITHDRAWN));
    } else {
      receive.withdrawn = receive.withdrawn || receive.severed || poster.cancel(receive);
    }
    return receive.withdrawn;
  }

  /**
   * Withdraws the receives of an endpoint that is being closed, and waits until those have ended
   * that have a part of their message, and reads.
   *
   * @param underWay the operations of the endpoint
   * @return false if some did not end in time
   */
  boolean complete(DomainResources domain, Supplier<List<Operation>> underWay) {
    domain.lock().lock();
    try {
      underWay.get().stream()
          .filter(each -> each.what == CounterFlag.RECEIVE)
          .forEach(poster::cancel);
    } finally {
      domain.lock().unlock();
    }
    return CloseGracePeriod.awaitMessages(
        domain,
        () ->
            underWay.get().stream()
                .anyMatch(
                    each -> each.what == CounterFlag.RECEIVE || each.what == CounterFlag.READ),
        domain::moveAll);
  }

  /** The entry has gone that a receive is directed at. */
  void sever(Operation receive) {
    if (several.takeBack(receive)) {
      receive.severed = true;
      receive.orphaned = true;
      several.ended(receive);
      return;
    }
    receive.severed = receive.severed || (!receive.withdrawn && poster.cancel(receive));
  }

  /** Has the end of a receive reported that libfabric does not have. */
  void end(Operation receive, FabricException reason) {
    CompletionReader reader = bindings.receives();
    if (reader != null) {
      reader.end(receive, reason);
      bindings.wake();
    }
  }
}
