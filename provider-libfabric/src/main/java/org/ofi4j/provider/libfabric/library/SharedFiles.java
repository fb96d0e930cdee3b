// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.ofi4j.Errno;

/**
 * Files in {@code /dev/shm}, and the locks on them ({@code flock}). A lock belongs to a descriptor:
 * it ends when the descriptor is closed or its process ends, and no other descriptor of the process
 * affects it. So a lock says whether a file is in use across namespaces of processes, where process
 * numbers say nothing. Any thread may call.
 */
public final class SharedFiles {
  /** The directory of the files of provider {@code shm}. */
  public static final Path DIRECTORY = Path.of("/dev/shm");

  /** For the owner alone, as libfabric makes its files. */
  private static final int PLAIN = 0600;

  /** With a bit that no file of libfabric has. */
  private static final int MARKED = 0700;

  private SharedFiles() {}

  /**
   * Creates a locked file without a name.
   *
   * @return its descriptor; negative if there is no directory, or no descriptor
   */
  public static int create() {
    int descriptor =
        CLibrary.open(DIRECTORY.toString(), CLibrary.READ_WRITE | CLibrary.UNNAMED, PLAIN);
    if (descriptor >= 0 && !lock(descriptor)) {
      CLibrary.close(descriptor);
      return -1;
    }
    return descriptor;
  }

  /**
   * Reserves memory for the first bytes of a file, which is at least as long then.
   *
   * @return 0, or a positive errno: there is not enough memory
   */
  public static int reserve(int descriptor, long bytes) {
    int errno;
    do {
      errno = CLibrary.allocate(descriptor, bytes);
    } while (errno == Errno.EINTR.number());
    return errno;
  }

  /** Writes the first byte of a file. */
  public static void writeFirst(int descriptor, byte value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, value);
      CLibrary.pwrite(descriptor, bytes.address(), 1, 0);
    }
  }

  /** Reads the first byte of a file; 0 if it has none. */
  public static byte readFirst(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(ValueLayout.JAVA_BYTE);
      CLibrary.pread(descriptor, bytes.address(), 1, 0);
      return bytes.get(ValueLayout.JAVA_BYTE, 0);
    }
  }

  /** Gives a file a name; false if there is a file of that name. */
  public static boolean link(int descriptor, Path name) {
    return CLibrary.link(path(descriptor).toString(), name.toString()) == 0;
  }

  /** Marks a file as one that is locked as long as it is in use. */
  public static void mark(int descriptor) {
    CLibrary.changeMode(descriptor, MARKED);
  }

  /**
   * Opens a file to ask whether it is locked.
   *
   * @param path the address of the zero-terminated path
   * @return its descriptor; negative if it cannot be opened
   */
  public static int openToWatch(long path) {
    return CLibrary.open(path, CLibrary.PEEK);
  }

  /** Opens a file; negative if there is none, or none that this process may write. */
  public static int open(Path file) {
    return CLibrary.open(file.toString(), CLibrary.READ_WRITE, 0);
  }

  /** Locks a file for a descriptor; false if another descriptor has it locked. */
  public static boolean lock(int descriptor) {
    return CLibrary.flock(descriptor, CLibrary.LOCK_EXCLUSIVE);
  }

  /** Returns a path of a file that is open, and may be deleted. */
  public static Path path(int descriptor) {
    return Path.of("/proc/self/fd", Integer.toString(descriptor));
  }

  /** Closes a descriptor, which ends its lock. */
  public static void close(int descriptor) {
    CLibrary.close(descriptor);
  }

  /**
   * Returns whether a file is locked by {@link #create} or {@link #lock}. One that cannot be opened
   * for lack of descriptors counts as locked.
   *
   * @param path the address of the zero-terminated path
   */
  public static boolean isLocked(long path) {
    int descriptor = CLibrary.open(path, CLibrary.PEEK);
    if (descriptor < 0) {
      return true;
    }
    boolean locked = isHeld(descriptor);
    CLibrary.close(descriptor);
    return locked;
  }

  /** Returns whether another descriptor has a file locked, also if the file was deleted. */
  public static boolean isHeld(int descriptor) {
    boolean free = CLibrary.flock(descriptor, CLibrary.LOCK_SHARED);
    if (free) {
      CLibrary.flock(descriptor, CLibrary.LOCK_NONE);
    }
    return !free;
  }

  /** As {@link #isLocked(long)}. */
  public static boolean isLocked(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      return isLocked(arena.allocateFrom(file.toString()).address());
    }
  }

  /** The status of a file, in memory that is used again. For one thread at a time. */
  public static final class FileStatus {
    private static final int BYTES = 256;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int TYPE_AND_MODE = 0xFFFF;

    private static final int TYPE = 0170000;
    private static final int REGULAR = 0100000;

    private final MemorySegment result = Arena.ofAuto().allocate(BYTES + Long.BYTES, Long.BYTES);
    private final long address = result.address();

    /**
     * Reads the status of a file.
     *
     * @param path the address of the zero-terminated path
     * @return false if there is no file
     */
    public boolean read(long path) {
      return CLibrary.statx(CLibrary.CURRENT_DIRECTORY, path, 0, address) == 0;
    }

    /** Reads the status of a file; false if there is none. */
    public boolean read(Path file) {
      try (Arena arena = Arena.ofConfined()) {
        return read(arena.allocateFrom(file.toString()).address());
      }
    }

    /** Reads the status of an open file, which may have no name any more. */
    public boolean read(int descriptor) {
      // The bytes behind the result stay zero: an empty path.
      return CLibrary.statx(descriptor, address + BYTES, CLibrary.EMPTY_PATH, address) == 0;
    }

    /** Returns the number of the file, which no other file in its file system has at that time. */
    public long inode() {
      return RawMemory.getLong(address + INODE);
    }

    /** Returns the length of the file. */
    public long bytes() {
      return RawMemory.getLong(address + SIZE);
    }

    /** Returns whether it is a file, and no directory, pipe or device. */
    public boolean isRegular() {
      return (RawMemory.getShort(address + MODE) & TYPE) == REGULAR;
    }

    /** Returns whether the file was marked by {@link SharedFiles#mark}. */
    public boolean isMarked() {
      return (RawMemory.getShort(address + MODE) & TYPE_AND_MODE) == (REGULAR | MARKED);
    }
  }
}
