// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.core.object.Tally;

/**
 * How many operations of an endpoint have ended, by kind. Operations of one kind end under one
 * lock; any thread reads.
 */
public final class OperationTotals {
  /** Those of one kind. */
  private static final class Kind {
    private final Tally succeeded = new Tally();
    private final Tally failed = new Tally();
    private final Tally bytes = new Tally();
  }

  /** By the bit of the flag. */
  private final @Nullable Kind[] kinds = new @Nullable Kind[Long.SIZE];

  OperationTotals() {
    for (CounterFlag what : CounterFlag.values()) {
      kinds[place(what)] = new Kind();
    }
  }

  private static int place(CounterFlag what) {
    return Long.numberOfTrailingZeros(what.mask());
  }

  /** An operation has succeeded, which nobody knows yet; it has moved so many bytes. */
  public void succeeded(CounterFlag what, long bytes) {
    Kind kind = kind(what);
    kind.succeeded.add(1);
    kind.bytes.add(bytes);
  }

  /** An operation has failed, which nobody knows yet. */
  public void failed(CounterFlag what) {
    kind(what).failed.add(1);
  }

  private Kind kind(CounterFlag what) {
    return Objects.requireNonNull(kinds[place(what)]);
  }

  EndpointStatistics statistics(
      long outstandingTransmits, long outstandingReceives, ConnectionStatistics connections) {
    return new EndpointStatistics(
        operations(CounterFlag.SEND),
        operations(CounterFlag.RECEIVE),
        operations(CounterFlag.READ),
        operations(CounterFlag.WRITE),
        operations(CounterFlag.REMOTE_READ),
        operations(CounterFlag.REMOTE_WRITE),
        outstandingTransmits,
        outstandingReceives,
        connections);
  }

  private EndpointStatistics.Operations operations(CounterFlag what) {
    Kind kind = kind(what);
    return new EndpointStatistics.Operations(
        kind.succeeded.get(), kind.failed.get(), kind.bytes.get());
  }
}
