// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.object.StrayInterrupt;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.store.Ipv4Searches;
import org.ofi4j.core.store.PackedLookups;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.ShortSearches;

/**
 * Short ways into the mapped file that this process has as the one with the entries of a vector:
 * {@link PackedLookups}; and for searches {@link Ipv4Searches}, and after them its runs. Once
 * another file has the entries of a named vector, nothing is found in this one ({@link
 * ReplacedSlots}).
 */
final class MappedLookups implements ShortSearches {
  /**
   * A file; its fields are final, and so complete for whoever finds it.
   *
   * @param runs those of runs, where each address has one entry at most; else null
   */
  private record Source(Ipv4Searches searches, @Nullable Runs runs) {}

  private final PackedLookups lookups = PackedLookups.none();

  /** Null if there is nothing to be searched; perhaps seen late by others. */
  private @Nullable Source source;

  @Override
  @SuppressWarnings("ReferenceEquality") // whether it is another one, be it alike
  public int find(long address) {
    Source now = source;
    if (now == null) {
      return -1;
    }
    try {
      int index = now.searches.find(address);
      index = index >= 0 || now.runs == null ? index : now.runs.findIpv4(address);
      MappedFaults.surface();
      return index;
    } catch (IllegalStateException | InternalError failed) {
      // The source changes before the former one is closed.
      VarHandle.acquireFence();
      Source next = source;
      if (next != now && next != null) {
        StrayInterrupt.takeBack(failed);
      }
      // The general way says what is wrong.
      return -1;
    }
  }

  /** Short lookups. */
  PackedLookups lookups() {
    return lookups;
  }

  /**
   * From now on entries are looked up, and searched for, in this file.
   *
   * @param once whether each address has one entry at most
   */
  void use(SegmentEntryStore store, boolean once) {
    lookups.use(store.packedLookups());
    source = new Source(store.ipv4Searches(), once ? store.runs() : null);
  }

  /** From now on nothing is found here. */
  void stop() {
    lookups.stop();
    source = null;
  }
}
