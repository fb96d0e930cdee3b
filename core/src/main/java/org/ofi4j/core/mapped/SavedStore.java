// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a saved vector, read where they are: in the mapped file, which all processes of a
 * node have in memory once. They cannot be changed, but {@link #copy copied}. User ids belong to
 * this process.
 */
public final class SavedStore extends EntryStore {
  private final SavedFile file;
  private final StoreOptions options;

  /** The memory in use, which does not change, so that no call reads memory that may be lost. */
  private final MemoryUse memory;

  private SavedStore(SavedFile file, StoreOptions options) {
    this.file = file;
    this.options = options;
    super(begunOptions(options, file), file);
    this.memory = super.memory();
  }

  /**
   * Opens a file.
   *
   * @param wanted the traits that the vector must have
   * @throws FabricException with {@link Errno#ENOENT} if there is no file; with {@link
   *     Errno#EINVAL} if it is no saved vector, one of another version or kind of machine, or one
   *     with other traits; with {@link Errno#EIO} if it is damaged, cut, or cannot be read
   */
  public static SavedStore open(Path path, VectorTraits wanted) {
    return open(path, wanted, wanted.options());
  }

  static SavedStore open(Path path, VectorTraits wanted, StoreOptions options) {
    SavedFile file = SavedFile.map(path);
    try {
      file.check();
      wanted.checkFits(
          VectorTraits.of(file.traits()), "the vector saved in " + path, "open it with the same");
      return new SavedStore(file, options);
    } catch (InternalError fault) {
      file.close();
      throw file.lost(fault);
    } catch (Throwable refused) {
      file.close();
      throw refused;
    }
  }

  /** Returns the base of the handles that the vector was saved with; 0 if they are indices. */
  public long handleBase() {
    return VectorTraits.of(file.traits()).mapAddress();
  }

  /**
   * Returns a store that begins with these entries and is changed as any other.
   *
   * @param memory where its memory comes from; closed with the store that is returned
   * @throws OutOfMemoryError if memory ran out
   */
  public EntryStore copy(MemorySource memory) {
    StoreOptions like = options.expecting(Math.max(options.expected(), size()));
    EntryStore copy = new EntryStore(like, memory);
    copyInto(copy, options);
    return copy;
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
  protected int change(Change change, int index, AddressKey key) {
    throw readOnly();
  }

  @Override
  protected RuntimeException explained(Throwable failed) {
    return failed instanceof InternalError fault ? file.lost(fault) : super.explained(failed);
  }

  @Override
  public MemoryUse memory() {
    return memory;
  }
}
