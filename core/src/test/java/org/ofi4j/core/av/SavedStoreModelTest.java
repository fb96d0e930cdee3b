// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The same sequences on a store that is saved and opened again all the time. */
class SavedStoreModelTest extends EntryStoreModelTest {
  @TempDir private Path directory;

  static Stream<Course> courses() {
    return EntryStoreModelTest.courses()
        .filter(course -> !course.scarce() && course.addresses() == 300);
  }

  @Override
  EntryStore open(StoreOptions options, MemorySource memory) {
    return new SavedStores(directory, options, 400);
  }

  @Override
  void checkSound(EntryStore store, StoreOptions options) {
    Soundness.check(((SavedStores) store).changed(), options);
  }

  @Override
  boolean hasUserIds() {
    return false;
  }
}
