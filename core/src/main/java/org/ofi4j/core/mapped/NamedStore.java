// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.time.Duration;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.share.VectorTraits;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a named vector, which several processes change and read: a {@link
 * SegmentEntryStore} over the file that has them now.
 *
 * <p>Changes are the matter of {@link NamedWriting}. Readers take no lock: they do what readers of
 * a private vector do, and then look whether the file is the vector's still ({@link CurrentFile}).
 *
 * <p>A fault of the mapped memory, as when somebody cuts the file, ends the use of the vector here:
 * nothing is published after it, and every later call says so.
 */
public final class NamedStore extends MappedStore {
  private final NamedVector vector;
  private final CurrentFile present;
  private final NamedWriting writing;

  private final SharedKeyNumbers keyNumbers;

  /** How many reservations of this opening have not ended; for who holds the lock. */
  private int reservations;

  /**
   * The entries of a vector.
   *
   * @param vector the vector, closed with the store
   * @param options what it is like; the seed is that of the vector
   */
  public NamedStore(NamedVector vector, StoreOptions options) {
    this.vector = vector;
    try {
      this.present = new CurrentFile(vector, options, mappedLookups);
    } catch (Throwable failed) {
      vector.close();
      throw failed;
    }
    this.writing = new NamedWriting(vector, options, present);
    this.keyNumbers = new SharedKeyNumbers(vector, this, writing);
    try {
      if (!vector.isReadOnly() && !vector.dead().isEmpty()) {
        // Those that died without the lock left nothing but reservations.
        begin();
        end();
      }
    } catch (Throwable failed) {
      close();
      throw failed;
    }
  }

  /**
   * Attaches to a vector, or makes it if it is not there.
   *
   * @param domain the domain within which names are unique
   * @param traits what the vector must be like
   * @param readOnly whether it must be there, and is only to be read
   * @param timeout how long this process waits for others
   * @throws FabricException as {@link NamedVector#open}, and if its files are damaged
   */
  public static NamedStore open(
      String domain, String name, VectorTraits traits, boolean readOnly, Duration timeout) {
    NamedVector vector =
        NamedVector.open(
            ShareDirectory.ofUser(),
            domain,
            name,
            traits,
            readOnly,
            timeout,
            file -> found(file, options(traits)));
    return new NamedStore(vector, options(vector.traits()));
  }

  private static StoreOptions options(VectorTraits traits) {
    return StoreOptions.of(traits.expected(), traits.reusesIndices(), traits.policy());
  }

  /** The vector that the entries are of. */
  public NamedVector vector() {
    return vector;
  }

  /** Makes an empty store in a file that nobody else sees yet. */
  public static void found(VectorFile file, StoreOptions options) {
    CurrentFile.store(file, options);
  }

  @Override
  public KeyNumbers keyNumbers(int most) {
    return keyNumbers;
  }

  // Writing.

  @Override
  public void begin() {
    begin(Waiting.deadline(lockTimeout()));
  }

  @Override
  public void begin(long deadline) {
    writing.begin(deadline);
  }

  @Override
  public Duration lockTimeout() {
    return vector.lockTimeout();
  }

  @Override
  public FabricException late() {
    return vector.late();
  }

  @Override
  public void end() {
    writing.end();
  }

  @Override
  SegmentEntryStore changed() {
    return writing.store();
  }

  @Override
  RuntimeException unfinished(Throwable failed) {
    return writing.unfinished(failed);
  }

  @Override
  public int reserve() {
    int index = super.reserve();
    reservations += index < 0 ? 0 : 1;
    return index;
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    int outcome = super.publish(reserved, key);
    reservations--;
    return outcome;
  }

  @Override
  public void cancel(int reserved) {
    super.cancel(reserved);
    reservations--;
  }

  /**
   * {@inheritDoc} The id is of this process, for the generation that the index has now. Needs no
   * lock of other processes, but for a reserved index that of this one.
   */
  @Override
  public int setUserId(int index, long id) {
    try {
      long generation;
      do {
        generation = generation(index);
        if (writing.isUnderWay() ? isUnused(index) : !isLive(index)) {
          return -Errno.EINVAL.number();
        }
      } while (generation(index) != generation);
      userIds.set(index, generation, id);
      return 0;
    } catch (OutOfMemoryError exhausted) {
      return -Errno.ENOMEM.number();
    }
  }

  /** For who has the lock. */
  private boolean isUnused(int index) {
    return ask((store, any, _) -> store.isUnused((int) any) ? 1 : 0, index, 0) != 0;
  }

  // Reading, by any thread.

  @Override
  SegmentEntryStore seen() {
    return present.seen();
  }

  @Override
  boolean isStill(SegmentEntryStore store) {
    return present.isStill(store);
  }

  @Override
  void checkReplaced(SegmentEntryStore store, Throwable failed) {
    present.checkReplaced(store, failed);
  }

  @Override
  public MemoryUse memory() {
    // Compiled, it reads in ways from which the machine does not come back after a fault.
    present.checkLength();
    MemoryUse[] memory = new MemoryUse[1];
    ask(
        (store, _, _) -> {
          memory[0] = store.memory();
          return 0;
        },
        0,
        0);
    return memory[0];
  }

  @Override
  public String shortage() {
    String full = present.full();
    return full == null ? super.shortage() : "that " + full;
  }

  /** How many runs it keeps as formulas. */
  public long runs() {
    return ask((store, _, _) -> store.runs().present().count(), 0, 0);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    if (vector.isReadOnly()) {
      throw new FabricException(
          Errno.EACCES,
          vector
              + " was opened with FI_READ and cannot be saved, as no process could be kept from"
              + " changing it meanwhile: open it without FI_READ to save it");
    }
    begin();
    try {
      super.copyInto(target, options);
    } finally {
      end();
    }
  }

  @Override
  public void close() {
    close(keyNumbers.close() && reservations == 0);
  }

  /** Closes it; {@code free} if nothing is left that somebody else has to give back. */
  public void close(boolean free) {
    present.close();
    try {
      if (free) {
        vector.close();
      } else {
        // Others had the lock for too long to give them back.
        vector.abandon();
      }
    } catch (InternalError fault) {
      // The control file was cut. It is closed all the same, and nobody can come to it any more.
      return;
    }
  }
}
