// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
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
    SegmentEntryStore store;
    MemoryUse memory;
    try {
      store = SegmentEntryStore.begun(options, new SavedMemory(file));
      memory = store.memory();
      MappedFaults.surface();
    } catch (InternalError found) {
      throw file.lost(found);
    }
    super(store, options);
    this.file = file;
    this.memory = memory;
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
  void checkChangeable() {
    throw readOnly();
  }

  @Override
  RuntimeException unfinished(Throwable failed) {
    return readOnly();
  }

  /** {@inheritDoc} The id is of this process. */
  @Override
  public int setUserId(int index, long id) {
    return userIds.set(index, this::isLive, id);
  }

  // Reading, by any thread.

  @Override
  void checkReadable() {
    InternalError known = fault;
    if (known != null) {
      throw file.lost(known);
    }
  }

  @Override
  RuntimeException readFailed(Throwable failed) {
    if (failed instanceof InternalError found) {
      fault = found;
      stopShortLookups();
      return file.lost(found);
    }
    return (RuntimeException) failed;
  }

  @Override
  public KeyNumbers keyNumbers(int most) {
    return store.keyNumbers(most);
  }

  @Override
  public MemoryUse memory() {
    return memory;
  }

  @Override
  public void close() {
    stopShortLookups();
    store.close();
  }
}
