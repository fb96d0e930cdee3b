// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.object.Waiting;

/**
 * The open control file of a named vector: what the vector is like, which file has its entries now,
 * which process writes, which processes are attached, and the locks of its bytes. All numbers are
 * in the byte order of the machine.
 *
 * <pre>
 *     0  "OFI4J-AV" (8)
 *     8  version, 6 (4) | 0x01020304 (4)
 *    16  id of the vector, random (8)
 *    24  1 once everything else is there (4) | 0 (4)
 *    32  repairs (8)        how many writers have repaired what others had left
 *    40  writer (8)         the process that is changing entries: its process id (4) | its place
 *                           among the participants, plus 1 (4), negative after a change that
 *                           failed; 0 between changes
 *    48  changes (8)        grows with each hold of the writer's lock
 *    56  inode of this file (8), so that one knows whether its path still leads to it
 *    64  the domain's name: bytes of its UTF-8 (4) | CRC-32C of them (4) | the first of them (24)
 *    96  the vector's name (32), in the same form
 *   128  traits of the vector (48)
 *   176  salt of the fingerprints of keys (32), random
 *   208  waiting (8)       process id of one that has waited for the writer's lock for long, or 0
 *   216  0
 *  4096  participant 0: process id (8) | when it attached, ms since 1970 (8)
 *        participants 1 to 1023; zeros: none, and nothing to clean up after
 * 20480  end
 *
 *   locks, beyond the end, of one byte each:
 *  2^40       guard: the process that attaches or leaves
 *  2^40 + 1   writer
 *  2^40 + 16 + i   participant i is alive; so it is if its {@link LivenessSocket} listens
 * </pre>
 *
 * <p>A channel is closed by the interruption of a thread that reads, writes or maps with it, and
 * with it all locks end. So threads that are unknown to callers do that. Taking locks without
 * waiting is not affected, and neither is asking for the length, for which the file is open a
 * second time: each change of a vector does that. The system ends all locks of the process when
 * either is closed, so they are closed together.
 */
final class ControlFile implements AutoCloseable {
  static final String SUFFIX = ".control";
  static final int PARTICIPANTS = 1024;
  static final long BYTES = 4096 + PARTICIPANTS * 16L;

  /** The id of this process, as {@link ProcessHandle#pid}. */
  static final long PROCESS = process();

  private static final String KIND = "OFI4J-AV";
  private static final int VERSION = 6;
  private static final long ID = 16;
  private static final long READY = 24;
  private static final long REPAIRS = 32;
  private static final long WRITER = 40;
  private static final long CHANGES = 48;
  private static final long INODE = 56;
  private static final long DOMAIN = 64;
  private static final long NAME = 96;
  private static final int MARK_BYTES = 32;
  private static final long SALT = 176;
  private static final int SALT_BYTES = 32;
  private static final long WAITING = 208;
  private static final long FIRST_PARTICIPANT = 4096;

  private static final long GUARD = 1L << 40;
  private static final long WRITER_LOCK = GUARD + 1;
  private static final long ALIVE = GUARD + 16;

  /** After so long, in ns, a writer has waited for long; others of less patience have not. */
  private static final long LONG_WAIT = 50_000_000;

  /** How often a process that has waited for long tries. */
  private static final long SHORT_WAIT = 100_000;

  /** How long others let it have its way; it needs a fraction of that if it runs. */
  private static final long LONGEST_WAY = 20_000_000;

  private static final VarHandle LONG = JAVA_LONG.varHandle();
  private static final VarHandle INT = JAVA_INT.varHandle();

  final Path path;

  /** No other file has this inode as long as this one is open. */
  final long inode;

  private final long device;
  private final FileChannel channel;
  private final RandomAccessFile length;
  private final Arena arena = Arena.ofShared();

  /** Empty until the file is mapped; read only unless this process writes. */
  private MemorySegment memory = MemorySegment.NULL;

  /**
   * Opens a file that is there and no link.
   *
   * @throws NoSuchFileException if there is no file, or it is removed or replaced during the call
   */
  ControlFile(Path path) throws IOException {
    this.path = path;
    this.inode = number("unix:ino");
    this.device = number("unix:dev");
    this.channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    try {
      this.length = openAgain();
    } catch (Throwable failed) {
      channel.close();
      throw failed;
    }
  }

  private RandomAccessFile openAgain() throws IOException {
    RandomAccessFile file;
    try {
      file = new RandomAccessFile(path.toFile(), "r");
    } catch (FileNotFoundException refused) {
      // It names no cause: another attempt to open the file does.
      FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS).close();
      throw gone("it has just been replaced");
    }
    boolean same = false;
    try {
      // Before and after: so it is the inode of the open file.
      same = isAtItsPath();
    } finally {
      if (!same) {
        file.close();
      }
    }
    if (!same) {
      throw gone("it has just been replaced");
    }
    return file;
  }

  /** Returns an exception after which callers try again. */
  NoSuchFileException gone(String why) {
    return new NoSuchFileException(path.toString(), null, why);
  }

  long length() throws IOException {
    return length.length();
  }

  /**
   * Whether it is too short for what is mapped of it. Looked at before it is touched: compiled code
   * may tell of a fault later than where it happened.
   */
  boolean isCut() throws IOException {
    return length() < BYTES;
  }

  /**
   * Whether its path still leads to it; it may not if it was opened by a process that did not have
   * the guard.
   */
  boolean isAtItsPath() throws IOException {
    try {
      return number("unix:ino") == inode;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  private long number(String attribute) throws IOException {
    Object number = Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS);
    return number instanceof Long known ? known : 0;
  }

  /**
   * Returns the id of this process. If the system has it in a link, that is read: {@link
   * ProcessHandle} makes threads ready to wait for other processes first, and takes longer than a
   * vector to open.
   */
  private static long process() {
    try {
      return Long.parseLong(String.valueOf(Files.readSymbolicLink(Path.of("/proc/self"))));
    } catch (IOException | UnsupportedOperationException | NumberFormatException none) {
      return ProcessHandle.current().pid();
    }
  }

  // Bytes.

  boolean isMapped() {
    return memory.byteSize() != 0;
  }

  private boolean isWritable() {
    return isMapped() && !memory.isReadOnly();
  }

  /** Maps it, if it is not mapped in this way yet. */
  void map(boolean forWriting) throws IOException {
    if (!isMapped() || (forWriting && memory.isReadOnly())) {
      MapMode mode = forWriting ? MapMode.READ_WRITE : MapMode.READ_ONLY;
      memory = undisturbed(() -> channel.map(mode, 0, BYTES, arena));
    }
  }

  /** Fills it with zeros, and maps it. */
  void clear() throws IOException {
    // The mapping ends with the file; this is one of what is about to be empty.
    memory = MemorySegment.NULL;
    try {
      write(0, ByteBuffer.allocate((int) BYTES));
    } catch (IOException full) {
      undisturbed(() -> channel.truncate(0));
      throw new FabricException(Errno.ENOMEM, VectorFile.full(BYTES, path, full), full);
    }
    map(true);
  }

  /** Writes the place of a participant, for which the file need not be mapped for writing. */
  void write(int participant, long process, long time) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    write(participantOffset(participant), record.putLong(process).putLong(time).flip());
  }

  private void write(long position, ByteBuffer bytes) throws IOException {
    undisturbed(() -> {
      if (position == 0) {
        channel.truncate(0);
      }
      while (bytes.hasRemaining()) {
        channel.write(bytes, position + bytes.position());
      }
      return bytes;
    });
  }

  private static <T> T undisturbed(Callable<T> use) throws IOException {
    FutureTask<T> task = new FutureTask<>(use);
    Thread.ofPlatform().daemon().name("ofi4j-control").start(task);
    try {
      return Waiting.uninterrupted(task::get);
    } catch (ExecutionException failed) {
      throw new IOException("cannot be used: " + failed.getCause(), failed.getCause());
    }
  }

  /** Writes all but that it is ready; the memory is zeros. */
  void begin(String domain, String name, byte[] traits) {
    FileHeader.write(memory, KIND, VERSION);
    memory.set(JAVA_LONG, ID, SystemRandom.nextLong());
    memory.set(JAVA_LONG, INODE, inode);
    MemorySegment.copy(mark(domain), 0, memory, JAVA_BYTE, DOMAIN, MARK_BYTES);
    MemorySegment.copy(mark(name), 0, memory, JAVA_BYTE, NAME, MARK_BYTES);
    MemorySegment.copy(SystemRandom.bytes(SALT_BYTES), 0, memory, JAVA_BYTE, SALT, SALT_BYTES);
    FileHeader.writeTraits(memory, traits);
  }

  void ready() {
    INT.setRelease(memory, READY, 1);
  }

  boolean isReady() {
    return (int) INT.getAcquire(memory, READY) == 1;
  }

  /**
   * Refuses what is not the control file of a certain vector that is ready.
   *
   * @throws FabricException with {@link Errno#EINVAL}; with {@link Errno#EIO} if it is damaged
   */
  void check(String domain, String name) {
    if (!isMapped() || !isReady()) {
      throw damaged("says that it is not ready, but processes are attached to it");
    }
    checkHeader();
    checkText(DOMAIN, domain, "domain");
    checkText(NAME, name, "vector");
    long said = memory.get(JAVA_LONG, INODE);
    if (said != inode) {
      throw damaged("says that it is inode " + said + ", but is " + inode);
    }
  }

  private void checkHeader() {
    FileHeader.check(memory, KIND, VERSION, text(), "is not that of a named vector");
  }

  private String text() {
    return "control file " + path;
  }

  FabricException damaged(String why) {
    return FileHeader.damaged(text(), "it " + why);
  }

  /** The faults of a file that may be damaged, as far as they show without the names. */
  List<String> faults() {
    List<String> faults = new ArrayList<>();
    try {
      checkHeader();
    } catch (FabricException bad) {
      faults.add(String.valueOf(bad.getMessage()));
    }
    if (!isReady()) {
      faults.add(text() + " is not ready: " + memory.get(JAVA_INT, READY));
    }
    if (repairs() < 0) {
      faults.add(text() + " has " + repairs() + " repairs");
    }
    for (int i = 0; i < PARTICIPANTS; i++) {
      if (participant(i) < 0 || (participant(i) == 0 && attachedAt(i) != 0)) {
        faults.add(text() + " has process " + participant(i) + " as participant " + i);
      }
    }
    return faults;
  }

  /**
   * The mark of a name in a file: its length, its sum, and how it begins. The path has all of it,
   * so that this shows by accident only: a file under another's path. A digest would take a
   * provider of security, for which the first vector of a JVM would have to wait.
   */
  private static byte[] mark(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    CRC32C sum = new CRC32C();
    sum.update(bytes, 0, bytes.length);
    return ByteBuffer.allocate(MARK_BYTES)
        .order(ByteOrder.nativeOrder())
        .putInt(bytes.length)
        .putInt((int) sum.getValue())
        .put(bytes, 0, Math.min(bytes.length, MARK_BYTES - 2 * Integer.BYTES))
        .array();
  }

  private void checkText(long offset, String text, String what) {
    if (memory.asSlice(offset, MARK_BYTES).mismatch(MemorySegment.ofArray(mark(text))) >= 0) {
      throw invalid(text() + " is not of " + what + " \"" + text + "\"");
    }
  }

  long id() {
    return memory.get(JAVA_LONG, ID);
  }

  byte[] salt() {
    return memory.asSlice(SALT, SALT_BYTES).toArray(JAVA_BYTE);
  }

  byte[] traits() {
    return FileHeader.traits(memory);
  }

  long repairs() {
    return (long) LONG.getAcquire(memory, REPAIRS);
  }

  /** Counts a repair. */
  void addRepair() {
    LONG.setRelease(memory, REPAIRS, repairs() + 1);
  }

  /** Returns the word at 40: which participant changes entries, or died or failed at that. */
  long writer() {
    return (long) LONG.getAcquire(memory, WRITER);
  }

  /** Returns the word of a writer. */
  static long writer(long process, int place) {
    return (place + 1L) << Integer.SIZE | process;
  }

  /**
   * Returns the process id in the word of a writer, as it is in the PID namespace of the writer.
   */
  static long process(long writer) {
    return (int) writer;
  }

  /** Returns the place in the word of a writer; -1 for none, and after a change that failed. */
  static int place(long writer) {
    int place = (int) (writer >> Integer.SIZE) - 1;
    return place < 0 || place >= PARTICIPANTS ? -1 : place;
  }

  /**
   * Stores the word of a process that begins a change, unless another process has stored its own
   * since the word was read.
   *
   * @param left the word that was read
   * @return whether the word was still the one that was read
   */
  boolean beginChange(long left, long writer) {
    boolean begun = LONG.compareAndSet(memory, WRITER, left, writer);
    VarHandle.fullFence();
    return begun;
  }

  /** Counts a change, which is whole, and returns the number of changes. */
  long endChange() {
    long changes = changes() + 1;
    LONG.setRelease(memory, CHANGES, changes);
    LONG.setRelease(memory, WRITER, 0L);
    VarHandle.fullFence();
    return changes;
  }

  /** Stores that the change of a writer failed, so that others repair it while the writer lives. */
  void failChange(long writer) {
    LONG.setRelease(memory, WRITER, -1L << Integer.SIZE | process(writer));
  }

  /** Stores which process has waited for the writer's lock for long, or 0. */
  private void waiting(long process) {
    LONG.setRelease(memory, WAITING, process);
  }

  long changes() {
    return (long) LONG.getAcquire(memory, CHANGES);
  }

  /** The process that has, or had, the place of a participant; 0 if none. */
  long participant(int place) {
    return (long) LONG.getAcquire(memory, participantOffset(place));
  }

  long attachedAt(int place) {
    return (long) LONG.getAcquire(memory, participantOffset(place) + Long.BYTES);
  }

  private static long participantOffset(int place) {
    return FIRST_PARTICIPANT + place * 16L;
  }

  // Locks.

  /** A question or an attempt with files, or a condition that is checked while a lock is held. */
  interface Question<T extends @Nullable Object> {
    T ask() throws IOException;
  }

  /**
   * Takes the lock that says that a participant is alive, if no other process has it and a
   * condition is met; or returns null.
   */
  @Nullable FileLock tryAlive(int participant, Question<Boolean> condition) throws IOException {
    return tryLock(ALIVE + participant, condition);
  }

  /** Whether another process has the lock of any participant of a range. */
  boolean isAnyAlive(int from, int to) throws IOException {
    if (from == to) {
      return false;
    }
    FileLock probe = channel.tryLock(ALIVE + from, to - from, false);
    if (probe != null) {
      probe.release();
    }
    return probe == null;
  }

  /**
   * Locks out processes that attach, leave, or ask who is alive.
   *
   * @throws FabricException with {@link Errno#EAGAIN} if it takes too long, naming who has it as
   *     far as that can be known
   */
  FileLock guard(long deadline) {
    return lock(GUARD, deadline, () -> true);
  }

  /**
   * Locks all other writers out. A process that has waited for long says so in the file, and the
   * one that gives the lock back then {@link #giveWay gives way}: otherwise one that takes it again
   * at once would leave others no more than a microsecond now and then.
   *
   * @param condition what else must be so; until then the lock counts as taken
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  FileLock lockWriters(long deadline, Question<Boolean> condition) {
    return lock(WRITER_LOCK, deadline, condition);
  }

  private @Nullable FileLock tryLock(long position, Question<Boolean> condition)
      throws IOException {
    FileLock lock = channel.tryLock(position, 1, false);
    boolean isMet = false;
    try {
      isMet = lock != null && condition.ask();
    } finally {
      if (lock != null && !isMet) {
        lock.release();
      }
    }
    return isMet ? lock : null;
  }

  private FileLock lock(long position, long deadline, Question<Boolean> condition) {
    boolean marks = position == WRITER_LOCK && isWritable();
    boolean marked = false;
    long patient = System.nanoTime() + LONG_WAIT;
    try {
      FileLock lock = tryLock(position, condition);
      for (int attempt = 0; lock == null && System.nanoTime() - deadline <= 0; attempt++) {
        if (marks && System.nanoTime() - patient > 0) {
          waiting(PROCESS);
          marked = true;
          park(SHORT_WAIT);
        } else if (attempt < 20) {
          Thread.onSpinWait();
        } else {
          park(Math.min(1_000_000L, 10_000L * (attempt - 19)));
        }
        lock = tryLock(position, condition);
      }
      if (marked) {
        waiting(0);
      }
      if (lock == null) {
        throw late(holder(position));
      }
      return lock;
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be locked: " + e, e);
    }
  }

  /** After the writers' lock was given back: lets a process have it that has waited for long. */
  void giveWay() {
    if (!isWritable()) {
      return;
    }
    try {
      long start = System.nanoTime();
      while ((long) LONG.getAcquire(memory, WAITING) != 0) {
        if (System.nanoTime() - start > LONGEST_WAY) {
          // It has died, is stopped, or had enough.
          waiting(0);
          return;
        }
        park(SHORT_WAIT);
      }
    } catch (InternalError cut) {
      // The next use of the file reports that it was cut.
      return;
    }
  }

  private static void park(long nanoseconds) {
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(nanoseconds);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns which process has the lock of a byte, in words. */
  private String holder(long position) {
    boolean isGuard = position == GUARD;
    long process = HeldLocks.holder(device, inode, position);
    if (process == 0 && !isGuard) {
      process = lastWriter();
    }
    String what = isGuard ? "somebody who attaches or leaves" : "somebody who only looks at it";
    if (process == 0) {
      return what;
    }
    return "process " + process + (isGuard ? ", " + what + "," : "");
  }

  /** The process that says that it changes entries; it may have died since then. */
  private long lastWriter() {
    return isMapped() ? process(writer()) : 0;
  }

  /**
   * Returns the error of a thread that waited too long for another thread of this process, which
   * may wait itself.
   *
   * @param place the place of this process, which identifies it in the word of the writer
   */
  FabricException lateThread(int place) {
    long process = HeldLocks.holder(device, inode, WRITER_LOCK);
    boolean isOwn = process == PROCESS;
    if (process == 0) {
      process = lastWriter();
      isOwn = process == 0 || place(writer()) == place;
    }
    return late(isOwn ? "another thread of this process, " + PROCESS + "," : "process " + process);
  }

  private FabricException late(String holder) {
    return new FabricException(
        Errno.EAGAIN,
        "%s has held the lock of %s for longer than others wait: it may be stopped; continue it, or end it"
            .formatted(holder, path));
  }

  /** Unmaps and closes it, which ends all locks of this process. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
    try (length) {
      channel.close();
    } catch (IOException e) {
      // It is gone for us all the same.
      return;
    }
  }
}
