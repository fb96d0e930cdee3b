package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Short lookups in a named vector, as long as its entries are in the file that was last seen to
 * have them. What that was is read anew for each lookup, but without an order: if it is the same
 * before or after the slot was read, the slot was one of the vector's at one of these moments.
 *
 * <p>Each lookup takes that one load more than one in a private vector, and else the same
 * instructions. What is seen is a plain field for that: even an opaque load, which the processor
 * does as any other, makes the compiler load everything anew behind it that it knows already, and
 * that costs as much as the rest of the lookup. A thread that sees late what is in the field reads
 * the generation all the same.
 */
final class NamedLookups extends PackedLookups {
  /**
   * A file, as it was seen; its fields are final, and so complete for whoever finds it.
   *
   * @param generation its number
   * @param lookups lookups in its entries
   * @param searches searches for them
   * @param runs those of runs, where each address has one entry at most; else null
   */
  record Seen(
      long generation,
      PackedLookups lookups,
      Ipv4Searches searches,
      @Nullable SharedIntervals runs) {}

  private final PresentStore present;
  private final MemorySegment generation;

  /** Null if there is nothing to be read, or nobody has looked yet; perhaps seen late by others. */
  private @Nullable Seen seen;

  /**
   * Lookups in a vector.
   *
   * @param present its store
   * @param generation the word that says which file has its entries
   */
  NamedLookups(PresentStore present, MemorySegment generation) {
    super(new SlotPages(), new LiveIntervals(), null);
    this.present = present;
    this.generation = generation;
  }

  @Override
  int copy(long handle, MemorySegment target) {
    Seen now = seen;
    try {
      if (now != null && SegmentAccess.longInOrder(generation, 0) == now.generation) {
        return now.lookups.copyPacked(handle, target);
      }
      look();
    } catch (IllegalStateException | InternalError failed) {
      // The general way says what is wrong.
      forget();
    }
    return 0;
  }

  /** See {@link ShortSearches#find}. */
  int find(long address) {
    Seen now = seen;
    try {
      if (now != null && SegmentAccess.longAcquire(generation, 0) == now.generation) {
        int index = now.searches.find(address);
        return index >= 0 || now.runs == null ? index : now.runs.find(address);
      }
      look();
    } catch (IllegalStateException | InternalError failed) {
      forget();
    }
    return -1;
  }

  private void look() {
    seen = present.seen();
    VarHandle.fullFence();
    if (present.isPoisoned()) {
      forget();
    }
  }

  /** From now on nothing is found here before somebody looks again. */
  void forget() {
    seen = null;
  }
}
