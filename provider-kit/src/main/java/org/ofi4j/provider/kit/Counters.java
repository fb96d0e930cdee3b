// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.core.queue.CoreCounter;
import org.ofi4j.spi.ProgressEngine;

/**
 * The numbers of operations of an endpoint that have ended, by kind, and the counters of the
 * application that are bound to these kinds. Counters are bound until the endpoint is opened, and
 * read without a lock from then on. Operations of one kind end under one lock; any thread reads
 * their numbers.
 */
public final class Counters {
  /** Operations of one kind. */
  static final class Kind {
    private final SingleWriterCounter succeeded = new SingleWriterCounter();
    private final SingleWriterCounter failed = new SingleWriterCounter();
    private final SingleWriterCounter bytes = new SingleWriterCounter();
    private @Nullable CoreCounter counter;

    void succeeded(long moved) {
      succeeded.add(1);
      bytes.add(moved);
    }

    void failed() {
      failed.add(1);
    }

    /** Adds an operation to the counter of the application, after it was reported. */
    void count(boolean hasFailed) {
      CoreCounter bound = counter;
      if (bound != null) {
        bound.count(hasFailed);
      }
    }
  }

  // Fields, as an operation is counted without a look-up then.
  private final Kind sends = new Kind();
  private final Kind receives = new Kind();
  private final Kind reads = new Kind();
  private final Kind writes = new Kind();
  private final Kind remoteReads = new Kind();
  private final Kind remoteWrites = new Kind();

  /** Creates counters that are zero, with none of the application bound. */
  public Counters() {}

  Kind kind(CounterFlag what) {
    return switch (what) {
      case SEND -> sends;
      case RECEIVE -> receives;
      case READ -> reads;
      case WRITE -> writes;
      case REMOTE_READ -> remoteReads;
      case REMOTE_WRITE -> remoteWrites;
    };
  }

  /** Returns whether an operation among flags of {@link CounterFlag} has a counter. */
  boolean countAnyOf(long flags) {
    return Stream.of(CounterFlag.values())
        .anyMatch(what -> (flags & what.mask()) != 0 && has(what));
  }

  /**
   * Returns whether a counter of the application is bound to a kind of operations.
   *
   * @param what the kind
   * @return true if there is one
   */
  public boolean has(CounterFlag what) {
    return kind(what).counter != null;
  }

  void bind(CoreCounter counter, long flags) {
    for (CounterFlag what : CounterFlag.values()) {
      if ((flags & what.mask()) != 0) {
        kind(what).counter = counter;
      }
    }
  }

  /**
   * Adds an operation that has succeeded, before its completion is reported.
   *
   * @param what the kind of the operation
   * @param bytes the number of bytes that were transferred
   */
  public void succeeded(CounterFlag what, long bytes) {
    kind(what).succeeded(bytes);
  }

  /**
   * Adds an operation that has failed, before its completion is reported.
   *
   * @param what the kind of the operation
   */
  public void failed(CounterFlag what) {
    kind(what).failed();
  }

  /**
   * Adds an operation to the counter of the application, if one is bound, after the completion of
   * the operation was reported.
   *
   * @param what the kind of the operation
   * @param failed whether it has failed
   */
  public void count(CounterFlag what, boolean failed) {
    kind(what).count(failed);
  }

  /**
   * Adds several operations to the counter of the application, if one is bound.
   *
   * @param what the kind of the operations
   * @param successes the number of those that have succeeded
   * @param failures the number of those that have failed
   */
  public void add(CounterFlag what, long successes, long failures) {
    CoreCounter counter = kind(what).counter;
    if (counter != null && (successes | failures) != 0) {
      counter.count(successes, failures);
    }
  }

  Stream<ProgressEngine> engines() {
    return Stream.of(CounterFlag.values())
        .map(this::kind)
        .flatMap(kind -> Stream.ofNullable(kind.counter))
        .map(CoreCounter::engine);
  }

  EndpointStatistics statistics(
      long outstandingTransmits, long outstandingReceives, ConnectionStatistics connections) {
    return EndpointStatistics.builder()
        .sends(operations(CounterFlag.SEND))
        .receives(operations(CounterFlag.RECEIVE))
        .reads(operations(CounterFlag.READ))
        .writes(operations(CounterFlag.WRITE))
        .remoteReads(operations(CounterFlag.REMOTE_READ))
        .remoteWrites(operations(CounterFlag.REMOTE_WRITE))
        .outstandingTransmits(outstandingTransmits)
        .outstandingReceives(outstandingReceives)
        .connections(connections)
        .build();
  }

  private EndpointStatistics.Operations operations(CounterFlag what) {
    Kind kind = kind(what);
    return EndpointStatistics.Operations.builder()
        .succeeded(kind.succeeded.get())
        .failed(kind.failed.get())
        .bytes(kind.bytes.get())
        .build();
  }
}
