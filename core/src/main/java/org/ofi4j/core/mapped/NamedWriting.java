// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreCopy;
import org.ofi4j.core.store.StoreOptions;

/**
 * Changes of a named vector, with the lock of all processes. Who takes it looks at what others
 * changed meanwhile. If the last one died with the lock, or failed, it copies the entries to a new
 * file ({@link StoreCopy}), which replaces the old one by one store, and marks the slots of the old
 * one ({@link ReplacedSlots}); readers of every process go over to it at their next call.
 *
 * <p>Everything but {@link #begin} is for who has the lock.
 */
final class NamedWriting {
  /**
   * How often those are looked for that died without the lock, as long as there are reservations.
   */
  private static final long LOOK_EVERY = 1_000_000_000;

  private final NamedVector vector;
  private final StoreOptions options;
  private final CurrentFile present;

  private @Nullable SegmentEntryStore writing;
  private boolean broken;

  /** How many changes there were when this store changed something last. */
  private long changes = -1;

  private long looked = System.nanoTime();

  NamedWriting(NamedVector vector, StoreOptions options, CurrentFile present) {
    this.vector = vector;
    this.options = options;
    this.present = present;
  }

  /** See {@link EntryStore#begin(long)}. */
  void begin(long deadline) {
    if (vector.isReadOnly()) {
      throw new FabricException(
          Errno.EACCES, vector + " was opened with FI_READ and cannot be changed");
    }
    if (present.isPoisoned()) {
      throw present.gone();
    }
    // A cut that is found before anything is changed leaves nothing half.
    present.checkLength();
    boolean died = vector.begin(deadline);
    boolean touched = died;
    boolean ready = false;
    try {
      SegmentEntryStore store = present.current();
      Set<Integer> dead = Set.of();
      if (died || changes < 0) {
        dead = dead(true);
      } else if (leavesSomething(store) && System.nanoTime() - looked > LOOK_EVERY) {
        dead = dead(false);
        looked = System.nanoTime();
      }
      if (died) {
        store = repair(store, dead);
      } else if (vector.changes() != changes) {
        store.follow();
      }
      if (!dead.isEmpty()) {
        touched = true;
        end(store, dead);
      }
      if (changes < 0) {
        touched |= endUncounted(store.keySlots());
      }
      writing = store;
      broken = false;
      ready = true;
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          (died
                  ? "no memory to repair " + vector + ", whose writer died: "
                  : "no memory to begin a change of " + vector + ": ")
              + exhausted.getMessage(),
          exhausted);
    } catch (RuntimeException | InternalError failed) {
      throw present.named(failed);
    } finally {
      if (!ready) {
        giveBack(touched);
      }
    }
  }

  /** Whether there is something that is to be given back when its process dies. */
  private static boolean leavesSomething(SegmentEntryStore store) {
    return store.parts().counts().reserved() > 0 || store.keySlots().count() > 0;
  }

  /** Gives back what some owners have that died, then their places. */
  private void end(SegmentEntryStore store, Set<Integer> dead) {
    store.cancelOf(dead);
    store.keySlots().letGoOf(dead);
    dead.forEach(owner -> vector.forget(owner - 1));
  }

  /**
   * Lets go of keys that are said to be held from the own place, and are not held by any opening of
   * this process: who had the place before could not give them back.
   */
  private boolean endUncounted(KeySlots slots) {
    boolean any = false;
    for (int number = 0; number < slots.count(); number++) {
      if (slots.isHeldBy(number, vector.participant()) && vector.countKeyHolds(number, 0) == 0) {
        slots.letGo(number, vector.participant());
        any = true;
      }
    }
    return any;
  }

  /**
   * Gives back what is held by those that died; those are looked for now.
   *
   * @param patiently whether to wait for who attaches or leaves just now
   */
  void endDead(SegmentEntryStore store, boolean patiently) {
    end(store, dead(patiently));
  }

  private Set<Integer> dead(boolean patiently) {
    Set<Integer> dead = new HashSet<>();
    (patiently ? vector.dead() : vector.deadIfKnown()).forEach(place -> dead.add(place + 1));
    return dead;
  }

  /**
   * Gives the lock back after a change that did not begin.
   *
   * @param touched whether there may be something to repair; if not, whoever comes next is spared
   */
  private void giveBack(boolean touched) {
    if (touched) {
      vector.fail();
      return;
    }
    try {
      // What is counted as a change makes others look anew, and is none.
      vector.end();
    } catch (FabricException later) {
      // The lock has been given back; why there is no change matters more.
      return;
    }
  }

  /** See {@link EntryStore#end}. */
  void end() {
    SegmentEntryStore store = writing;
    writing = null;
    if (broken) {
      vector.fail();
      return;
    }
    try {
      if (store != null) {
        store.settle();
      }
    } catch (InternalError fault) {
      vector.fail();
      throw present.named(fault);
    }
    changes = vector.end();
  }

  private SegmentEntryStore repair(SegmentEntryStore old, Set<Integer> dead) {
    present.checkCopied(old);
    // What the repair of somebody who died behind it has left: it takes room, and each further
    // repair would leave more if it cannot be ended.
    vector.endReplaced(ReplacedSlots::mark);
    VectorFile file = vector.create();
    SegmentEntryStore copy;
    try {
      copy = CurrentFile.store(file, options.withSeed(old.seed()));
      new StoreCopy(old, copy, options, dead::contains).copy();
      copy.reserveFor(vector.participant() + 1);
      vector.replace();
    } catch (Throwable failed) {
      file.close();
      vector.discard();
      throw failed;
    }
    present.replace(file, copy);
    // Before anything changes in the new file. Who dies here leaves what he has not got to behind:
    // then the next one repairs, too, and comes to it.
    vector.endReplaced(ReplacedSlots::mark);
    return copy;
  }

  /** Whether somebody of this process is between {@link #begin} and {@link #end}. */
  boolean isUnderWay() {
    return writing != null;
  }

  /**
   * A change that did not end as changes do: what it left is for repair. Who refuses it for another
   * reason than the file has changed nothing.
   */
  RuntimeException unfinished(Throwable failed) {
    broken |= !(failed instanceof FabricException known) || known.errno() == Errno.EIO;
    return present.named(failed);
  }

  /** The store to be changed. */
  SegmentEntryStore store() {
    SegmentEntryStore store = writing;
    if (store == null) {
      throw new IllegalStateException("entries are changed without the lock");
    }
    if (present.isPoisoned()) {
      throw present.gone();
    }
    if (broken) {
      throw new FabricException(
          Errno.EIO, vector + " is to be repaired after a change that failed: try again");
    }
    return store;
  }
}
