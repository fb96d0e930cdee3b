// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.EntryStoreRunModelTest;
import org.ofi4j.core.store.StoreOptions;

/** The same ranges and runs in a named vector that several change, some of whom die. */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreRunModelTest extends EntryStoreRunModelTest {
  @TempDir private Path directory;

  public static Stream<Course> courses() {
    return EntryStoreRunModelTest.courses()
        .filter(course -> !course.scarce())
        .filter(course -> course.nodes() == (course.content() == Content.BOTH ? 12 : 100));
  }

  @Override
  protected EntryStore open(StoreOptions options, MemorySource memory) {
    return new NamedStores(directory, options, 100);
  }

  /** Fewer, as each repair copies everything. */
  @Override
  protected int steps(int many) {
    return many / 4;
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
