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

  private final CLibrary c;

  SharedFiles(CLibrary c) {
    this.c = c;
  }

  /**
   * Creates a locked file without a name.
   *
   * @return its descriptor; negative if there is no directory, or no descriptor
   */
  public int create() {
    int descriptor = c.openUnnamed(DIRECTORY.toString(), PLAIN);
    if (descriptor >= 0 && !c.lockExclusively(descriptor)) {
      c.close(descriptor);
      return -1;
    }
    return descriptor;
  }

  /**
   * Reserves memory for the first bytes of a file, which is at least as long then.
   *
   * @return 0, or a positive errno: there is not enough memory
   */
  public int reserve(int descriptor, long bytes) {
    int errno;
    do {
      errno = c.allocate(descriptor, bytes);
    } while (errno == Errno.EINTR.number());
    return errno;
  }

  /** Writes the first byte of a file. */
  public void writeFirst(int descriptor, byte value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, value);
      c.writeFirst(descriptor, bytes.address(), 1);
    }
  }

  /** Reads the first byte of a file; 0 if it has none. */
  public byte readFirst(int descriptor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocate(ValueLayout.JAVA_BYTE);
      c.pread(descriptor, bytes.address(), 1, 0);
      return bytes.get(ValueLayout.JAVA_BYTE, 0);
    }
  }

  /** Gives a file a name; false if there is a file of that name. */
  public boolean link(int descriptor, Path name) {
    return c.link(descriptor, name.toString()) == 0;
  }

  /** Marks a file as one that is locked as long as it is in use. */
  public void mark(int descriptor) {
    c.changeMode(descriptor, MARKED);
  }

  /**
   * Opens a file to ask whether it is locked.
   *
   * @param path the address of the zero-terminated path
   * @return its descriptor; negative if it cannot be opened
   */
  public int openToWatch(long path) {
    return c.peek(path);
  }

  /** Opens a file; negative if there is none, or none that this process may write. */
  public int open(Path file) {
    return c.openToWrite(file.toString());
  }

  /** Locks a file for a descriptor; false if another descriptor has it locked. */
  public boolean lock(int descriptor) {
    return c.lockExclusively(descriptor);
  }

  /** Closes a descriptor, which ends its lock. */
  public void close(int descriptor) {
    c.close(descriptor);
  }

  /**
   * Returns whether a file is locked by {@link #create} or {@link #lock}. One that cannot be opened
   * for lack of descriptors counts as locked.
   *
   * @param path the address of the zero-terminated path
   */
  public boolean isLocked(long path) {
    int descriptor = c.peek(path);
    if (descriptor < 0) {
      return true;
    }
    boolean locked = isHeld(descriptor);
    c.close(descriptor);
    return locked;
  }

  /** Returns whether another descriptor has a file locked, also if the file was deleted. */
  public boolean isHeld(int descriptor) {
    boolean free = c.lockShared(descriptor);
    if (free) {
      c.unlockFile(descriptor);
    }
    return !free;
  }

  /** As {@link #isLocked(long)}. */
  public boolean isLocked(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      return isLocked(arena.allocateFrom(file.toString()).address());
    }
  }

  /** Returns a status that is not read yet. */
  public FileStatus status() {
    return new FileStatus(c);
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

    private final CLibrary c;
    private final MemorySegment result = Arena.ofAuto().allocate(BYTES + Long.BYTES, Long.BYTES);
    private final long address = result.address();

    private FileStatus(CLibrary c) {
      this.c = c;
    }

    /**
     * Reads the status of a file.
     *
     * @param path the address of the zero-terminated path
     * @return false if there is no file
     */
    public boolean read(long path) {
      return c.status(path, address) == 0;
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
      return c.status(descriptor, address + BYTES, address) == 0;
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
