// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** Files of saved vectors, whole and damaged. */
class SavedFileTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final byte[] TRAITS = NamedVectorTest.TRAITS;
  private static final int[] LENGTHS = {4096, 64, 128, 64, 4992};

  @TempDir private Path directory;
  private Path path;
  private byte[] whole;

  @BeforeEach
  void write() throws IOException {
    path = directory.resolve("file");
    write(path);
    whole = Files.readAllBytes(path);
  }

  private static void write(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      SavedFile.write(
          path,
          TRAITS,
          Arrays.stream(LENGTHS)
              .mapToObj(length -> {
                MemorySegment memory = arena.allocate(length, 64);
                memory.fill((byte) length);
                return new SavedFile.Piece(-length, memory);
              })
              .toList());
    }
  }

  /** The file, of which all was looked at. */
  private static SavedFile whole(SavedFile file) {
    try {
      file.check();
      return file;
    } catch (Throwable failed) {
      file.close();
      throw failed;
    }
  }

  /** Another file takes the place: nothing that is mapped is cut. */
  private FabricException refusal(byte[] bytes) throws IOException {
    Path next = directory.resolve("next");
    Files.write(next, bytes);
    Files.move(next, path, StandardCopyOption.REPLACE_EXISTING);
    return catchThrowableOfType(FabricException.class, () -> whole(SavedFile.map(path)).close());
  }

  @Test
  void whatWasWrittenIsThere() {
    try (SavedFile file = whole(SavedFile.map(path))) {
      assertThat(file.traits()).isEqualTo(TRAITS);
      assertThat(file.pieces()).isEqualTo(LENGTHS.length);
      for (int i = 0; i < LENGTHS.length; i++) {
        MemorySegment piece = file.piece(i, LENGTHS[i]);
        byte[] expected = new byte[LENGTHS[i]];
        Arrays.fill(expected, (byte) LENGTHS[i]);
        assertThat(piece.toArray(JAVA_BYTE)).isEqualTo(expected);
        assertThat(piece.isReadOnly()).isTrue();
        assertThat(file.tag(i)).isEqualTo(-LENGTHS[i]);
      }
      FabricException other =
          catchThrowableOfType(FabricException.class, () -> file.piece(1, LENGTHS[1] + 1));
      assertThat(other.errno()).isEqualTo(Errno.EIO);
    }
  }

  @Test
  void piecesAreOfTheClassOfOtherNativeMemory() {
    int longest = 1 << 19;
    int pieces = 7;
    try (Arena arena = Arena.ofConfined()) {
      List<SavedFile.Piece> written =
          IntStream.range(0, pieces)
              .mapToObj(i -> new SavedFile.Piece(i, arena.allocate(longest >> i % 2, 64)))
              .toList();
      written.forEach(piece -> piece.memory().fill((byte) piece.tag()));
      SavedFile.write(path, TRAITS, written);
    }
    try (SavedFile file = whole(SavedFile.map(path))) {
      for (int i = pieces - 1; i >= 0; i--) {
        MemorySegment piece = file.piece(i, longest >> i % 2);
        assertThat(piece.byteSize()).isEqualTo(longest >> i % 2);
        assertThat(piece.get(JAVA_BYTE, 0)).isEqualTo((byte) i);
        assertThat(piece.get(JAVA_BYTE, piece.byteSize() - 1)).isEqualTo((byte) i);
        assertThat(piece.isReadOnly()).isTrue();
        // Of another class it would make lookups and searches slower.
        assertThat(piece).hasSameClassAs(MemorySegment.NULL);
      }
    }
  }

  /** No buffer has so many bytes as this file. */
  @Test
  void piecesOfLargeFilesAreFound() throws IOException {
    long start = 3L << 30;
    MemorySegment header = MemorySegment.ofArray(Arrays.copyOf(whole, 4096));
    header.set(JAVA_LONG.withByteAlignment(1), 16, start + 64);
    CRC32C sum = new CRC32C();
    sum.update(header.asSlice(0, 4092).asByteBuffer());
    header.set(JAVA_INT.withByteAlignment(1), 4092, (int) sum.getValue());
    MemorySegment entry = MemorySegment.ofArray(new byte[8]);
    entry.set(JAVA_LONG.withByteAlignment(1), 0, start);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(header.asByteBuffer(), 0);
      // Of the fourth piece, which has 64 bytes.
      channel.write(entry.asByteBuffer(), 4096 + 3 * 24);
      // Nearly all of it takes no room on the disk.
      channel.write(ByteBuffer.wrap(new byte[] {5}), start + 63);
    }
    try (SavedFile file = SavedFile.map(path)) {
      MemorySegment piece = file.piece(3, 64);
      assertThat(piece.byteSize()).isEqualTo(64);
      assertThat(piece.get(JAVA_BYTE, 63)).isEqualTo((byte) 5);
      assertThat(piece).hasSameClassAs(MemorySegment.NULL);
      assertThat(file.piece(2, 128).get(JAVA_BYTE, 127)).isEqualTo((byte) 128);
    }
  }

  @Test
  void noByteChangesUnnoticed() throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int at = 0; at < whole.length; at += at < 300 ? 1 : 1 + random.nextInt(60)) {
      byte[] damaged = whole.clone();
      damaged[at] ^= (byte) (1 << random.nextInt(8));
      FabricException refusal = refusal(damaged);
      assertThat(refusal).as("byte %s, -Dofi4j.seed=%s", at, SEED).isNotNull();
      assertThat(refusal.errno()).isIn(Errno.EIO, Errno.EINVAL);
      assertThat(refusal).hasMessageContaining(path.toString());
    }
  }

  @Test
  void noLengthIsTakenForAnother() throws IOException {
    for (int length = 0; length < whole.length; length += length < 4200 ? 13 : 7) {
      FabricException refusal = refusal(Arrays.copyOf(whole, length));
      assertThat(refusal).as("%s bytes", length).isNotNull();
      assertThat(refusal.errno()).as("%s bytes", length).isEqualTo(Errno.EIO);
    }
    assertThat(refusal(Arrays.copyOf(whole, whole.length + 64))).hasMessageContaining("instead of");
  }

  @Test
  void itIsSaidWhatIsWrong() throws IOException {
    assertThat(refusal(new byte[5000])).hasMessageContaining("no saved address vector");
    assertThat(refusal(with(8, 11))).hasMessageContaining("newer than 10");
    assertThat(refusal(with(8, 0))).hasMessageContaining("older than 10");
    assertThat(refusal(with(12, 0x04030201))).hasMessageContaining("byte order");
    assertThat(refusal(Arrays.copyOf(whole, whole.length - 64))).hasMessageContaining("was cut");
    assertThat(refusal(new byte[0])).hasMessageContaining("0 bytes");
    byte[] damaged = whole.clone();
    damaged[whole.length - 100]++;
    assertThat(refusal(damaged)).hasMessageContaining("sum of its entries");
    Files.delete(path);
    FabricException missing =
        catchThrowableOfType(FabricException.class, () -> whole(SavedFile.map(path)).close());
    assertThat(missing.errno()).isEqualTo(Errno.ENOENT);
  }

  @Test
  void whatIsNoFileIsNeitherWaitedForNorReplaced() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    for (Path other : List.of(directory, pipe)) {
      refused(other, () -> whole(SavedFile.map(other)).close());
      refused(other, () -> write(other));
    }
    assertThat(Files.isRegularFile(pipe)).isFalse();
    try (FileSystem archive =
        FileSystems.newFileSystem(directory.resolve("a.zip"), Map.of("create", "true"))) {
      Path within = archive.getPath("/file");
      refused(within, () -> write(within));
      refused(within, () -> whole(SavedFile.map(within)).close());
    }
  }

  private static void refused(Path other, ThrowingCallable call) {
    FabricException refusal = catchThrowableOfType(FabricException.class, call);
    assertThat(refusal.errno()).isEqualTo(Errno.EINVAL);
    assertThat(refusal).hasMessageContaining(other.toString());
  }

  @Test
  void whatALinkLeadsToIsReplaced() throws IOException {
    Files.writeString(path, "before");
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
    write(link);
    assertThat(Files.isSymbolicLink(link)).isTrue();
    assertThat(Files.readAllBytes(path)).isEqualTo(whole);
  }

  @Test
  void namesMayBeAsLongAsTheSystemHasThem() throws IOException {
    Path longest = directory.resolve("n".repeat(255));
    write(longest);
    assertThat(Files.readAllBytes(longest)).isEqualTo(whole);
  }

  private byte[] with(long offset, int value) {
    byte[] changed = whole.clone();
    MemorySegment.ofArray(changed).set(JAVA_INT.withByteAlignment(1), offset, value);
    return changed;
  }

  @Test
  void positionsAreNotBelievedEvenIfSumsAreRight() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment piece = arena.allocate(4096, 64);
      for (long[] wrong :
          List.of(
              new long[] {0, 64},
              new long[] {1 << 20, 64},
              new long[] {8192 + 8, 64},
              new long[] {8192, 1L << 40},
              new long[] {8192, -1},
              new long[] {-64, 64})) {
        byte[] forged = Forgery.of(path, TRAITS, piece, wrong[0], wrong[1]);
        FabricException refusal = refusal(forged);
        assertThat(refusal).as(Arrays.toString(wrong)).isNotNull();
        assertThat(refusal).hasMessageContaining("is not within it");
      }
    }
  }

  /** A file whose sums are right and whose only piece is not. */
  private static final class Forgery {
    static byte[] of(Path path, byte[] traits, MemorySegment piece, long start, long length)
        throws IOException {
      SavedFile.write(path, traits, List.of(new SavedFile.Piece(-1, piece)));
      byte[] bytes = Files.readAllBytes(path);
      MemorySegment file = MemorySegment.ofArray(bytes);
      file.set(JAVA_LONG.withByteAlignment(1), 4096, start);
      file.set(JAVA_LONG.withByteAlignment(1), 4104, length);
      CRC32C sum = new CRC32C();
      sum.update(bytes, 4096, bytes.length - 4096);
      file.set(JAVA_INT.withByteAlignment(1), 36, (int) sum.getValue());
      sum.reset();
      sum.update(bytes, 0, 4092);
      file.set(JAVA_INT.withByteAlignment(1), 4092, (int) sum.getValue());
      return bytes;
    }
  }
}
