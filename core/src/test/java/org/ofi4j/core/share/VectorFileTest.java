// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of entries that grows while others come to it. */
@Tag("AV-039")
class VectorFileTest {
  private static final int FILES = 60;
  private static final int PIECES = 200;

  /** As drawn in the class. */
  private static final long END = 32;

  private static final long FIRST_TABLE = 4096;
  private static final long FIRST_PIECE = 8192;

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
        try (VectorFile file = VectorFile.create(path, 7)) {
          present.set(path);
          for (int piece = 0; piece < PIECES; piece++) {
            file.allocate(4096, piece);
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

  /** Of another class they would make lookups and searches slower. */
  @Test
  void piecesAreOfTheClassOfOtherNativeMemory() throws IOException {
    Path path = directory.resolve("one" + VectorFile.SUFFIX);
    try (VectorFile file = VectorFile.create(path, 7);
        VectorFile other = VectorFile.attach(path, false, 7)) {
      file.allocate(4096, 0).set(ValueLayout.JAVA_LONG, 8, 5);
      file.count();
      MemorySegment piece = other.piece(0, 4096);
      assertThat(piece).hasSameClassAs(MemorySegment.NULL);
      assertThat(piece.isReadOnly()).isTrue();
      assertThat(piece.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(5);
    }
  }

  /** No buffer has so many bytes as this file. */
  @Test
  void piecesOfLargeFilesAreFoundInAnyOrder() throws IOException {
    Path path = directory.resolve("large" + VectorFile.SUFFIX);
    int pieces = 8;
    int bytes = 1 << 19;
    long apart = 700L << 20;
    VectorFile.create(path, 7).close();
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      long end = FIRST_PIECE + pieces * apart;
      // Nearly all of it takes no room on the disk.
      write(channel, end - 1, ByteBuffer.allocate(1));
      ByteBuffer header = ByteBuffer.allocate(24).order(ByteOrder.nativeOrder());
      write(channel, END, header.putLong(end).putLong(end).putLong(pieces).flip());
      for (int piece = 0; piece < pieces; piece++) {
        long start = FIRST_PIECE + piece * apart;
        ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        long entry = start / VectorFile.ALIGNMENT | (long) piece << Integer.SIZE;
        write(channel, FIRST_TABLE + piece * 8L, word.putLong(entry).flip());
        write(channel, start + bytes - 8, word.clear().putLong(piece).flip());
      }
    }
    try (VectorFile file = VectorFile.attach(path, false, 7)) {
      for (int piece : new int[] {0, 1, 2, 7, 3, 6, 5, 4, 0, 1, 2, 3, 4, 5, 6, 7}) {
        MemorySegment memory = file.piece(piece, bytes);
        assertThat(memory).hasSameClassAs(MemorySegment.NULL);
        assertThat(memory.byteSize()).isEqualTo(bytes);
        assertThat(memory.get(ValueLayout.JAVA_LONG, bytes - 8)).isEqualTo(piece);
      }
    }
  }

  @Test
  void fileThatReplacesARemovedOneIsNotTouched() throws IOException {
    Path path = directory.resolve("one" + VectorFile.SUFFIX);
    try (VectorFile removed = VectorFile.create(path, 7);
        VectorFile read = VectorFile.attach(path, false, 7)) {
      removed.allocate(4096, 0).set(ValueLayout.JAVA_LONG, 8, 5);
      removed.count();
      Files.delete(path);
      try (VectorFile present = VectorFile.create(path, 8)) {
        byte[] before = Files.readAllBytes(path);
        assertThatThrownBy(() -> removed.allocate(1 << 20, 1)).hasMessageContaining("was removed");
        assertThat(Files.readAllBytes(path)).isEqualTo(before);
        assertThat(removed.piece(0, 4096).get(ValueLayout.JAVA_LONG, 8)).isEqualTo(5);
        for (int i = 0; i < 100; i++) {
          present.allocate(4096, i);
          present.count();
        }
        assertThat(removed.isWhole()).isTrue();
        assertThat(read.isWhole()).isTrue();
        assertThat(present.isWhole()).isTrue();
      }
    }
  }

  @Test
  void fullFileSystemIsToldFromOtherFailures() {
    for (String full : List.of("No space left on device", "Disk quota exceeded")) {
      assertThat(VectorFile.isFull(new FileSystemException("x", null, full))).isTrue();
    }
    assertThat(VectorFile.isFull(new FileSystemException("x", null, "Read-only"))).isFalse();
    assertThat(VectorFile.isFull(new IOException("No space left on device"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 8128, 8192 + 63, 1L << 37, Long.MAX_VALUE & -64, -64})
  void nothingIsTakenBehindADamagedEnd(long end) throws IOException {
    Path path = directory.resolve("one" + VectorFile.SUFFIX);
    try (VectorFile file = VectorFile.create(path, 7)) {
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
        ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        write(channel, END, word.putLong(end).flip());
      }
      long bytes = Files.size(path);
      assertThatThrownBy(() -> file.allocate(4096, 0)).hasMessageContaining("is damaged");
      assertThat(Files.size(path)).isEqualTo(bytes);
    }
  }

  private static void write(FileChannel channel, long at, ByteBuffer bytes) throws IOException {
    channel.write(bytes, at);
  }

  private static void attachAlways(AtomicReference<Path> present) throws IOException {
    while (!Thread.currentThread().isInterrupted()) {
      Path path = present.get();
      if (path != null) {
        try (VectorFile file = VectorFile.attach(path, false, 7)) {
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
