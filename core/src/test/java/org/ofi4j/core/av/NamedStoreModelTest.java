// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same sequences on a named vector that several change, some of whom die. */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreModelTest extends EntryStoreModelTest {
  @TempDir private Path directory;

  static Stream<Course> courses() {
    return EntryStoreModelTest.courses()
        .filter(course -> !course.scarce() && course.addresses() == 300);
  }

  @Override
  EntryStore open(StoreOptions options, MemorySource memory) {
    return new NamedStores(directory, options, 100);
  }

  @Override
  void checkSound(EntryStore store, StoreOptions options) {
    Soundness.check(directory, options);
  }

  @Override
  boolean hasUserIds() {
    return false;
  }
}
