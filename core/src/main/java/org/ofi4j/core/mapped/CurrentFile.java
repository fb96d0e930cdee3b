// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.check.Findings;
import org.ofi4j.core.check.PieceCheck;
import org.ofi4j.core.check.StoreCheck;
import org.ofi4j.core.object.StrayInterrupt;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The store over the file that has the entries of a named vector now, and whether it can be used
 * any more. Another file takes its place after a repair, in whichever process: whoever asks {@link
 * #current} comes to the new one. So does who reads what was {@link #seen} last and then asks
 * whether it {@link #isStill} the one: before is too early, as the slots of the old file are {@link
 * ReplacedSlots marked}.
 *
 * <p>Any thread may call; only who has the lock of writers calls {@link #replace}.
 */
final class CurrentFile {
  /** What is in use. */
  private record Present(long generation, VectorFile file, SegmentEntryStore store) {}

  private final NamedVector vector;
  private final StoreOptions options;

  private final MappedLookups mappedLookups;

  /** Null once closed, and once it is of no use any more. */
  private volatile @Nullable Present present;

  private Present mapped;

  /** Why the vector is of no use any more, or null. */
  private volatile @Nullable String failure;

  /**
   * Attaches to the present file.
   *
   * @param options what it is like; the seed is that of the vector
   * @param mappedLookups find something as long as this has something to be read
   */
  CurrentFile(NamedVector vector, StoreOptions options, MappedLookups mappedLookups) {
    this.vector = vector;
    this.options = options;
    this.mappedLookups = mappedLookups;
    this.mapped = attach();
    show(mapped);
  }

  /** A store over a file, empty if the file is new. */
  static SegmentEntryStore store(VectorFile file, StoreOptions options) {
    return new SegmentEntryStore(options, new NamedMemory(file));
  }

  private Present attach() {
    while (true) {
      long generation = generation();
      VectorFile file;
      try {
        file = vector.entries(generation);
      } catch (FabricException | InternalError gone) {
        if (generation() != generation) {
          // It was replaced before it was mapped.
          continue;
        }
        throw damaged(gone);
      }
      try {
        if (file.pieces() == 0) {
          throw new FabricException(Errno.EIO, vector + " is damaged: it has no root");
        }
        SegmentEntryStore store = SegmentEntryStore.begun(options, new NamedMemory(file));
        store.reserveFor(vector.participant() + 1);
        return new Present(generation, file, store);
      } catch (Throwable failed) {
        file.close();
        throw damaged(failed);
      }
    }
  }

  /** The store that has the entries now. */
  SegmentEntryStore current() {
    Present known = known();
    return generation() == known.generation ? known.store : attachAgain();
  }

  /** The store that had the entries when this process looked last, to be read. */
  SegmentEntryStore seen() {
    return known().store;
  }

  private Present known() {
    Present known = present;
    if (known == null) {
      throw gone();
    }
    return known;
  }

  /**
   * Whether all that was read of a store is true, as it had the entries until now; if not, {@link
   * #seen} is the one that has them.
   */
  boolean isStill(SegmentEntryStore store) {
    // What was read comes first.
    VarHandle.acquireFence();
    Present known = present;
    if (known == null || known.store != store) {
      return false;
    }
    if (generation() == known.generation) {
      return true;
    }
    attachAgain();
    return false;
  }

  private synchronized SegmentEntryStore attachAgain() {
    Present known = known();
    if (generation() == known.generation) {
      return known.store;
    }
    return use(attach());
  }

  /** The control file can be cut as well. */
  private long generation() {
    try {
      return vector.generation();
    } catch (InternalError fault) {
      throw damaged(fault);
    }
  }

  /** From now on this is read here, unless memory was lost meanwhile. */
  private void show(Present next) {
    present = next;
    mappedLookups.use(next.store, options.duplicates() != DuplicatePolicy.NEW_INDEX);
    VarHandle.fullFence();
    if (isPoisoned()) {
      hide();
    }
  }

  /** From now on every call finds what is wrong instead. */
  private void hide() {
    present = null;
    mappedLookups.stop();
  }

  private SegmentEntryStore use(Present next) {
    show(next);
    // Who reads there now finds it closed, and comes to the next one.
    mapped.store.close();
    mapped = next;
    return next.store;
  }

  /** Goes over to a store whose file has just been made that of the vector. */
  synchronized void replace(VectorFile file, SegmentEntryStore store) {
    use(new Present(vector.generation(), file, store));
  }

  /** After reading failed: returns if there is another file by now, which is {@link #seen} then. */
  void checkReplaced(SegmentEntryStore store, Throwable failed) {
    if (failed instanceof InternalError) {
      throw damaged(failed);
    }
    Present known = known();
    if (known.store != store) {
      // Whoever came to the next file first has closed this one.
      StrayInterrupt.takeBack(failed);
      return;
    }
    if (known.generation == generation()) {
      throw named(failed);
    }
    attachAgain();
  }

  /**
   * Looks whether the file is as long as it says, which it is unless somebody has cut it.
   *
   * @throws FabricException with {@link Errno#EIO} if it is not
   */
  void checkLength() {
    Present known = present;
    boolean whole;
    try {
      whole = known == null || known.file.isWhole();
    } catch (InternalError fault) {
      throw damaged(fault);
    }
    if (!whole) {
      throw poisoned("the file was cut", null);
    }
  }

  /**
   * Looks at all that a copy of the entries follows, as nobody knows what who died has written: so
   * the copy comes to an end.
   *
   * <p>For who has the lock of writers: then the file that is shown is that of the store. That it
   * is the one that is mapped last may not be known yet, as long as a reader goes over to it.
   *
   * @param store the store that is to be copied
   * @throws FabricException with {@link Errno#EIO} if a number in it leads nowhere
   */
  void checkCopied(SegmentEntryStore store) {
    Present known = known();
    Findings findings = new Findings();
    if (new PieceCheck(known.file, findings).check()) {
      findings.in(
          "the file of entries",
          () -> {
            store.parts().allocator().follow();
            new StoreCheck(store, options, owner -> true, false, findings).checkCopied();
          });
    }
    if (!findings.isEmpty()) {
      throw new FabricException(
          Errno.EIO,
          ("%s cannot be repaired after its writer died, as its file is damaged (%s); let all"
                  + " processes close it, or look at it with ofi4j av verify")
              .formatted(vector, findings.list().getFirst()));
    }
  }

  /** See {@link VectorFile#full}. */
  @Nullable String full() {
    Present known = present;
    return known == null ? null : known.file.full();
  }

  /** Whether it is of no use any more. */
  boolean isPoisoned() {
    return failure != null;
  }

  /** What is thrown where it cannot be used any more. */
  RuntimeException gone() {
    String why = failure;
    return why == null
        ? new IllegalStateException("the address vector is closed")
        : new FabricException(Errno.EIO, why);
  }

  private RuntimeException poisoned(@Nullable String what, @Nullable Throwable cause) {
    String why =
        vector
            + " cannot be used any more here: its mapped file lost memory, as when it was cut ("
            + what
            + "); close it";
    failure = why;
    hide();
    return cause == null
        ? new FabricException(Errno.EIO, why)
        : new FabricException(Errno.EIO, why, cause);
  }

  /** Gives what failed a name: where memory is there, numbers led nowhere. */
  RuntimeException named(Throwable failed) {
    Present known = present;
    boolean closed = known == null || !known.file.isOpen();
    return closed && failed instanceof IllegalStateException left ? left : damaged(failed);
  }

  /** After a fault of the mapped memory every call says so from now on. */
  private RuntimeException damaged(Throwable failed) {
    return switch (failed) {
      case InternalError fault -> poisoned(fault.getMessage(), fault);
      case Error error -> throw error;
      case FabricException known -> known;
      default ->
          new FabricException(
              Errno.EIO,
              ("%s is damaged: its file has numbers that lead nowhere (%s); let all processes"
                      + " close it, or look at it with ofi4j av verify")
                  .formatted(vector, failed),
              failed);
    };
  }

  synchronized void close() {
    hide();
    mapped.store.close();
  }
}
