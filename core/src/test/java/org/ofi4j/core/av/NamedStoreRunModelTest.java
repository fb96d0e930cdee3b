// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same ranges and runs in a named vector that several change, some of whom die. */
@Tag("AV-039")
@Tag("AV-041")
class NamedStoreRunModelTest extends EntryStoreRunModelTest {
  @TempDir private Path directory;

  static Stream<Course> courses() {
    return EntryStoreRunModelTest.courses()
        .filter(course -> !course.scarce())
        .filter(course -> course.nodes() == (course.content() == Content.BOTH ? 12 : 100));
  }

  @Override
  EntryStore open(StoreOptions options, MemorySource memory) {
    return new NamedStores(directory, options, 40);
  }

  /** Fewer, unless so many are asked for, as each repair copies everything. */
  @Override
  int steps() {
    return Integer.getInteger("ofi4j.rangeSteps", 300);
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
