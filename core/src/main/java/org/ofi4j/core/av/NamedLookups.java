package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Short lookups in a named vector, as long as its entries are in the file that was last seen to
 * have them. What that was is read anew for each lookup, but without an order: if it is the same
 * before or after the slot was read, the slot was one of the vector's at one of these moments.
 */
final class NamedLookups extends PackedLookups {
  private static final VarHandle SEEN;

  static {
    try {
      SEEN = MethodHandles.lookup().findVarHandle(NamedLookups.class, "seen", Seen.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * A file, as it was seen.
   *
   * @param generation its number
   * @param lookups lookups in its entries
   */
  record Seen(long generation, PackedLookups lookups) {}

  private final PresentStore present;
  private final MemorySegment generation;

  /** Null if there is nothing to be read, or nobody has looked yet. */
  @SuppressWarnings("unused") // by its handle
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
    Seen now = (Seen) SEEN.getOpaque(this);
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

  private void look() {
    SEEN.setOpaque(this, present.seen());
    VarHandle.fullFence();
    if (present.isPoisoned()) {
      forget();
    }
  }

  /** From now on nothing is found here before somebody looks again. */
  void forget() {
    SEEN.setOpaque(this, null);
  }
}
