// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The same ranges and runs in a store that is saved and opened again all the time. */
class SavedStoreRunModelTest extends EntryStoreRunModelTest {
  @TempDir private Path directory;

  static Stream<Course> courses() {
    return EntryStoreRunModelTest.courses()
        .filter(course -> !course.scarce() && course.nodes() == 12)
        .filter(course -> course.content() == EntryStoreRunModelTest.Content.BOTH);
  }

  @Override
  EntryStore open(StoreOptions options, MemorySource memory) {
    return new SavedStores(directory, options, 60);
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
