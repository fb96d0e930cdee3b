// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A file that keeps the entries of a vector beyond its life: the pieces of memory that a store was
 * made of, with sums over them. It is written once, under another name until it is whole, and never
 * changed. All numbers are in the byte order of the machine that wrote it.
 *
 * <pre>
 *      0  "OFI4J-SV" (8)
 *      8  version, 10 (4) | 0x01020304 (4)
 *     16  length of the file (8)
 *     24  0 (8)
 *     32  pieces (4) | CRC-32C of all bytes from 4096 on (4)
 *     40  0
 *    128  traits of the vector (48)
 *    176  0
 *   4092  CRC-32C of the bytes before (4)
 *   4096  of each piece: where it begins (8) | its length (8) | its tag (4) | 0 (4)
 *         pieces, each at a multiple of 64; zeros between them
 * </pre>
 *
 * <p>Tags are those of {@link VectorFile}. Any thread may read.
 */
public final class SavedFile extends MappedFile {
  private static final String KIND = "OFI4J-SV";
  private static final int VERSION = 10;
  private static final long LENGTH = 16;
  private static final long PIECES = 32;
  private static final long SUM = 36;
  private static final long HEADER_SUM = 4092;
  private static final long HEADER_BYTES = 4096;
  private static final long TABLE_ENTRY = 24;

  private MemorySegment memory = MemorySegment.NULL;

  private SavedFile(Path path) {
    super(path);
  }

  /**
   * A piece of memory.
   *
   * @param memory its bytes, a multiple of {@link #ALIGNMENT}
   */
  public record Piece(int tag, MemorySegment memory) {}

  /**
   * Writes a file, in place of any that is there once it is whole and on the disk. An interrupted
   * thread writes it all the same, and stays interrupted.
   *
   * @param pieces its memory, in the order in which it was taken
   * @throws FabricException with {@link Errno#EIO} if the file cannot be written; then there is
   *     what was there before; with {@link Errno#EINVAL} if it is none, but a directory or a device
   */
  public static void write(Path path, byte[] traits, List<Piece> pieces) {
    requireFile(path);
    try {
      // What a link leads to is replaced, not the link, if it leads anywhere.
      Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
      Path parent = target.getParent();
      if (parent == null || target.getFileName() == null) {
        throw invalid("path \"" + path + "\" names no file");
      }
      Path unfinished = Files.createTempFile(parent, "ofi4j-", ".tmp");
      try {
        writeAll(unfinished, traits, pieces);
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
    } catch (IOException e) {
      throw new FabricException(
          Errno.EIO, "the vector cannot be saved to " + path + ": " + e + "; nothing changed", e);
    }
  }

  /** Opening a pipe would wait for whoever writes to it, and files of others cannot be mapped. */
  private static void requireFile(Path path) {
    if (!path.getFileSystem().equals(FileSystems.getDefault())) {
      throw invalid(path + " is of another file system than that of this machine");
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw invalid(path + " is a directory or another thing that is no file of bytes");
    }
  }

  private static void writeAll(Path path, byte[] traits, List<Piece> pieces) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      long end = (HEADER_BYTES + pieces.size() * TABLE_ENTRY + ALIGNMENT - 1) & -ALIGNMENT;
      MemorySegment head = arena.allocate(end, ALIGNMENT);
      for (int i = 0; i < pieces.size(); i++) {
        Piece piece = pieces.get(i);
        long entry = HEADER_BYTES + i * TABLE_ENTRY;
        head.set(JAVA_LONG, entry, end);
        head.set(JAVA_LONG, entry + 8, piece.memory().byteSize());
        head.set(JAVA_INT, entry + 16, piece.tag());
        end += piece.memory().byteSize();
      }
      FileHeader.write(head, KIND, VERSION);
      head.set(JAVA_LONG, LENGTH, end);
      head.set(JAVA_INT, PIECES, pieces.size());
      FileHeader.writeTraits(head, traits);
      use(
          path,
          channel -> {
            CRC32C sum = new CRC32C();
            add(sum, head.asSlice(HEADER_BYTES));
            for (int i = 0; i < pieces.size(); i++) {
              MemorySegment piece = pieces.get(i).memory();
              write(channel, head.get(JAVA_LONG, HEADER_BYTES + i * TABLE_ENTRY), piece);
              add(sum, piece);
            }
            head.set(JAVA_INT, SUM, (int) sum.getValue());
            head.set(JAVA_INT, HEADER_SUM, sumOf(head.asSlice(0, HEADER_SUM)));
            write(channel, 0, head);
            channel.force(true);
            return true;
          },
          StandardOpenOption.WRITE);
    }
  }

  /** Writes a piece or the header: less than what a buffer of the JDK can have. */
  private static void write(FileChannel channel, long start, MemorySegment bytes)
      throws IOException {
    ByteBuffer buffer = bytes.asByteBuffer();
    while (buffer.hasRemaining()) {
      channel.write(buffer, start + buffer.position());
    }
  }

  private static void add(CRC32C sum, MemorySegment bytes) {
    for (long at = 0; at < bytes.byteSize(); at += MOST) {
      sum.update(bytes.asSlice(at, Math.min(MOST, bytes.byteSize() - at)).asByteBuffer());
    }
  }

  private static int sumOf(MemorySegment bytes) {
    CRC32C sum = new CRC32C();
    add(sum, bytes);
    return (int) sum.getValue();
  }

  /**
   * Maps a file, and looks at its header only; the rest is to be {@link #check checked} before
   * anything of it is used. Interruption of the thread is no obstacle.
   *
   * @return the file, to be closed
   * @throws FabricException with {@link Errno#ENOENT} if there is none; {@link Errno#EINVAL} if it
   *     is no saved vector, or one of another version or kind of machine; {@link Errno#EIO} if it
   *     is damaged, cut, or cannot be read
   */
  public static SavedFile map(Path path) {
    requireFile(path);
    SavedFile file = new SavedFile(path);
    boolean mapped = false;
    try {
      file.memory =
          use(
              path,
              channel -> {
                long size = channel.size();
                if (size < HEADER_BYTES) {
                  throw new EOFException(
                      "it has %s bytes, and the header of a saved vector alone has %s"
                          .formatted(size, HEADER_BYTES));
                }
                return channel.map(MapMode.READ_ONLY, 0, size, file.arena);
              },
              StandardOpenOption.READ);
      file.checkHeader();
      mapped = true;
      return file;
    } catch (NoSuchFileException e) {
      throw new FabricException(Errno.ENOENT, "there is no file " + path, e);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "file " + path + " cannot be read: " + e, e);
    } catch (InternalError fault) {
      throw file.lost(fault);
    } finally {
      if (!mapped) {
        file.close();
      }
    }
  }

  private void checkHeader() {
    FileHeader.check(memory, KIND, VERSION, "file " + path, "is no saved address vector");
    if (sumOf(memory.asSlice(0, HEADER_SUM)) != memory.get(JAVA_INT, HEADER_SUM)) {
      throw damaged("the sum of its header is not what it says");
    }
    long length = memory.get(JAVA_LONG, LENGTH);
    if (length != bytes()) {
      String cut = length > bytes() ? "it was cut: " : "";
      throw damaged(cut + "it has " + bytes() + " bytes instead of " + length);
    }
  }

  /**
   * Looks whether all that is behind the header is as it was written.
   *
   * @throws FabricException with {@link Errno#EIO} if it is not
   */
  public void check() {
    if (sumOf(memory.asSlice(HEADER_BYTES)) != memory.get(JAVA_INT, SUM)) {
      throw damaged("the sum of its entries is not what it says");
    }
    // A sum protects from accidents only, so positions are not believed either.
    long table = HEADER_BYTES + pieces() * TABLE_ENTRY;
    if (pieces() < 1 || table > bytes()) {
      throw damaged("it says that it has " + pieces() + " pieces");
    }
    for (int i = 0; i < pieces(); i++) {
      long start = start(i);
      long bytes = length(i);
      if (start < table || start % ALIGNMENT != 0 || bytes < 1 || bytes > bytes() - start) {
        throw damaged("piece " + i + " is not within it");
      }
    }
  }

  /** What to say when memory of the file is not there any more. */
  public FabricException lost(InternalError fault) {
    return new FabricException(
        Errno.EIO, "file " + path + " was cut while it was in use: close the vector", fault);
  }

  public byte[] traits() {
    return FileHeader.traits(memory);
  }

  @Override
  public int pieces() {
    return memory.get(JAVA_INT, PIECES);
  }

  private long start(int piece) {
    return memory.get(JAVA_LONG, HEADER_BYTES + piece * TABLE_ENTRY);
  }

  private long length(int piece) {
    return memory.get(JAVA_LONG, HEADER_BYTES + piece * TABLE_ENTRY + 8);
  }

  @Override
  public int tag(int piece) {
    return memory.get(JAVA_INT, HEADER_BYTES + piece * TABLE_ENTRY + 16);
  }

  /**
   * {@inheritDoc} It cannot be written to.
   *
   * @throws FabricException with {@link Errno#EIO} if it has another number of bytes
   */
  @Override
  public MemorySegment piece(int piece, long bytes) {
    if (length(piece) != bytes) {
      throw damaged("piece " + piece + " has " + length(piece) + " bytes instead of " + bytes);
    }
    // Each piece is one for itself, as no buffer has all bytes of a large file.
    return plain(memory.asSlice(start(piece), bytes, ALIGNMENT));
  }

  private long bytes() {
    return memory.byteSize();
  }

  @Override
  public long held() {
    return isOpen() ? bytes() : 0;
  }
}
