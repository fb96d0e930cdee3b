// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.provider.kit.Counters;
import org.ofi4j.provider.libfabric.library.NativeCounter;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;

/**
 * Counts what peers do to the memory that an endpoint lets them reach: libfabric tells of it by
 * counters alone ({@code FI_RMA_EVENT}), and what those have more than before is added to ours. The
 * lock of the domain guards all.
 */
final class AccessCounters {
  private static final List<CounterFlag> ACCESSES =
      List.of(CounterFlag.REMOTE_READ, CounterFlag.REMOTE_WRITE);

  /** A counter of libfabric's, and how much of it ours has. */
  private static final class Counted {
    private final CounterFlag what;
    private final NativeCounter counter;
    private long successes;
    private long failures;

    Counted(CounterFlag what, NativeCounter counter) {
      this.what = what;
      this.counter = counter;
    }
  }

  private final Counters ours;
  private final List<Counted> all = new ArrayList<>();

  private AccessCounters(NativeDomain domain, Counters ours) {
    this.ours = ours;
    try {
      ACCESSES.stream()
          .filter(ours::has)
          .forEach(what -> all.add(new Counted(what, new NativeCounter(domain))));
    } catch (RuntimeException | Error refused) {
      close();
      throw refused;
    }
  }

  /** Opens a counter of libfabric's for each of those kinds that is counted; null for none. */
  static @Nullable AccessCounters of(NativeDomain domain, Counters ours) {
    return ACCESSES.stream().anyMatch(ours::has) ? new AccessCounters(domain, ours) : null;
  }

  /** Has them count for an endpoint, which is not enabled yet. */
  void bind(NativeEndpoint endpoint) {
    for (Counted each : all) {
      endpoint.bind(each.counter, each.what.mask());
    }
  }

  /** Adds what has happened since the last time. */
  void count() {
    for (Counted each : all) {
      long successes = each.counter.read();
      long failures = each.counter.readErrors();
      ours.add(each.what, successes - each.successes, failures - each.failures);
      each.successes = successes;
      each.failures = failures;
    }
  }

  /** Leaves libfabric's counters open for ever. */
  void abandon() {
    all.forEach(each -> each.counter.abandon());
  }

  /** Closes libfabric's counters; the endpoint is closed. */
  void close() {
    for (Counted each : all) {
      each.counter.close();
    }
  }
}
