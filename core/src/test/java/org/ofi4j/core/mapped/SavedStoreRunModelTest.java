// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.EntryStoreRunModelTest;
import org.ofi4j.core.store.StoreOptions;

/** The same ranges and runs in a store that is saved and opened again all the time. */
class SavedStoreRunModelTest extends EntryStoreRunModelTest {
  @TempDir private Path directory;

  public static Stream<Course> courses() {
    return EntryStoreRunModelTest.courses()
        .filter(course -> !course.scarce() && course.nodes() == 12)
        .filter(course -> course.content() == EntryStoreRunModelTest.Content.BOTH);
  }

  @Override
  protected EntryStore open(StoreOptions options, MemorySource memory) {
    return new SavedStores(directory, options, 60);
  }

  /** Fewer, as each save copies everything. */
  @Override
  protected int steps(int many) {
    return many / 2;
  }

  @Override
  protected void checkSound(EntryStore store, StoreOptions options) {
    Soundness.check(((SavedStores) store).changed());
  }

  @Override
  protected boolean hasUserIds() {
    return false;
  }
}
