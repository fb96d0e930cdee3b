// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.EntryStoreModelTest;
import org.ofi4j.core.store.StoreOptions;

/** The same sequences on a named vector that several change, some of whom die. */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreModelTest extends EntryStoreModelTest {
  @TempDir private Path directory;

  public static Stream<Course> courses() {
    return EntryStoreModelTest.courses()
        .filter(course -> !course.scarce() && course.addresses() == 300);
  }

  @Override
  protected EntryStore open(StoreOptions options, MemorySource memory) {
    return new NamedStores(directory, options, 100);
  }

  @Override
  protected void checkSound(EntryStore store, StoreOptions options) {
    Soundness.check(directory);
  }

  @Override
  protected boolean hasUserIds() {
    return false;
  }
}
