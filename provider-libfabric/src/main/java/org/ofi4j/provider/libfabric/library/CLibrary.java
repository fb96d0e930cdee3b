// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import org.jspecify.annotations.Nullable;

/** What is needed of the C library, which every JVM has in it. Any thread may call. */
final class CLibrary {
  static final int RTLD_NOW = 2;

  static final int EFD_CLOEXEC_NONBLOCK = 0x80800;

  private static final int READ_ONLY_CLOEXEC = 0x80000;

  /** {@code O_RDONLY | O_CLOEXEC | O_NONBLOCK}, which does not wait for a writer of a pipe. */
  private static final int PEEK = 0x80800;

  private static final int READ_WRITE_CLOEXEC = 0x80002;

  /** {@code O_TMPFILE} without {@code O_DIRECTORY}, whose number depends on the processor. */
  private static final int UNNAMED = 0x400000;

  private static final int DIRECTORY_FLAG =
      System.getProperty("os.arch").equals("aarch64") ? 0x4000 : 0x10000;

  private static final int LOCK_SHARED = 5;
  private static final int LOCK_EXCLUSIVE = 6;
  private static final int LOCK_NONE = 8;
  private static final int CURRENT_DIRECTORY = -100;
  private static final int FOLLOW_LINK = 0x400;
  private static final int EMPTY_PATH = 0x1000;
  private static final int BASIC_STATISTICS = 0x7FF;
  private static final int PROCESSORS_ONLINE = 84;
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;
  private static final int MAYMOVE_FIXED = 3;
  static final int MFD_CLOEXEC = 1;

  static final int PROT_NONE = 0;
  static final int PROT_READ_WRITE = 3;

  static final int MAP_SHARED_FIXED = 0x11;

  /** Private and anonymous; addresses without memory. */
  static final int MAP_RESERVED = 0x4022;

  private final MemorySegment dlopen;
  private final MemorySegment dlsym;
  private final MemorySegment dlerror;
  private final MemorySegment setenv;
  private final MemorySegment strdup;
  private final MemorySegment calloc;
  private final MemorySegment free;
  private final MemorySegment sigaction;
  private final MemorySegment poll;
  private final MemorySegment eventfd;
  private final MemorySegment read;
  private final MemorySegment write;
  private final MemorySegment close;
  private final MemorySegment open;
  private final MemorySegment lseek;
  private final MemorySegment pread;
  private final MemorySegment mmap;
  private final MemorySegment mremap;
  private final MemorySegment munmap;
  private final MemorySegment trylock;
  private final MemorySegment unlock;
  private final MemorySegment memfdCreate;
  private final MemorySegment ftruncate;
  private final MemorySegment flock;
  private final MemorySegment fchmod;
  private final MemorySegment fallocate;
  private final MemorySegment linkat;
  private final MemorySegment statx;
  private final MemorySegment pwrite;
  private final MemorySegment sysconf;
  private final MemorySegment processRead;

  CLibrary() {
    SymbolLookup symbols = Linker.nativeLinker().defaultLookup();
    dlopen = symbols.findOrThrow("dlopen");
    dlsym = symbols.findOrThrow("dlsym");
    dlerror = symbols.findOrThrow("dlerror");
    setenv = symbols.findOrThrow("setenv");
    strdup = symbols.findOrThrow("strdup");
    calloc = symbols.findOrThrow("calloc");
    free = symbols.findOrThrow("free");
    sigaction = symbols.findOrThrow("sigaction");
    poll = symbols.findOrThrow("poll");
    eventfd = symbols.findOrThrow("eventfd");
    read = symbols.findOrThrow("read");
    write = symbols.findOrThrow("write");
    close = symbols.findOrThrow("close");
    open = symbols.findOrThrow("open");
    lseek = symbols.findOrThrow("lseek");
    pread = symbols.findOrThrow("pread");
    mmap = symbols.findOrThrow("mmap");
    mremap = symbols.findOrThrow("mremap");
    munmap = symbols.findOrThrow("munmap");
    trylock = symbols.findOrThrow("pthread_spin_trylock");
    unlock = symbols.findOrThrow("pthread_spin_unlock");
    memfdCreate = symbols.findOrThrow("memfd_create");
    ftruncate = symbols.findOrThrow("ftruncate");
    flock = symbols.findOrThrow("flock");
    fchmod = symbols.findOrThrow("fchmod");
    fallocate = symbols.findOrThrow("posix_fallocate");
    linkat = symbols.findOrThrow("linkat");
    statx = symbols.findOrThrow("statx");
    pwrite = symbols.findOrThrow("pwrite");
    sysconf = symbols.findOrThrow("sysconf");
    processRead = symbols.findOrThrow("process_vm_readv");
  }

  /** {@code dlopen}; 0 if that fails, then {@link #dlerror} says why. */
  long dlopen(String file) {
    try (Arena arena = Arena.ofConfined()) {
      return Downcalls.call(dlopen, arena.allocateFrom(file).address(), RTLD_NOW);
    }
  }

  /** The address of a symbol; 0 if there is none. */
  long dlsym(long library, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return Downcalls.call(dlsym, library, arena.allocateFrom(name).address());
    }
  }

  @Nullable String dlerror() {
    return RawMemory.text(Downcalls.call(dlerror));
  }

  /** Sets a variable of the environment, unless it is there. */
  void setDefault(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      Downcalls.call(
          setenv, arena.allocateFrom(name).address(), arena.allocateFrom(value).address(), 0);
    }
  }

  /** A copy of text that {@code free} frees. */
  long strdup(String text) {
    try (Arena arena = Arena.ofConfined()) {
      return Downcalls.call(strdup, arena.allocateFrom(text).address());
    }
  }

  /** Zeroed memory that {@code free} frees. */
  long calloc(long bytes) {
    return Downcalls.call(calloc, 1, bytes);
  }

  void free(long address) {
    Downcalls.call(free, address);
  }

  /**
   * {@code sigaction}.
   *
   * @param action the new one, or 0
   * @param old takes the present one, or 0
   */
  int sigaction(int signal, long action, long old) {
    return (int) Downcalls.call(sigaction, signal, action, old);
  }

  /** {@code poll}: how many are ready; negative for an error, such as a signal. */
  int poll(long descriptors, int count, int milliseconds) {
    return (int) Downcalls.call(poll, descriptors, count, milliseconds);
  }

  /** A descriptor that wakes a {@link #poll}; negative if there are no more of them. */
  int eventfd() {
    return (int) Downcalls.call(eventfd, 0, EFD_CLOEXEC_NONBLOCK);
  }

  long read(int descriptor, long buffer, long bytes) {
    return Downcalls.call(read, descriptor, buffer, bytes);
  }

  long write(int descriptor, long buffer, long bytes) {
    return Downcalls.call(write, descriptor, buffer, bytes);
  }

  void close(int descriptor) {
    Downcalls.call(close, descriptor);
  }

  /** Opens a file to read it; a negative number if that fails. */
  int open(String file) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) Downcalls.call(open, arena.allocateFrom(file).address(), READ_ONLY_CLOEXEC);
    }
  }

  /** Returns the next offset at which a file has pages; a negative number if there is none. */
  long seekData(int descriptor, long offset) {
    return Downcalls.call(lseek, descriptor, offset, SEEK_DATA);
  }

  /** Returns the next offset at which a file has no pages, at the latest its end. */
  long seekHole(int descriptor, long offset) {
    return Downcalls.call(lseek, descriptor, offset, SEEK_HOLE);
  }

  /** {@code pread}: how many bytes were read; 0 at the end, negative if it fails. */
  long pread(int descriptor, long address, long bytes, long offset) {
    return Downcalls.call(pread, descriptor, address, bytes, offset);
  }

  /**
   * {@code process_vm_readv} of one piece of memory: how many bytes were read; negative if it
   * fails.
   *
   * @param local the address of an {@code iovec} of this process
   * @param remote the address of an {@code iovec} of the other process
   */
  long readProcess(int process, long local, long remote) {
    return Downcalls.call(processRead, process, local, 1, remote, 1, 0);
  }

  /** Moves a mapping to a fixed address, in place of what is mapped there; whether it did. */
  boolean move(long from, long bytes, long to) {
    return Downcalls.call(mremap, from, bytes, bytes, MAYMOVE_FIXED, to) == to;
  }

  void unmap(long address, long bytes) {
    Downcalls.call(munmap, address, bytes);
  }

  /** {@code pthread_spin_trylock}: whether the lock was free, and is taken now. */
  boolean tryLock(long spinLock) {
    return (int) Downcalls.call(trylock, spinLock) == 0;
  }

  /** {@code pthread_spin_unlock}. */
  void unlock(long spinLock) {
    Downcalls.call(unlock, spinLock);
  }

  /** {@code memfd_create}: a file that is in memory alone; negative if that fails. */
  int memoryFile(String name) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) Downcalls.call(memfdCreate, arena.allocateFrom(name).address(), MFD_CLOEXEC);
    }
  }

  /** {@code ftruncate}; 0 or -1. */
  int truncate(int descriptor, long bytes) {
    return (int) Downcalls.call(ftruncate, descriptor, bytes);
  }

  /**
   * {@code mmap}, from the beginning of the file.
   *
   * @return the address, or -1
   */
  long mmap(long address, long bytes, int protection, int flags, int descriptor) {
    return Downcalls.call(mmap, address, bytes, protection, flags, descriptor, 0);
  }

  /**
   * Opens a file only to lock it; the zero-terminated path is at an address.
   *
   * @return a descriptor, or a negative number
   */
  int peek(long path) {
    return (int) Downcalls.call(open, path, PEEK);
  }

  /** Opens a file to lock, read and write it; a negative number if that fails. */
  int openToWrite(String file) {
    try (Arena arena = Arena.ofConfined()) {
      return (int) Downcalls.call(open, arena.allocateFrom(file).address(), READ_WRITE_CLOEXEC);
    }
  }

  /** Makes a file in a directory that has no name; a negative number if that fails. */
  int openUnnamed(String directory, int mode) {
    int flags = READ_WRITE_CLOEXEC | UNNAMED | DIRECTORY_FLAG;
    try (Arena arena = Arena.ofConfined()) {
      return (int) Downcalls.call(open, arena.allocateFrom(directory).address(), flags, mode);
    }
  }

  /** {@code flock} that does not wait, for this descriptor alone: whether it has the lock. */
  boolean lockExclusively(int descriptor) {
    return (int) Downcalls.call(flock, descriptor, LOCK_EXCLUSIVE) == 0;
  }

  /** As {@link #lockExclusively}, but several may have the lock. */
  boolean lockShared(int descriptor) {
    return (int) Downcalls.call(flock, descriptor, LOCK_SHARED) == 0;
  }

  /** Gives the lock of a descriptor back. */
  void unlockFile(int descriptor) {
    Downcalls.call(flock, descriptor, LOCK_NONE);
  }

  /** {@code fchmod}; 0 or -1. */
  int changeMode(int descriptor, int mode) {
    return (int) Downcalls.call(fchmod, descriptor, mode);
  }

  /** {@code posix_fallocate} from the beginning of a file; 0 or a positive errno. */
  int allocate(int descriptor, long bytes) {
    return (int) Downcalls.call(fallocate, descriptor, 0, bytes);
  }

  /** Gives a file a name that no other has; 0 or -1. */
  int link(int descriptor, String name) {
    try (Arena arena = Arena.ofConfined()) {
      long from = arena.allocateFrom("/proc/self/fd/" + descriptor).address();
      long to = arena.allocateFrom(name).address();
      return (int)
          Downcalls.call(linkat, CURRENT_DIRECTORY, from, CURRENT_DIRECTORY, to, FOLLOW_LINK);
    }
  }

  /** {@code statx} of a path, which is zero-terminated; 0 or -1. */
  int status(long path, long result) {
    return (int) Downcalls.call(statx, CURRENT_DIRECTORY, path, 0, BASIC_STATISTICS, result);
  }

  /** {@code statx} of a descriptor; 0 or -1. */
  int status(int descriptor, long empty, long result) {
    return (int) Downcalls.call(statx, descriptor, empty, EMPTY_PATH, BASIC_STATISTICS, result);
  }

  /** {@code pwrite} at the beginning of a file: how many bytes were written. */
  long writeFirst(int descriptor, long address, long bytes) {
    return Downcalls.call(pwrite, descriptor, address, bytes, 0);
  }

  /** How many processors the host has online, whatever this process may use of them. */
  long processors() {
    return Downcalls.call(sysconf, PROCESSORS_ONLINE);
  }
}
