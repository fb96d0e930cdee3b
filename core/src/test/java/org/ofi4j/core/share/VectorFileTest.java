package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of entries that grows while others come to it. */
@Tag("AV-039")
class VectorFileTest {
  private static final int FILES = 60;
  private static final int PIECES = 200;

  @TempDir private Path directory;

  @Test
  void whoComesWhileTheFileGrowsFindsItWhole() throws Exception {
    AtomicReference<Path> present = new AtomicReference<>();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread coming =
        Thread.ofPlatform()
            .start(() -> {
              try {
                attachAlways(present);
              } catch (Throwable failed) {
                failure.set(failed);
              }
            });
    try {
      for (int number = 0; number < FILES; number++) {
        Path path = directory.resolve(number + VectorFile.SUFFIX);
        try (VectorFile file = VectorFile.create(path, 7, 1)) {
          present.set(path);
          for (int piece = 0; piece < PIECES; piece++) {
            file.take(4096, piece);
            file.count();
          }
        }
      }
    } finally {
      coming.interrupt();
      coming.join();
    }
    assertThat(failure.get()).isNull();
  }

  private static void attachAlways(AtomicReference<Path> present) throws IOException {
    while (!Thread.currentThread().isInterrupted()) {
      Path path = present.get();
      if (path != null) {
        try (VectorFile file = VectorFile.attach(path, false, 7, 1)) {
          int pieces = file.pieces();
          if (pieces > 0) {
            assertThat(file.tag(pieces - 1)).isEqualTo(pieces - 1);
            assertThat(file.piece(pieces - 1, 4096).byteSize()).isEqualTo(4096);
          }
        }
      }
    }
  }
}
