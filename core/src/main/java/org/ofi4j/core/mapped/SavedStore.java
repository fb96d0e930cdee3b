// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a saved vector, read where they are: in the mapped file, which all processes of a
 * node have in memory once. They cannot be changed. User ids belong to this process.
 *
 * <p>If somebody cuts the file, whoever comes to what is missing is told, and all who come later.
 */
public final class SavedStore extends MappedStore {
  private final SavedFile file;
  private final SegmentEntryStore store;

  /** What it takes, which does not change: so nobody has to come to what may be missing. */
  private final MemoryUse memory;

  /** That memory was lost, and how it showed; else null. */
  private volatile @Nullable InternalError fault;

  /**
   * Entries of a file.
   *
   * @param file the file, closed with the store
   * @param options what the vector is like; the seed is that of the file
   */
  public SavedStore(SavedFile file, StoreOptions options) {
    this.file = file;
    try {
      this.store = SegmentEntryStore.begun(options, new SavedMemory(file));
      this.memory = store.memory();
      MappedFaults.surface();
    } catch (InternalError found) {
      throw file.lost(found);
    }
    mappedLookups.use(store, options.duplicates() != DuplicatePolicy.NEW_INDEX);
  }

  /**
   * A store that begins with the entries of a file and is changed as any other.
   *
   * @param copied the copy of the file; where its memory comes from is closed with the store
   * @param options what the vector is like; the seed is that of the file
   * @throws OutOfMemoryError if there is no memory for it
   */
  public static EntryStore copy(CopiedFile copied, StoreOptions options) {
    try {
      return SegmentEntryStore.begun(options, copied);
    } catch (InternalError fault) {
      throw copied.file().lost(fault);
    }
  }

  private FabricException readOnly() {
    return new FabricException(
        Errno.EACCES,
        ("the vector saved in %s was opened with FI_READ and cannot be changed: open it"
                + " without, as a copy")
            .formatted(file));
  }

  @Override
  public void begin(long deadline) {
    throw readOnly();
  }

  @Override
  SegmentEntryStore changed() {
    throw readOnly();
  }

  @Override
  RuntimeException unfinished(Throwable failed) {
    return readOnly();
  }

  /** {@inheritDoc} The id is of this process. */
  @Override
  public int setUserId(int index, long id) {
    if (!isLive(index)) {
      return -Errno.EINVAL.number();
    }
    try {
      userIds.set(index, generation(index), id);
      return 0;
    } catch (OutOfMemoryError exhausted) {
      return -Errno.ENOMEM.number();
    }
  }

  // Reading, by any thread.

  @Override
  SegmentEntryStore seen() {
    InternalError known = fault;
    if (known != null) {
      throw file.lost(known);
    }
    return store;
  }

  /** No other file ever has these entries. */
  @Override
  boolean isStill(SegmentEntryStore read) {
    return true;
  }

  /** After a fault nobody touches the file any more. */
  @Override
  void checkReplaced(SegmentEntryStore read, Throwable failed) {
    if (failed instanceof InternalError found) {
      fault = found;
      mappedLookups.stop();
      throw file.lost(found);
    }
    throw (RuntimeException) failed;
  }

  @Override
  public MemoryUse memory() {
    return memory;
  }

  @Override
  public void close() {
    mappedLookups.stop();
    store.close();
  }
}
