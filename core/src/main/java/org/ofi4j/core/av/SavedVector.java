// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.mapped.CopiedFile;
import org.ofi4j.core.mapped.SavedStore;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.share.VectorTraits;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * What opening a vector from a file gives.
 *
 * @param layout its handles, which are those of the vector that was saved
 */
record SavedVector(HandleLayout layout, EntryStore store) {
  /**
   * Opens a vector from a file: read where it is, or copied.
   *
   * @param memory where the memory of a copy comes from; not touched if the file is read
   * @throws OutOfMemoryError if there is no memory for a copy
   */
  static SavedVector open(
      VectorOptions effective,
      Path path,
      FabricInfo info,
      VectorBehaviour behaviour,
      StoreOptions options,
      MemorySource memory) {
    SavedFile file = SavedFile.map(path);
    boolean reads = OpenChecks.isReadOnly(effective);
    boolean opened = false;
    try {
      CopiedFile copied = reads ? null : new CopiedFile(file, memory);
      try {
        file.check();
      } finally {
        if (copied != null) {
          copied.await();
        }
      }
      VectorTraits present = file.traits();
      NamedVectors.traits(effective, info, behaviour)
          .checkFits(present, "the vector saved in " + path, "open it with the same");
      HandleLayout layout = layout(present, effective, info, behaviour);
      EntryStore store =
          copied == null ? new SavedStore(file, options) : SavedStore.copy(copied, options);
      opened = true;
      return new SavedVector(layout, store);
    } finally {
      if (!opened || !reads) {
        file.close();
      }
    }
  }

  private static HandleLayout layout(
      VectorTraits present, VectorOptions effective, FabricInfo info, VectorBehaviour behaviour) {
    HandleLayout layout = OpenChecks.layout(effective, info, behaviour);
    return layout.base() == present.mapAddress() ? layout : layout.from(present.mapAddress());
  }

  /** What a file is to say of a vector. */
  static VectorTraits traits(
      VectorOptions effective, HandleLayout layout, FabricInfo info, VectorBehaviour behaviour) {
    return NamedVectors.traits(effective.withMapAddress(layout.base()), info, behaviour);
  }
}
