// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/** Which file is looked at while a reader goes over from one to the next. */
@Tag("AV-039")
class CurrentFileTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(3);

  /** Where a file of entries counts its pieces. */
  private static final long PIECES = 48;

  @TempDir private Path directory;

  /** A writer may come while a reader has shown the next file and not let go of the former one. */
  @Test
  void aWriterChecksTheFileThatIsShown() throws Exception {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false)) {
      CurrentFile present = new CurrentFile(vector, OPTIONS, new MappedLookups());
      SegmentEntryStore former = present.seen();
      damage(directory.resolve("own/domain+vector.1.entries"));
      vector.begin();
      VectorFile next = vector.create();
      CurrentFile.store(next, OPTIONS);
      vector.replace();
      vector.end();
      next.close();
      FutureTask<Boolean> reader = new FutureTask<>(() -> present.isStill(former));
      // Whoever closes the former file waits for this.
      synchronized (fileOf(present)) {
        Thread.ofPlatform().daemon().start(reader);
        while (present.seen() == former) {
          Thread.onSpinWait();
        }
        assertThatCode(() -> present.checkCopied(present.current())).doesNotThrowAnyException();
      }
      assertThat(reader.get()).isFalse();
      present.close();
    }
  }

  private static void damage(Path file) throws IOException {
    ByteBuffer none = ByteBuffer.allocate(Integer.BYTES).putInt(-1).flip();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(none, PIECES);
    }
  }

  private static Object fileOf(CurrentFile store) throws ReflectiveOperationException {
    Field present = CurrentFile.class.getDeclaredField("present");
    present.setAccessible(true);
    Object now = present.get(store);
    Method file = now.getClass().getDeclaredMethod("file");
    file.setAccessible(true);
    return file.invoke(now);
  }
}
