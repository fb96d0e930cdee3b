// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.ofi4j.ConnectionOptions;

/**
 * The memory of one connection between two processes of a host: a file of which one end makes the
 * name and the content, and that the other end opens and removes. From then on it is memory without
 * a name, which the kernel frees when both processes have unmapped it, however they end.
 *
 * <pre>
 *   offset   0  u64  {@code ofi4jmem}
 *   offset   8  u64  the random number that is the file's name
 *   offset  16  u32  version, 1
 *   offset  20  u32  capacity of each ring in bytes, a power of two
 *   offset  24  u32  1 once the other end has mapped the file
 *   offset  64       64 bytes that mean nothing
 *   offset 128       the {@link Ring} from the end that made the file
 *   then             the ring of the other direction
 * </pre>
 *
 * <p>Numbers are in native byte order. The file is written before it is mapped: where there is no
 * space for it, writing fails, while the first store to mapped memory would end the process.
 */
final class ConnectionFile implements AutoCloseable {
  /** A file that its other end has not opened for so long is not opened any more. */
  static final Duration STALE = Duration.ofMinutes(1);

  static final String SUFFIX = ".connection";

  private static final long MAGIC = 0x6F66_6934_6A6D_656DL;
  private static final int VERSION = 1;
  private static final long NAME_AT = 8;
  private static final long VERSION_AT = 16;
  private static final long CAPACITY_AT = 20;
  private static final long JOINED_AT = 24;
  private static final long SCRATCH_AT = 64;
  private static final int HEADER = 128;
  private static final int WRITE_SIZE = 1 << 16;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private final Path path;
  private final long name;
  private final Arena arena;
  private final MemorySegment memory;
  private final int capacity;
  private final boolean made;
  private boolean joined;

  private ConnectionFile(Path directory, long name, int capacity, boolean made, FileChannel file)
      throws IOException {
    path = path(directory, name);
    this.name = name;
    this.capacity = capacity;
    this.made = made;
    joined = !made;
    arena = Arena.ofShared();
    try {
      memory = file.map(FileChannel.MapMode.READ_WRITE, 0, size(capacity), arena);
    } catch (IOException | RuntimeException | Error failed) {
      arena.close();
      throw failed;
    }
  }

  private static Path path(Path directory, long name) {
    return directory.resolve(HexFormat.of().toHexDigits(name) + SUFFIX);
  }

  private static long size(int capacity) {
    return HEADER + 2L * (Ring.DATA + capacity);
  }

  /**
   * Makes a file that only this user may open.
   *
   * @param directory of this user
   * @param capacity of each ring
   * @throws IOException if there is no space for it, or the directory cannot be used
   */
  static ConnectionFile make(Path directory, int capacity) throws IOException {
    long name = ThreadLocalRandom.current().nextLong();
    Path path = path(directory, name);
    try (FileChannel file =
        FileChannel.open(
            path,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      ByteBuffer zeros = ByteBuffer.allocate(WRITE_SIZE);
      for (long left = size(capacity); left > 0; ) {
        left -= file.write(zeros.clear().limit((int) Math.min(left, WRITE_SIZE)));
      }
      ConnectionFile made = new ConnectionFile(directory, name, capacity, true, file);
      made.memory.set(ValueLayout.JAVA_LONG, 0, MAGIC);
      made.memory.set(ValueLayout.JAVA_LONG, NAME_AT, name);
      made.memory.set(ValueLayout.JAVA_INT, VERSION_AT, VERSION);
      made.memory.set(ValueLayout.JAVA_INT, CAPACITY_AT, capacity);
      // Ends that still read the socket sleep in a selector.
      made.out().wantBytes();
      made.in().wantBytes();
      return made;
    } catch (IOException | RuntimeException | Error failed) {
      Files.deleteIfExists(path);
      throw failed;
    }
  }

  /**
   * Opens the file that the other end has made, removes its name, and tells the other end.
   *
   * @throws IOException if there is no such file, or it is something else
   */
  static ConnectionFile join(Path directory, long name) throws IOException {
    Path path = path(directory, name);
    try (FileChannel file =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      Files.delete(path);
      ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.nativeOrder());
      file.read(header, 0);
      int capacity = header.getInt((int) CAPACITY_AT);
      if (header.getLong(0) != MAGIC
          || header.getLong((int) NAME_AT) != name
          || header.getInt((int) VERSION_AT) != VERSION
          || capacity < ConnectionOptions.LEAST_SHARED_MEMORY
          || capacity > ConnectionOptions.MOST_SHARED_MEMORY
          || Integer.bitCount(capacity) != 1
          || file.size() != size(capacity)) {
        throw new IOException(path + " is no memory of a connection");
      }
      ConnectionFile joined = new ConnectionFile(directory, name, capacity, false, file);
      try {
        INT.setVolatile(joined.memory, JOINED_AT, 1);
      } catch (InternalError cut) {
        joined.close();
        throw new IOException(path + " has become shorter", cut);
      }
      return joined;
    }
  }

  /** Removes files whose maker was killed before the other end had opened them. */
  static void removeStale(Path directory) {
    Instant limit = Instant.now().minus(STALE);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        if (file.toString().endsWith(SUFFIX)
            && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                    .compareTo(FileTime.from(limit))
                < 0) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException gone) {
      // Another process has removed it, or the directory cannot be listed.
    }
  }

  /** Returns the number that the other end opens it by. */
  long name() {
    return name;
  }

  /** Returns whether the other end has mapped it. */
  boolean isJoined() {
    joined = joined || (int) INT.getVolatile(memory, JOINED_AT) != 0;
    return joined;
  }

  /** Returns bytes whose content means nothing, for bells: the heap is no memory for a socket. */
  ByteBuffer scratch() {
    return memory.asSlice(SCRATCH_AT, HEADER - SCRATCH_AT).asByteBuffer();
  }

  /** Returns the ring that this end writes to. */
  Ring out() {
    return ring(made ? 0 : 1);
  }

  /** Returns the ring that this end reads from. */
  Ring in() {
    return ring(made ? 1 : 0);
  }

  private Ring ring(int number) {
    long size = Ring.DATA + (long) capacity;
    return new Ring(memory.asSlice(HEADER + number * size, size));
  }

  /** Unmaps it; removes its name if the other end has not. */
  @Override
  public void close() {
    arena.close();
    if (!joined) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException left) {
        // It is removed as stale.
      }
    }
  }
}
