// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.kit.Binding;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.progress.NativeProgress;

/**
 * The libfabric domain, queues and counters that an endpoint is bound to. Those that are the
 * endpoint's own are opened before it and closed after it.
 *
 * @param on the libfabric domain that the endpoint is opened on
 * @param transmits reads what has become of sends; null if nothing is sent
 * @param receives reads what was received; null if nothing is
 * @param engines what moves the data
 * @param own readers that are nobody else's, closed with the endpoint
 * @param accesses counts what peers do to memory here, if somebody wants to know it; closed with
 *     the endpoint
 */
record EndpointBindings(
    NativeDomain on,
    @Nullable CompletionReader transmits,
    @Nullable CompletionReader receives,
    List<NativeProgress> engines,
    List<CompletionReader> own,
    @Nullable AccessCounters accesses) {
  /**
   * Opens what an endpoint needs that is about to be opened; with the lock of the domain held.
   *
   * @param backends returns what is behind a queue of the domain
   * @param out what sends are reported to; null if nothing is sent
   * @param in what receives are reported to; null if nothing is received
   */
  static EndpointBindings open(
      DomainResources domain,
      Function<CoreCompletionQueue, ReportedQueue> backends,
      @Nullable Binding out,
      @Nullable Binding in,
      List<NativeProgress> engines) {
    NativeDomain on = domain.domains().take();
    List<CompletionReader> own = new ArrayList<>();
    try {
      CompletionReader transmits = reader(domain, on, backend(backends, out), own);
      CompletionReader receives = reader(domain, on, backend(backends, in), own);
      AccessCounters accesses = AccessCounters.of(on, Binding.counters(out, in));
      return new EndpointBindings(on, transmits, receives, engines, own, accesses);
    } catch (RuntimeException | Error refused) {
      own.forEach(CompletionReader::close);
      domain.domains().giveBack(on);
      throw refused;
    }
  }

  /** Returns what a direction reports to, which may be counters alone; null if it is not used. */
  private static @Nullable ReportedQueue backend(
      Function<CoreCompletionQueue, ReportedQueue> backends, @Nullable Binding binding) {
    if (binding == null) {
      return null;
    }
    CoreCompletionQueue queue = binding.queue();
    return queue == null
        ? new ReportedQueue(CompletionQueueOptions.DEFAULT_SIZE)
        : backends.apply(queue);
  }

  /** Returns the reader of a direction: that of its queue, or one of the endpoint. */
  @SuppressWarnings("ReferenceEquality") // a queue is itself and no other
  private static @Nullable CompletionReader reader(
      DomainResources domain,
      NativeDomain on,
      @Nullable ReportedQueue reported,
      List<CompletionReader> own) {
    if (reported == null) {
      return null;
    }
    if (reported.reader() != null) {
      return reported.reader();
    }
    for (CompletionReader each : own) {
      if (each.reported() == reported) {
        return each;
      }
    }
    CompletionReader opened = new CompletionReader(domain, on, reported);
    own.add(opened);
    return opened;
  }

  /** Binds an endpoint to the queues and counters. */
  @SuppressWarnings("ReferenceEquality") // one reader may be both
  void bind(NativeEndpoint opened) {
    long both = Capability.SEND.mask() | Capability.RECEIVE.mask();
    if (transmits != null) {
      boolean same = transmits == receives;
      opened.bind(transmits.queue(), same ? both : Capability.SEND.mask());
    }
    if (receives != null && receives != transmits) {
      opened.bind(receives.queue(), Capability.RECEIVE.mask());
    }
    if (accesses != null) {
      accesses.bind(opened);
    }
  }

  /** Has the queues looked at by those who wait for them. */
  void wake() {
    for (NativeProgress engine : engines) {
      engine.changed();
    }
  }

  /** Does something with each reader of completions. */
  @SuppressWarnings("ReferenceEquality") // one reader may be both
  void eachReader(Consumer<CompletionReader> use) {
    if (transmits != null) {
      use.accept(transmits);
    }
    if (receives != null && receives != transmits) {
      use.accept(receives);
    }
  }

  /** Leaves open in libfabric for ever what an endpoint needs that is left open too. */
  void abandon(DomainResources domain) {
    if (accesses != null) {
      accesses.abandon();
    }
    own.forEach(each -> each.queue().abandon());
    domain.domains().abandon(on);
  }

  /**
   * Closes what is of the endpoint alone. The endpoint is closed, and the lock of the domain has
   * been held since then: libfabric must not move data of a domain whose endpoint is gone.
   *
   * @param destinations what the endpoint was bound to; null if it was not
   */
  void close(DomainResources domain, @Nullable Destinations destinations) {
    if (accesses != null) {
      accesses.close();
    }
    own.forEach(CompletionReader::close);
    if (destinations != null) {
      destinations.left();
    }
    domain.domains().giveBack(on);
  }
}
