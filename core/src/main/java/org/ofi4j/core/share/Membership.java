package org.ofi4j.core.share;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * What one process has of one named vector, however often it opened it: the control file and the
 * locks. The kernel drops locks when a process ends, in whatever way, and also when the process
 * closes <em>any</em> descriptor of the file: so the file is opened once here, and by nobody else.
 *
 * <p>A channel is closed by the interruption of a thread that reads, writes or maps with it. So
 * bytes are written through the {@link RandomAccessFile}, and it is mapped by a thread of its own
 * that nobody knows; taking locks without waiting is not affected.
 */
final class Membership {
  /** Makes the first entries of a vector, which nobody else sees yet. */
  interface Founder {
    /**
     * Makes an empty store in a file that was made just now.
     *
     * @param file the file
     */
    void found(VectorFile file);
  }

  private static final long PROCESS = ProcessHandle.current().pid();
  private static final SecureRandom IDS = new SecureRandom();

  /** Opening and closing, one at a time in this process. */
  private static final ReentrantLock REGISTRY = new ReentrantLock();

  private static final Map<Path, Membership> MEMBERSHIPS = new HashMap<>();

  private final Path path;
  private final RandomAccessFile file;
  private final FileChannel channel;
  private final Arena arena = Arena.ofShared();
  private final List<FileLock> kept = new ArrayList<>();
  private MemorySegment readable = MemorySegment.NULL;
  private @Nullable MemorySegment writable;
  private int place = -1;
  private int users;

  private final ReentrantLock writers = new ReentrantLock();
  private @Nullable FileLock writerLock;

  private Membership(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
    this.channel = file.getChannel();
  }

  /**
   * Joins a vector, or makes it.
   *
   * @param directory where it is
   * @param domain the name of its domain
   * @param name its name
   * @param traits what it must be like
   * @param readOnly whether it must be there, and somebody attached to it
   * @param patience how long others are waited for
   * @param founder makes the first entries
   * @return the membership, to be {@link #leave left}
   */
  static Membership join(
      ShareDirectory directory,
      String domain,
      String name,
      VectorTraits traits,
      boolean readOnly,
      Duration patience,
      Founder founder) {
    Path path = directory.control(domain, name).toAbsolutePath();
    REGISTRY.lock();
    try {
      Membership known = MEMBERSHIPS.get(path);
      if (known != null) {
        traits.checkFits(known.block().traits(), name);
        known.map(!readOnly);
        known.users++;
        return known;
      }
      long deadline = System.nanoTime() + patience.toNanos();
      while (true) {
        Membership opened = open(directory, path, name, readOnly);
        boolean joined = false;
        try {
          joined = opened.join(domain, name, traits, readOnly, deadline, founder);
        } finally {
          if (!joined) {
            opened.abandon();
          }
        }
        if (joined) {
          opened.users = 1;
          MEMBERSHIPS.put(path, opened);
          return opened;
        }
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be opened: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  private static Membership open(ShareDirectory directory, Path path, String name, boolean readOnly)
      throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (readOnly) {
        throw absent(name);
      }
      try {
        Files.createFile(path, ShareDirectory.OWN_FILE);
      } catch (FileAlreadyExistsException other) {
        // Somebody else has just made it.
      }
    }
    directory.check(path);
    try {
      return new Membership(path, new RandomAccessFile(path.toFile(), "rw"));
    } catch (FileNotFoundException gone) {
      throw new FabricException(
          Errno.EAGAIN, "vector \"" + name + "\" went away just now: try again", gone);
    }
  }

  private static FabricException absent(String name) {
    return new FabricException(
        Errno.ENOENT, "there is no vector \"" + name + "\" to be read (AV-048): create it first");
  }

  /** Removes the files of a vector that nobody is attached to; see {@link NamedVector#unlink}. */
  static void unlink(ShareDirectory directory, String domain, String name, Duration patience) {
    Path path = directory.control(domain, name).toAbsolutePath();
    REGISTRY.lock();
    try {
      if (MEMBERSHIPS.containsKey(path)) {
        throw inUse(name, List.of(PROCESS));
      }
      Membership left = open(directory, path, name, true);
      try {
        left.deleteIfDead(name, System.nanoTime() + patience.toNanos());
      } finally {
        left.abandon();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be removed: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  private static FabricException inUse(String name, List<Long> processes) {
    return new FabricException(
        Errno.EBUSY,
        "vector \""
            + name
            + "\" is in use by processes "
            + processes
            + ": it goes when the last of them closes it");
  }

  private void deleteIfDead(String name, long deadline) throws IOException {
    FileLock guard = lock(ControlBlock.GUARD, deadline, "somebody who attaches or leaves");
    try {
      // What is shorter was never finished: nobody is attached to it.
      if (file.length() >= ControlBlock.BYTES) {
        map(false);
        List<Long> living = processes();
        if (!living.isEmpty()) {
          throw inUse(name, living);
        }
      }
      deleteEntries(path, 0);
      Files.deleteIfExists(path);
    } finally {
      guard.release();
    }
  }

  /** Joins; false if the file is not that of the path any more. */
  private boolean join(
      String domain,
      String name,
      VectorTraits traits,
      boolean readOnly,
      long deadline,
      Founder founder)
      throws IOException {
    FileLock guard = lock(ControlBlock.GUARD, deadline, "somebody who attaches or leaves");
    try {
      long inode;
      try {
        inode = inode(path);
      } catch (NoSuchFileException gone) {
        return false;
      }
      boolean present = file.length() >= ControlBlock.BYTES;
      if (present) {
        map(false);
        present = block().isReady();
      }
      if (present) {
        if (block().inode() != inode) {
          return false;
        }
        block().check(String.valueOf(path), domain, name);
        present = hasLiving();
      }
      if (!present && readOnly) {
        if (file.length() == 0) {
          // It was there a moment ago, and opening made it again.
          Files.deleteIfExists(path);
        }
        throw absent(name);
      }
      if (!present) {
        create(domain, name, traits, inode, founder);
      } else {
        traits.checkFits(block().traits(), name);
        map(!readOnly);
      }
      enter();
      if (!present) {
        new ControlBlock(writable()).ready();
      }
      return true;
    } finally {
      guard.release();
    }
  }

  /** Makes the vector anew; whoever had it before is dead. */
  private void create(String domain, String name, VectorTraits traits, long inode, Founder founder)
      throws IOException {
    deleteEntries(path, 0);
    unmap();
    file.setLength(0);
    // It may have been made by opening it.
    Files.setPosixFilePermissions(path, ShareDirectory.OWN_FILE.value());
    try {
      file.write(new byte[(int) ControlBlock.BYTES]);
    } catch (IOException full) {
      file.setLength(0);
      throw new FabricException(
          Errno.ENOMEM, "no room for " + path + " of vector \"" + name + "\": " + full, full);
    }
    map(true);
    ControlBlock block = new ControlBlock(writable());
    long id = IDS.nextLong();
    long base = traits.mapAddress() != 0 ? traits.mapAddress() : MapAddresses.choose(IDS, traits);
    block.begin(id, inode, domain, name, traits.at(base));
    try (VectorFile first = VectorFile.create(ShareDirectory.data(path, 1), id, 1)) {
      founder.found(first);
    }
    block.generation(1);
  }

  /** Takes the place of a participant. */
  private void enter() throws IOException {
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (block().participant(i) == 0) {
        FileLock alive = channel.tryLock(ControlBlock.ALIVE + i, 1, false);
        if (alive != null) {
          kept.add(alive);
          place = i;
          write(i, PROCESS, System.currentTimeMillis());
          return;
        }
      }
    }
    throw new FabricException(
        Errno.EAGAIN,
        path + " has " + ControlBlock.PARTICIPANTS + " processes attached, the most there can be");
  }

  private void write(int participant, long process, long time) throws IOException {
    byte[] bytes = new byte[2 * Long.BYTES];
    MemorySegment record = MemorySegment.ofArray(new long[] {process, time});
    MemorySegment.copy(record, 0, MemorySegment.ofArray(bytes), 0, bytes.length);
    file.seek(ControlBlock.participantOffset(participant));
    file.write(bytes);
  }

  /** A look at a vector. */
  interface Visit<T> {
    T of(Membership visited) throws IOException;
  }

  /**
   * Looks at a vector with the lock of all writers, without joining it. A process must not open the
   * control file twice, as closing it would end its locks: one that has joined goes by what it has,
   * any other lets nobody join meanwhile.
   */
  static <T> T visit(Path path, Duration patience, Visit<T> visit) throws IOException {
    Membership known;
    REGISTRY.lock();
    try {
      known = MEMBERSHIPS.get(path);
      if (known == null) {
        return visitAsStranger(path, patience, visit);
      }
      known.users++;
    } finally {
      REGISTRY.unlock();
    }
    // Who changes the vector in this process may need the registry for that.
    try {
      return known.visit(patience, visit);
    } finally {
      known.leave(patience);
    }
  }

  private static <T> T visitAsStranger(Path path, Duration patience, Visit<T> visit)
      throws IOException {
    Membership visitor = new Membership(path, new RandomAccessFile(path.toFile(), "rw"));
    try {
      long bytes = visitor.file.length();
      if (bytes < ControlBlock.BYTES) {
        String size = bytes + " bytes instead of " + ControlBlock.BYTES;
        throw new FabricException(
            Errno.EIO, "control file " + path + " is damaged: it has " + size);
      }
      visitor.map(false);
      return visitor.visit(patience, visit);
    } finally {
      visitor.abandon();
    }
  }

  private <T> T visit(Duration patience, Visit<T> visit) throws IOException {
    lockWriter(patience);
    try {
      return visit.of(this);
    } finally {
      unlockWriter();
    }
  }

  /** The places that are not free. */
  List<Integer> taken() {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (block().participant(i) != 0) {
        taken.add(i);
      }
    }
    return taken;
  }

  /** Leaves; the last one to leave takes the files away. */
  void leave(Duration patience) {
    REGISTRY.lock();
    try {
      users--;
      if (users > 0) {
        return;
      }
      MEMBERSHIPS.remove(path);
      long deadline = System.nanoTime() + patience.toNanos();
      FileLock guard = lock(ControlBlock.GUARD, deadline, "somebody who attaches or leaves");
      try {
        if (block().inode() == inode(path) && !hasOthers()) {
          deleteEntries(path, 0);
          Files.deleteIfExists(path);
        }
        write(place, 0, 0);
      } finally {
        guard.release();
      }
    } catch (NoSuchFileException gone) {
      // Somebody has removed it already.
      return;
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be left: " + e, e);
    } finally {
      if (users == 0) {
        abandon();
      }
      REGISTRY.unlock();
    }
  }

  private void abandon() {
    unmapForGood();
    try {
      // Ends all locks.
      file.close();
    } catch (IOException e) {
      // It is gone for us all the same.
      return;
    }
  }

  /** Whether anybody is attached, in this process or another. */
  private boolean hasLiving() throws IOException {
    return place >= 0 || hasOthers();
  }

  private boolean hasOthers() throws IOException {
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (i != place && block().participant(i) != 0 && isAlive(i)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the participant of a place lives; see {@link #ask}. */
  boolean isAlive(int participant) throws IOException {
    if (participant == place) {
      return true;
    }
    FileLock probe = channel.tryLock(ControlBlock.ALIVE + participant, 1, false);
    if (probe == null) {
      return true;
    }
    probe.release();
    return false;
  }

  /** A question about participants. */
  interface Question<T> {
    T ask() throws IOException;
  }

  /**
   * Asks about participants while none comes or goes, and nobody else asks: who is asked about is
   * locked for a moment, as if it were alive.
   */
  <T> T ask(Duration patience, Question<T> question) {
    REGISTRY.lock();
    try {
      long deadline = System.nanoTime() + patience.toNanos();
      FileLock guard = lock(ControlBlock.GUARD, deadline, "somebody who attaches or leaves");
      try {
        return question.ask();
      } finally {
        guard.release();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    } finally {
      REGISTRY.unlock();
    }
  }

  /** The places of those that died and were not cleaned up after. */
  List<Integer> dead() throws IOException {
    List<Integer> dead = new ArrayList<>();
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (block().participant(i) != 0 && !isAlive(i)) {
        dead.add(i);
      }
    }
    return dead;
  }

  /** The processes that are attached. */
  List<Long> processes() throws IOException {
    List<Long> found = new ArrayList<>();
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      long process = block().participant(i);
      if (process != 0 && isAlive(i)) {
        found.add(process);
      }
    }
    return found;
  }

  /** Frees the place of one that died. */
  void forget(int participant) throws IOException {
    write(participant, 0, 0);
  }

  int place() {
    return place;
  }

  Path path() {
    return path;
  }

  /** The control block, not to be written to. */
  ControlBlock block() {
    return new ControlBlock(readable);
  }

  /** The control block, for members that write. */
  MemorySegment writable() {
    MemorySegment memory = writable;
    if (memory == null) {
      throw new IllegalStateException("this process only reads " + path);
    }
    return memory;
  }

  // The writer's lock.

  /**
   * Waits for the lock of all writers of all processes.
   *
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  void lockWriter(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    if (!writers.tryLock()) {
      lockOwn(deadline);
    }
    boolean locked = false;
    try {
      if (writers.getHoldCount() == 1) {
        writerLock = lock(ControlBlock.WRITER_LOCK, deadline, null);
      }
      locked = true;
    } finally {
      if (!locked) {
        writers.unlock();
      }
    }
  }

  private void lockOwn(long deadline) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (writers.tryLock(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
            return;
          }
          throw late("another thread of this process, " + PROCESS + ",");
        } catch (InterruptedException later) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void unlockWriter() {
    FileLock held = writerLock;
    try {
      if (writers.getHoldCount() == 1 && held != null) {
        writerLock = null;
        held.release();
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "the lock of " + path + " cannot be released: " + e, e);
    } finally {
      writers.unlock();
    }
  }

  private FileLock lock(long position, long deadline, @Nullable String holder) {
    try {
      int attempt = 0;
      while (true) {
        FileLock lock = channel.tryLock(position, 1, false);
        if (lock != null) {
          return lock;
        }
        if (System.nanoTime() - deadline > 0) {
          throw late(holder != null ? holder : writer());
        }
        pause(attempt++);
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be locked: " + e, e);
    }
  }

  private String writer() {
    long process = block().writer();
    return process != 0 ? "process " + process : "a process that only looks at it";
  }

  private static void pause(int attempt) {
    if (attempt < 20) {
      Thread.onSpinWait();
    } else {
      boolean interrupted = Thread.interrupted();
      LockSupport.parkNanos(Math.min(1_000_000L, 10_000L * (attempt - 19)));
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private FabricException late(String holder) {
    return new FabricException(
        Errno.EAGAIN,
        holder
            + " has held the lock of "
            + path
            + " for longer than others wait: it may be stopped; continue it, or end it");
  }

  // The file.

  private void map(boolean forWriting) throws IOException {
    if (readable.byteSize() == 0) {
      readable = map(MapMode.READ_ONLY);
    }
    if (forWriting && writable == null) {
      writable = map(MapMode.READ_WRITE);
    }
  }

  private void unmap() {
    // The mappings end with the membership; these are of a file that is about to be empty.
    readable = MemorySegment.NULL;
    writable = null;
  }

  private void unmapForGood() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private MemorySegment map(MapMode mode) throws IOException {
    FutureTask<MemorySegment> mapping =
        new FutureTask<>(() -> channel.map(mode, 0, ControlBlock.BYTES, arena));
    Thread.ofPlatform().daemon().name("ofi4j-map").start(mapping);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return mapping.get();
        } catch (InterruptedException later) {
          interrupted = true;
        } catch (ExecutionException failed) {
          throw new IOException("cannot be mapped: " + failed.getCause(), failed.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Deletes the files with entries, but for those of one generation. */
  static void deleteEntries(Path control, long but) throws IOException {
    Path kept = ShareDirectory.data(control, but);
    String stem = ShareDirectory.stem(control) + ".";
    Path directory = control.toAbsolutePath().getParent();
    if (directory == null) {
      return;
    }
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(
            directory,
            file -> {
              String name = String.valueOf(file.getFileName());
              return name.startsWith(stem) && name.endsWith(VectorFile.SUFFIX);
            })) {
      for (Path file : files) {
        if (!file.getFileName().equals(kept.getFileName())) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  private static long inode(Path path) throws IOException {
    Object number = Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    return number instanceof Long ino ? ino : 0;
  }

  @Override
  public String toString() {
    return "named vector " + ShareDirectory.stem(path);
  }
}
