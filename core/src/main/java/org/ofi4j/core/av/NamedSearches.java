package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Short searches in a named vector: {@link Ipv4Searches} in the file that this process has as that
 * of its entries, as long as it is the one, and after them the intervals of its runs.
 */
final class NamedSearches implements ShortSearches {
  /**
   * A file; its fields are final, and so complete for whoever finds it.
   *
   * @param number its number
   * @param searches searches in its entries
   * @param runs those of runs, where each address has one entry at most; else null
   */
  private record Source(long number, Ipv4Searches searches, @Nullable SharedIntervals runs) {}

  private final MemorySegment generation;

  /** Null if there is nothing to be searched; perhaps seen late by others. */
  private @Nullable Source source;

  /**
   * Searches that find nothing yet.
   *
   * @param generation the word that says which file has the entries of the vector
   */
  NamedSearches(MemorySegment generation) {
    this.generation = generation;
  }

  @Override
  public int find(long address) {
    Source now = source;
    try {
      // Native memory: asked, the compiler knows the class.
      if (now == null
          || !SegmentAccess.isNative(generation)
          || SegmentAccess.longAcquire(generation, 0) != now.number) {
        return -1;
      }
      int index = now.searches.find(address);
      return index >= 0 || now.runs == null ? index : now.runs.find(address);
    } catch (IllegalStateException | InternalError failed) {
      // The general way says what is wrong.
      return -1;
    }
  }

  /**
   * From now on searches are in this file.
   *
   * @param number its number
   * @param store its entries
   * @param once whether each address has one entry at most
   */
  void use(long number, SegmentEntryStore store, boolean once) {
    source =
        new Source(
            number,
            store.ipv4Searches(),
            once && store.runs().live() instanceof SharedIntervals intervals ? intervals : null);
  }

  /** From now on nothing is found here. */
  void stop() {
    source = null;
  }
}
