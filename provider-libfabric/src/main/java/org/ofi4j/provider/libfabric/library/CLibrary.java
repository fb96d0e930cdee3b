// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Functions of the C library that the JVM has loaded, with the numbers that they are called with.
 * Any thread may call.
 */
final class CLibrary {
  static final int RTLD_NOW = 2;

  static final int EFD_CLOEXEC_NONBLOCK = 0x80800;

  /** {@code O_RDONLY | O_CLOEXEC}. */
  static final int READ_ONLY = 0x80000;

  /** {@code O_RDONLY | O_CLOEXEC | O_NONBLOCK}, which does not wait for a writer of a pipe. */
  static final int PEEK = 0x80800;

  /** {@code O_RDWR | O_CLOEXEC}. */
  static final int READ_WRITE = 0x80002;

  /** {@code O_TMPFILE}; the number of {@code O_DIRECTORY} in it depends on the processor. */
  static final int UNNAMED =
      0x400000 | (System.getProperty("os.arch").equals("aarch64") ? 0x4000 : 0x10000);

  /** {@code LOCK_SH | LOCK_NB}, {@code LOCK_EX | LOCK_NB} and {@code LOCK_UN}. */
  static final int LOCK_SHARED = 5;

  static final int LOCK_EXCLUSIVE = 6;
  static final int LOCK_NONE = 8;
  static final int CURRENT_DIRECTORY = -100;
  private static final int FOLLOW_LINK = 0x400;
  static final int EMPTY_PATH = 0x1000;
  private static final int BASIC_STATISTICS = 0x7FF;
  private static final int PROCESSORS_ONLINE = 84;
  private static final int MAYMOVE_FIXED = 3;
  static final int MFD_CLOEXEC = 1;

  static final int PROT_NONE = 0;
  static final int PROT_READ_WRITE = 3;

  static final int MAP_SHARED_FIXED = 0x11;

  /** Private and anonymous; addresses without memory. */
  static final int MAP_RESERVED = 0x4022;

  private static final MemorySegment DLOPEN = function("dlopen");
  private static final MemorySegment DLSYM = function("dlsym");
  private static final MemorySegment DLERROR = function("dlerror");
  private static final MemorySegment SETENV = function("setenv");
  private static final MemorySegment STRDUP = function("strdup");
  private static final MemorySegment CALLOC = function("calloc");
  private static final MemorySegment FREE = function("free");
  private static final MemorySegment SIGACTION = function("sigaction");
  private static final MemorySegment POLL = function("poll");
  private static final MemorySegment EVENTFD = function("eventfd");
  private static final MemorySegment READ = function("read");
  private static final MemorySegment WRITE = function("write");
  private static final MemorySegment CLOSE = function("close");
  private static final MemorySegment OPEN = function("open");
  private static final MemorySegment PREAD = function("pread");
  private static final MemorySegment MMAP = function("mmap");
  private static final MemorySegment MREMAP = function("mremap");
  private static final MemorySegment MUNMAP = function("munmap");
  private static final MemorySegment TRYLOCK = function("pthread_spin_trylock");
  private static final MemorySegment UNLOCK = function("pthread_spin_unlock");
  private static final MemorySegment MEMFD_CREATE = function("memfd_create");
  private static final MemorySegment FTRUNCATE = function("ftruncate");
  private static final MemorySegment FLOCK = function("flock");
  private static final MemorySegment FCHMOD = function("fchmod");
  private static final MemorySegment FALLOCATE = function("posix_fallocate");
  private static final MemorySegment LINKAT = function("linkat");
  private static final MemorySegment STATX = function("statx");
  private static final MemorySegment PWRITE = function("pwrite");
  private static final MemorySegment SYSCONF = function("sysconf");
  private static final MemorySegment PROCESS_READ = function("process_vm_readv");

  private CLibrary() {}

  private static MemorySegment function(String name) {
    return Linker.nativeLinker().defaultLookup().findOrThrow(name);
  }

  /** {@code dlopen}; 0 if that fails, then {@link #dlerror} has the reason. */
  static long dlopen(String file) {
    return call(DLOPEN, file, RTLD_NOW, 0);
  }

  /** Calls a function whose first argument is text; others than the function has are not read. */
  private static long call(MemorySegment function, String text, long second, long third) {
    try (Arena arena = Arena.ofConfined()) {
      return Downcalls.call(function, arena.allocateFrom(text).address(), second, third);
    }
  }

  /** Returns the address of a symbol; 0 if there is none. */
  static long dlsym(long library, String name) {
    try (Arena arena = Arena.ofConfined()) {
      return Downcalls.call(DLSYM, library, arena.allocateFrom(name).address());
    }
  }

  static @Nullable String dlerror() {
    return RawMemory.text(Downcalls.call(DLERROR));
  }

  /** Sets a variable of the environment, unless it is there. */
  static void setDefault(String name, String value) {
    try (Arena arena = Arena.ofConfined()) {
      call(SETENV, name, arena.allocateFrom(value).address(), 0);
    }
  }

  /** Returns a copy of text that {@code free} frees. */
  static long strdup(String text) {
    return call(STRDUP, text, 0, 0);
  }

  /** Returns zeroed memory that {@code free} frees. */
  static long calloc(long bytes) {
    return Downcalls.call(CALLOC, 1, bytes);
  }

  static void free(long address) {
    Downcalls.call(FREE, address);
  }

  /**
   * {@code sigaction}.
   *
   * @param action the new one, or 0
   * @param old takes the present one, or 0
   */
  static int sigaction(int signal, long action, long old) {
    return (int) Downcalls.call(SIGACTION, signal, action, old);
  }

  /** {@code poll}: how many are ready; negative for an error, such as a signal. */
  static int poll(long descriptors, int count, int milliseconds) {
    return (int) Downcalls.call(POLL, descriptors, count, milliseconds);
  }

  /** Returns a descriptor that wakes a {@link #poll}; negative if there are no more of them. */
  static int eventfd() {
    return (int) Downcalls.call(EVENTFD, 0, EFD_CLOEXEC_NONBLOCK);
  }

  static long read(int descriptor, long buffer, long bytes) {
    return Downcalls.call(READ, descriptor, buffer, bytes);
  }

  static long write(int descriptor, long buffer, long bytes) {
    return Downcalls.call(WRITE, descriptor, buffer, bytes);
  }

  static void close(int descriptor) {
    Downcalls.call(CLOSE, descriptor);
  }

  /**
   * {@code open}; a negative number if that fails.
   *
   * @param mode of a file that is created
   */
  static int open(String file, int flags, int mode) {
    return (int) call(OPEN, file, flags, mode);
  }

  /** As {@link #open(String, int, int)}, of a zero-terminated path at an address. */
  static int open(long path, int flags) {
    return (int) Downcalls.call(OPEN, path, flags);
  }

  /** {@code pread}: how many bytes were read; 0 at the end, negative if it fails. */
  static long pread(int descriptor, long address, long bytes, long offset) {
    return Downcalls.call(PREAD, descriptor, address, bytes, offset);
  }

  /** {@code pwrite}: how many bytes were written; negative if it fails. */
  static long pwrite(int descriptor, long address, long bytes, long offset) {
    return Downcalls.call(PWRITE, descriptor, address, bytes, offset);
  }

  /**
   * {@code process_vm_readv} of one piece of memory: how many bytes were read; negative if it
   * fails.
   *
   * @param local the address of an {@code iovec} of this process
   * @param remote the address of an {@code iovec} of the other process
   */
  static long readProcess(int process, long local, long remote) {
    return Downcalls.call(PROCESS_READ, process, local, 1, remote, 1, 0);
  }

  /** Moves a mapping to a fixed address, in place of what is mapped there; whether it did. */
  static boolean move(long from, long bytes, long to) {
    return Downcalls.call(MREMAP, from, bytes, bytes, MAYMOVE_FIXED, to) == to;
  }

  static void unmap(long address, long bytes) {
    Downcalls.call(MUNMAP, address, bytes);
  }

  /** {@code pthread_spin_trylock}: whether the lock was free, and is taken now. */
  static boolean tryLock(long spinLock) {
    return (int) Downcalls.call(TRYLOCK, spinLock) == 0;
  }

  /** {@code pthread_spin_unlock}. */
  static void unlock(long spinLock) {
    Downcalls.call(UNLOCK, spinLock);
  }

  /** {@code memfd_create}: a file that is in memory alone; negative if that fails. */
  static int memoryFile(String name) {
    return (int) call(MEMFD_CREATE, name, MFD_CLOEXEC, 0);
  }

  /** {@code ftruncate}; 0 or -1. */
  static int truncate(int descriptor, long bytes) {
    return (int) Downcalls.call(FTRUNCATE, descriptor, bytes);
  }

  /**
   * {@code mmap}, from the beginning of the file.
   *
   * @return the address, or -1
   */
  static long mmap(long address, long bytes, int protection, int flags, int descriptor) {
    return Downcalls.call(MMAP, address, bytes, protection, flags, descriptor, 0);
  }

  /** {@code flock}; returns whether it succeeded. */
  static boolean flock(int descriptor, int operation) {
    return (int) Downcalls.call(FLOCK, descriptor, operation) == 0;
  }

  /** {@code fchmod}; 0 or -1. */
  static int changeMode(int descriptor, int mode) {
    return (int) Downcalls.call(FCHMOD, descriptor, mode);
  }

  /** {@code posix_fallocate} from the beginning of a file; 0 or a positive errno. */
  static int allocate(int descriptor, long bytes) {
    return (int) Downcalls.call(FALLOCATE, descriptor, 0, bytes);
  }

  /** {@code linkat}, which follows a symbolic link to the file: 0 or -1. */
  static int link(String file, String name) {
    try (Arena arena = Arena.ofConfined()) {
      long from = arena.allocateFrom(file).address();
      long to = arena.allocateFrom(name).address();
      return (int)
          Downcalls.call(LINKAT, CURRENT_DIRECTORY, from, CURRENT_DIRECTORY, to, FOLLOW_LINK);
    }
  }

  /** {@code statx} of a zero-terminated path below the directory of a descriptor; 0 or -1. */
  static int statx(int directory, long path, int flags, long result) {
    return (int) Downcalls.call(STATX, directory, path, flags, BASIC_STATISTICS, result);
  }

  /** Returns how many processors the host has online, whatever this process may use of them. */
  static long processors() {
    return Downcalls.call(SYSCONF, PROCESSORS_ONLINE);
  }
}
