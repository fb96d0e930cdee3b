// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files that libfabric has mapped into this process. Any thread may call. */
public final class MappedMemory {
  /**
   * The address range at which a whole file is mapped.
   *
   * @param start the address of its first byte
   * @param bytes whole pages
   */
  public record Range(long start, long bytes) {}

  private static final Path MAPPINGS = Path.of("/proc/self/maps");
  private static final String DELETED = " (deleted)";
  private static final int PAGE = 4_096;
  private static final int CHUNK = 64 * PAGE;

  private MappedMemory() {}

  /** Returns the mapping of a file that may be deleted; null if it has none, or two. */
  public static @Nullable Range find(Path file) {
    String path = file.toString();
    try (Stream<String> lines = Files.lines(MAPPINGS)) {
      String[] found =
          lines
              .filter(line -> line.endsWith(" " + path) || line.endsWith(" " + path + DELETED))
              .toArray(String[]::new);
      return found.length == 1 ? range(found[0]) : null;
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** Parses {@code 7f00-7f80 rw-s 00000000 00:17 4711 path}; null unless it begins the file. */
  private static @Nullable Range range(String line) {
    String[] words = line.split("[ -]+", 7);
    long start = Long.parseUnsignedLong(words[0], 16);
    long end = Long.parseUnsignedLong(words[1], 16);
    boolean whole = words[2].equals("rw") && Long.parseUnsignedLong(words[4], 16) == 0;
    return whole ? new Range(start, end - start) : null;
  }

  /**
   * Opens a file for {@link #replaceByCopy}, which may be deleted then.
   *
   * @return its descriptor; negative if it cannot be opened
   */
  public static int open(Path file) {
    return CLibrary.open(file.toString(), CLibrary.READ_ONLY, 0);
  }

  /**
   * Replaces a mapped file by private memory with the same content, so that the file is not kept
   * for it. Pages that are all zero take no memory.
   *
   * @param descriptor of the file, which is read: reading the mapping would make missing pages
   * @return false if there is no memory, or the file cannot be read
   */
  public static boolean replaceByCopy(Range range, int descriptor) {
    long copy =
        CLibrary.mmap(0, range.bytes(), CLibrary.PROT_READ_WRITE, CLibrary.MAP_RESERVED, -1);
    // An address, and not one of the last 4,095 numbers, which stand for errors.
    if (copy <= 0) {
      return false;
    }
    boolean replaced =
        copyContent(descriptor, copy) && CLibrary.move(copy, range.bytes(), range.start());
    if (!replaced) {
      CLibrary.unmap(copy, range.bytes());
    }
    return replaced;
  }

  private static boolean copyContent(int descriptor, long copy) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(CHUNK, Long.BYTES);
      MemorySegment zeros = arena.allocate(PAGE, Long.BYTES);
      long at = 0;
      long count = CLibrary.pread(descriptor, chunk.address(), CHUNK, at);
      while (count > 0) {
        for (long page = 0; page < count; page += PAGE) {
          long bytes = Math.min(PAGE, count - page);
          if (MemorySegment.mismatch(chunk, page, page + bytes, zeros, 0, bytes) >= 0) {
            RawMemory.copyIn(chunk, page, copy + at + page, bytes);
          }
        }
        at += count;
        count = CLibrary.pread(descriptor, chunk.address(), CHUNK, at);
      }
      return count == 0;
    }
  }

  /** Removes a mapping; nothing reads or writes there any more. */
  public static void unmap(Range range) {
    CLibrary.unmap(range.start(), range.bytes());
  }

  /**
   * Returns whether this process can read the memory of a process, which has a number there.
   *
   * @param address an address in the memory of that process
   */
  public static boolean isReadable(int process, long address, int number) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment found = arena.allocate(ValueLayout.JAVA_INT);
      long local = piece(arena, found.address(), found.byteSize());
      long remote = piece(arena, address, found.byteSize());
      return CLibrary.readProcess(process, local, remote) == found.byteSize()
          && found.get(ValueLayout.JAVA_INT, 0) == number;
    }
  }

  /** Returns the address of a {@code struct iovec}. */
  private static long piece(Arena arena, long address, long bytes) {
    return arena.allocateFrom(ValueLayout.JAVA_LONG, address, bytes).address();
  }

  /** Takes a spin lock; false if it is taken. */
  public static boolean tryLock(long spinLock) {
    return CLibrary.tryLock(spinLock);
  }

  /** Gives a spin lock back, whichever process has taken it. */
  public static void unlock(long spinLock) {
    CLibrary.unlock(spinLock);
  }
}
