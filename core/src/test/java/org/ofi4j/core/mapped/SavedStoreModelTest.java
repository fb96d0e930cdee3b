// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.EntryStoreModelTest;
import org.ofi4j.core.store.StoreOptions;

/** The same sequences on a store that is saved and opened again all the time. */
class SavedStoreModelTest extends EntryStoreModelTest {
  @TempDir private Path directory;

  public static Stream<Course> courses() {
    return EntryStoreModelTest.courses()
        .filter(course -> !course.scarce() && course.addresses() == 300);
  }

  @Override
  protected EntryStore open(StoreOptions options, MemorySource memory) {
    return new SavedStores(directory, options, 400);
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
