// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.progress.NativeProgress;

/**
 * What is around an endpoint.
 *
 * @param transmits reads what has become of sends; null if nothing is sent
 * @param receives reads what was received; null if nothing is
 * @param engines what moves the data
 * @param own readers that are nobody else's, closed with the endpoint
 * @param accesses counts what peers do to memory here, if somebody wants to know it; closed with
 *     the endpoint
 */
record Ends(
    @Nullable CompletionReader transmits,
    @Nullable CompletionReader receives,
    List<NativeProgress> engines,
    List<CompletionReader> own,
    @Nullable AccessCounters accesses) {
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
}
