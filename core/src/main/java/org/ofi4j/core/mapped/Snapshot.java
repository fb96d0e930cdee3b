// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a vector at one moment, as they go to a file: copied to memory of their own, with
 * no memory that was given back, no reservations, no user ids and no keys.
 */
public final class Snapshot extends ArenaMemory {
  /** All memory, in the order in which it was taken. For one thread. */
  private final List<SavedFile.Piece> taken = new ArrayList<>();

  /**
   * Copies entries. For who may change the store.
   *
   * @throws FabricException with {@link Errno#ENOMEM} if there is no memory for a copy
   */
  public Snapshot(EntryStore store, StoreOptions options) {
    super(Long.MAX_VALUE);
    try {
      EntryStore copy = new EntryStore(options.expecting(store.size()), this);
      store.copyInto(copy, options);
    } catch (OutOfMemoryError exhausted) {
      close();
      throw new FabricException(
          Errno.ENOMEM, "no memory for the copy of a vector that is to be saved", exhausted);
    } catch (Throwable failed) {
      close();
      throw failed;
    }
  }

  @Override
  public MemorySegment allocate(long bytes, int tag) {
    MemorySegment piece = allocate(bytes);
    taken.add(new SavedFile.Piece(tag, piece));
    return piece;
  }

  /**
   * Writes the entries to a file.
   *
   * @param path as {@link SavedFile#write}
   * @throws FabricException as there
   */
  public void write(Path path, VectorTraits traits) {
    SavedFile.write(path, traits.toBytes(), taken);
  }
}
