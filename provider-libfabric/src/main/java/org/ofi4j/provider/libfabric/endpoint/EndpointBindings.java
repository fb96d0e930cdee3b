// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.progress.NativeProgress;

/**
 * The libfabric domain, queues and counters that an endpoint is bound to. Those that are the
 * endpoint's own are opened before it and closed after it.
 *
 * @param on the libfabric domain that the endpoint is opened on
 * @param transmits reads completions of sends; null if nothing is sent
 * @param receives reads completions of receives; null if nothing is received
 * @param engines have the queues read
 * @param own readers of this endpoint alone, closed with the endpoint
 * @param accesses counts what peers do to memory here, if the application has a counter for it;
 *     closed with the endpoint
 */
record EndpointBindings(
    NativeDomain on,
    @Nullable CompletionReader transmits,
    @Nullable CompletionReader receives,
    List<NativeProgress> engines,
    List<CompletionReader> own,
    @Nullable AccessCounters accesses) {
  /** Opens what an endpoint needs that is about to be opened; with the lock of the domain held. */
  static EndpointBindings open(
      DomainResources domain, EndpointOpening opening, List<NativeProgress> engines) {
    NativeDomain on = domain.domains.take();
    List<CompletionReader> own = new ArrayList<>();
    try (Rollback rollback = new Rollback()) {
      rollback.add(() -> domain.domains.giveBack(on));
      rollback.add(() -> own.forEach(CompletionReader::close));
      Completions out = opening.sends();
      Completions in = opening.receives();
      CompletionReader transmits = out == null ? null : reader(domain, on, out, own);
      boolean isSame =
          out != null
              && in != null
              && out.queueEngine() != null
              && Objects.equals(in.queueEngine(), out.queueEngine());
      CompletionReader receives =
          isSame ? transmits : in == null ? null : reader(domain, on, in, own);
      AccessCounters accesses = AccessCounters.of(on, opening.counters());
      return rollback.keep(new EndpointBindings(on, transmits, receives, engines, own, accesses));
    }
  }

  /** Returns the reader of a direction: that of its queue, or one of the endpoint. */
  private static CompletionReader reader(
      DomainResources domain, NativeDomain on, Completions reported, List<CompletionReader> own) {
    NativeProgress engine = (NativeProgress) reported.queueEngine();
    if (engine != null && engine.reader() instanceof CompletionReader shared) {
      return shared;
    }
    // A direction may report to counters alone.
    int entries = engine == null ? CompletionQueueOptions.DEFAULT_SIZE : engine.entries();
    CompletionReader opened = new CompletionReader(domain, on, entries);
    own.add(opened);
    return opened;
  }

  /** Binds an endpoint to the queues and counters. */
  void bind(NativeEndpoint opened) {
    for (CompletionReader each : readers()) {
      long out = each.equals(transmits) ? Capability.SEND.mask() : 0;
      long in = each.equals(receives) ? Capability.RECEIVE.mask() : 0;
      opened.bind(each.queue(), out | in);
    }
    if (accesses != null) {
      accesses.bind(opened);
    }
  }

  /** Returns the readers of completions; one may read those of sends and receives. */
  Set<CompletionReader> readers() {
    Set<CompletionReader> readers = new LinkedHashSet<>();
    if (transmits != null) {
      readers.add(transmits);
    }
    if (receives != null) {
      readers.add(receives);
    }
    return readers;
  }

  /** Leaves open in libfabric for ever what an endpoint needs that is left open too. */
  void abandon(DomainResources domain) {
    if (accesses != null) {
      accesses.abandon();
    }
    own.forEach(each -> each.queue().abandon());
    domain.domains.abandon(on);
  }

  /**
   * Closes what is of the endpoint alone. The endpoint is closed, and the lock of the domain has
   * been held since then: libfabric must not move data of a domain whose endpoint is gone.
   */
  void close(DomainResources domain) {
    if (accesses != null) {
      accesses.close();
    }
    own.forEach(CompletionReader::close);
    domain.domains.giveBack(on);
  }
}
