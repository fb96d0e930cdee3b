// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * One file with entries: a sequence of pieces that the writers of all processes take one after the
 * other, and that every process finds by a table. All numbers are in the byte order of the machine.
 *
 * <pre>
 *      0  "OFI4J-EN" (8)
 *      8  version, 13 (4) | 0x01020304 (4)
 *     16  id of the vector (8)
 *     24  0 (8)
 *     32  end (8)          where the next piece will begin
 *     40  reserved (8)     bytes that the file is known to have
 *     48  pieces (4) | 0 (4)
 *     56  0
 *   4096  first table
 *   8192  pieces and further tables, each at a multiple of 64
 *
 *   table, 4096 bytes: 511 entries, then where the next table is, divided by 64 (4) | 0 (4)
 *   entry: where the piece begins, divided by 64 (4) | tag (4)
 * </pre>
 *
 * <p>Only what is counted as a piece is there; its entry is complete before. Tags are the users'.
 * Bytes are zeros until a user writes to them. Before a byte of the file is used, zeros were
 * written to it: so want of memory shows when it is asked for, never as a fault on access.
 *
 * <p>One thread of all processes takes pieces at a time; any thread may look for them. A process
 * maps what it has not mapped yet when it comes to it, in windows that may overlap.
 *
 * <p>The file is opened by its path for each use, as interruptions close channels. Another process
 * may remove it, and the vector that is made then has its own file at this path: nothing is done
 * with that one.
 */
public final class VectorFile extends MappedFile {
  static final String SUFFIX = ".entries";

  private static final String KIND = "OFI4J-EN";
  private static final int VERSION = 13;
  private static final long ID = 16;

  private static final long END = 32;
  private static final long RESERVED = 40;
  private static final long PIECES = 48;
  private static final int TABLE_BYTES = 4096;
  private static final int TABLE_ENTRIES = TABLE_BYTES / Long.BYTES - 1;
  private static final long FIRST_TABLE = 4096;
  private static final long FIRST_PIECE = FIRST_TABLE + TABLE_BYTES;

  private static final long LEAST_GROWTH = 64 << 10;
  private static final long MOST_GROWTH = 16 << 20;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  /** A mapped part of the file. */
  private record Window(long start, MemorySegment memory) {}

  private final long id;
  private final boolean writable;

  /** The open file, to ask for its length, which costs no more than a call of the system. */
  private final RandomAccessFile length;

  private final List<Window> windows = new ArrayList<>();

  /** Empty until the path has led to the file of this vector. */
  private final List<MemorySegment> tables = new ArrayList<>();

  private MemorySegment header = MemorySegment.NULL;

  /** Where the piece ends that was taken last. */
  private long uncounted;

  /** Why the file did not become longer when it was to; null if it did. */
  private volatile @Nullable String full;

  private VectorFile(Path path, long id, boolean writable) {
    super(path);
    this.id = id;
    this.writable = writable;
    try {
      this.length = new RandomAccessFile(path.toFile(), "r");
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /**
   * Makes a file without pieces, in place of any that is there.
   *
   * @throws OutOfMemoryError if there is no room for it
   */
  static VectorFile create(Path path, long id) throws IOException {
    Files.deleteIfExists(path);
    createFile(path, LEAST_GROWTH);
    VectorFile file = new VectorFile(path, id, true);
    try {
      file.writeZeros(0, LEAST_GROWTH);
      file.map(0, LEAST_GROWTH);
      file.header = file.at(0, FIRST_TABLE);
      file.header.set(JAVA_LONG, ID, id);
      file.header.set(JAVA_LONG, END, FIRST_PIECE);
      file.header.set(JAVA_LONG, RESERVED, LEAST_GROWTH);
      FileHeader.write(file.header, KIND, VERSION);
      file.tables.add(file.at(FIRST_TABLE, TABLE_BYTES));
      return file;
    } catch (Throwable failed) {
      file.close();
      Files.deleteIfExists(path);
      throw failed;
    }
  }

  /**
   * Makes an empty file.
   *
   * @param bytes how many bytes it is to have
   * @throws OutOfMemoryError if the file system has no room for one more file
   */
  static void createFile(Path path, long bytes) throws IOException {
    try {
      Files.createFile(path, ShareDirectory.OWN_FILE);
    } catch (IOException failed) {
      if (isFull(failed)) {
        throw new OutOfMemoryError(full(bytes, path, failed));
      }
      throw failed;
    }
  }

  /**
   * Maps a file that is there.
   *
   * @throws FabricException with {@link Errno#EINVAL} if it is not of this vector and version, with
   *     {@link Errno#EIO} if it is damaged
   */
  static VectorFile attach(Path path, boolean writable, long id) {
    VectorFile file = new VectorFile(path, id, writable);
    try {
      long size = file.size();
      if (size < FIRST_PIECE) {
        throw file.damaged("it has " + size + " bytes only, less than its header");
      }
      file.map(0, size);
      file.header = file.at(0, FIRST_TABLE);
      file.check();
      file.tables.add(file.at(FIRST_TABLE, TABLE_BYTES));
      return file;
    } catch (Throwable failed) {
      file.close();
      throw failed;
    }
  }

  private void check() {
    FileHeader.check(
        header, KIND, VERSION, "file " + path, "is not one with entries of a named vector");
    if (header.get(JAVA_LONG, ID) != id) {
      throw invalid("file " + path + " belongs to another vector");
    }
    end();
    if (!isWhole()) {
      throw cut(reserved());
    }
  }

  @Override
  public boolean isShared() {
    return true;
  }

  /**
   * {@inheritDoc}
   *
   * @throws FabricException with {@link Errno#EIO} if so many are not within the file
   */
  @Override
  public int pieces() {
    int pieces = (int) INT.getAcquire(header, PIECES);
    // A table that leads back to itself has any number of them.
    if (pieces < 0 || pieces > used() / ALIGNMENT) {
      throw damaged("it has " + pieces + " pieces in " + used() + " bytes");
    }
    return pieces;
  }

  @Override
  public synchronized int tag(int piece) {
    return table(piece).get(JAVA_INT, entry(piece) + Integer.BYTES);
  }

  /** How many bytes are before a piece. */
  public synchronized long position(int piece) {
    return bytes(table(piece).get(JAVA_INT, entry(piece)));
  }

  /**
   * {@inheritDoc}
   *
   * @throws FabricException with {@link Errno#EIO} if it is not within the file
   */
  @Override
  public synchronized MemorySegment piece(int piece, long bytes) {
    long position = position(piece);
    if (position < FIRST_PIECE || position + bytes > used()) {
      throw damaged("it has piece " + piece + " at " + position + ", which is not within it");
    }
    return at(position, bytes);
  }

  /**
   * {@inheritDoc}
   *
   * @throws FabricException with {@link Errno#EIO} if the file is damaged, or was removed
   */
  @Override
  public synchronized MemorySegment allocate(long bytes, int tag) {
    int piece = pieces();
    MemorySegment table = tableFor(piece);
    long start = end();
    long stop = (start + bytes + ALIGNMENT - 1) & -ALIGNMENT;
    if (stop / ALIGNMENT >= 1L << Integer.SIZE) {
      throw new OutOfMemoryError("address vector: " + path + " would be too large");
    }
    reserve(stop);
    MemorySegment memory = at(start, bytes);
    table.set(JAVA_INT, entry(piece), (int) (start / ALIGNMENT));
    table.set(JAVA_INT, entry(piece) + Integer.BYTES, tag);
    uncounted = stop;
    return memory;
  }

  @Override
  public synchronized void count() {
    LONG.setRelease(header, END, uncounted);
    INT.setRelease(header, PIECES, pieces() + 1);
  }

  /**
   * Lets the next piece begin behind all pieces and tables. For a writer that follows one that died
   * while it took a piece, of which nothing was used yet.
   *
   * @param endOfPieces where the last piece ends
   */
  public synchronized void end(long endOfPieces) {
    long end = Math.max(FIRST_PIECE, (endOfPieces + ALIGNMENT - 1) & -ALIGNMENT);
    int last = pieces() / TABLE_ENTRIES;
    for (int i = 0; i <= last && nextTable(table(i * TABLE_ENTRIES)) != 0; i++) {
      end = Math.max(end, nextTable(table(i * TABLE_ENTRIES)) + TABLE_BYTES);
    }
    LONG.setRelease(header, END, end);
  }

  private static long nextTable(MemorySegment table) {
    return bytes(table.get(JAVA_INT, TABLE_BYTES - Long.BYTES));
  }

  private long used() {
    return (long) LONG.getAcquire(header, END);
  }

  @Override
  public long held() {
    return isOpen() ? used() : 0;
  }

  /**
   * Whether the file has all the bytes that it says it has, unless it was cut. True also if it was
   * removed, as what is mapped stays.
   */
  public boolean isWhole() {
    // First what it says, as another process may make it longer just now: the bytes come first.
    return reserved() <= size();
  }

  @Override
  public synchronized void close() {
    try (length) {
      super.close();
    } catch (IOException e) {
      // Nothing was written through it.
      return;
    }
  }

  /** The table that the entry of a new piece goes to. */
  private MemorySegment tableFor(int piece) {
    int number = piece / TABLE_ENTRIES;
    if (piece % TABLE_ENTRIES == 0 && number > 0) {
      MemorySegment last = table(piece - 1);
      if (last.get(JAVA_INT, TABLE_BYTES - Long.BYTES) == 0) {
        long end = end();
        reserve(end + TABLE_BYTES);
        LONG.setRelease(header, END, end + TABLE_BYTES);
        last.set(JAVA_INT, TABLE_BYTES - Long.BYTES, (int) (end / ALIGNMENT));
      }
    }
    return table(piece);
  }

  /** Where the next piece begins. */
  private long end() {
    // In the opposite order of how they grow, as a writer may be at it just now.
    long end = used();
    long reserved = reserved();
    if (end < FIRST_PIECE || end > reserved || end % ALIGNMENT != 0) {
      throw damaged("it says that it has " + reserved + " bytes, and that " + end + " are used");
    }
    return end;
  }

  private long reserved() {
    return (long) LONG.getAcquire(header, RESERVED);
  }

  private MemorySegment table(int piece) {
    int number = piece / TABLE_ENTRIES;
    while (tables.size() <= number) {
      MemorySegment last = tables.getLast();
      long next = nextTable(last);
      if (next < FIRST_PIECE || next + TABLE_BYTES > used()) {
        throw damaged("it has a table of pieces at " + next + ", which is not within it");
      }
      tables.add(at(next, TABLE_BYTES));
    }
    return tables.get(number);
  }

  private static long entry(int piece) {
    return (long) (piece % TABLE_ENTRIES) * Long.BYTES;
  }

  private static long bytes(int units) {
    return Integer.toUnsignedLong(units) * ALIGNMENT;
  }

  /** Mapped memory of this process. */
  private MemorySegment at(long position, long bytes) {
    for (int i = windows.size() - 1; i >= 0; i--) {
      Window window = windows.get(i);
      if (position >= window.start && position + bytes <= window.start + window.memory.byteSize()) {
        return window.memory.asSlice(position - window.start, bytes, ALIGNMENT);
      }
    }
    long start = position & -LEAST_GROWTH;
    long reserved = reserved();
    if (position + bytes > reserved || reserved > size()) {
      throw cut(reserved);
    }
    map(start, reserved - start);
    return at(position, bytes);
  }

  private void reserve(long end) {
    long reserved = reserved();
    if (end <= reserved) {
      return;
    }
    long growth = Math.clamp(reserved / 8 & -LEAST_GROWTH, LEAST_GROWTH, MOST_GROWTH);
    long larger = Math.max(reserved + growth, (end + LEAST_GROWTH - 1) & -LEAST_GROWTH);
    writeZeros(reserved, larger);
    LONG.setRelease(header, RESERVED, larger);
  }

  private void map(long start, long bytes) {
    MapMode mode = writable ? MapMode.READ_WRITE : MapMode.READ_ONLY;
    // The remaining bytes are mapped when a piece in them is asked for.
    long length = Math.min(bytes, MOST);
    MemorySegment memory = use(channel -> plain(channel.map(mode, start, length, arena)));
    windows.add(new Window(start, memory));
  }

  private long size() {
    try {
      return length.length();
    } catch (IOException e) {
      checkOpen();
      throw unusable(e);
    }
  }

  /**
   * Makes sure of the room for bytes behind the end.
   *
   * @throws OutOfMemoryError if there is none; then the file is as it was
   */
  private void writeZeros(long from, long to) {
    full =
        use(channel -> {
          if (channel.size() < from) {
            throw new IOException("it has been cut to " + channel.size() + " bytes");
          }
          try (Arena brief = Arena.ofConfined()) {
            ByteBuffer zeros = brief.allocate(LEAST_GROWTH).asByteBuffer();
            for (long at = from; at < to; ) {
              zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
              at += channel.write(zeros, at);
            }
            return null;
          } catch (ClosedByInterruptException again) {
            throw again;
          } catch (IOException noRoom) {
            // No process reads behind what is reserved.
            channel.truncate(from);
            return full(to - from, path, noRoom);
          }
        });
    if (full != null) {
      throw new OutOfMemoryError(full);
    }
  }

  /**
   * Uses the open file.
   *
   * @throws FabricException with {@link Errno#EIO} if that fails, or there is another file by now
   */
  private <T extends @Nullable Object> T use(Use<T> use) {
    try {
      return MappedFile.use(
          path,
          channel -> {
            ByteBuffer found = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
            // A file that was cut is told of by those who ask how long it is.
            if (!tables.isEmpty()
                && channel.read(found, ID) == Long.BYTES
                && found.getLong(0) != id) {
              throw new FabricException(
                  Errno.EIO,
                  "file %s was removed, and is another vector's now: close the vector everywhere"
                      .formatted(path));
            }
            return use.of(channel);
          },
          LinkOption.NOFOLLOW_LINKS,
          StandardOpenOption.READ,
          writable ? StandardOpenOption.WRITE : StandardOpenOption.READ);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  private FabricException unusable(IOException e) {
    return new FabricException(Errno.EIO, "file " + path + " cannot be used: " + e, e);
  }

  static String full(long bytes, Path path, IOException noRoom) {
    return "the disk is full (ENOSPC): no room for %s bytes more of %s: %s"
        .formatted(bytes, path, noRoom.getMessage());
  }

  /** Whether a file could not be made because its file system has no room for one more. */
  static boolean isFull(IOException failed) {
    String reason = failed instanceof FileSystemException system ? system.getReason() : null;
    return reason != null
        && (reason.startsWith("No space left") || reason.endsWith("quota exceeded"));
  }

  /** Why the file system gave no memory, in words; null if the file became as long as asked. */
  public @Nullable String full() {
    return full;
  }

  private FabricException cut(long reserved) {
    return damaged("it was cut: it has " + size() + " bytes instead of " + reserved);
  }
}
