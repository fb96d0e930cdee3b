// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** The open control file of a named vector: its mappings and the locks of its bytes. */
final class ControlFile implements AutoCloseable {

  /** After so long, in ns, a writer has waited for long; others of less patience have not. */
  private static final long LONG = 50_000_000;

  /** How often who waited for long tries. */
  private static final long SHORT = 100_000;

  /** How long others let it have its way; it needs a fraction of that if it runs. */
  private static final long LONGEST_WAY = 20_000_000;

  private final Path path;
  private final long inode;
  private final long device;
  private final UndisturbedChannel channel;
  private final Arena arena = Arena.ofShared();
  private MemorySegment readable = MemorySegment.NULL;
  private @Nullable MemorySegment writable;

  /**
   * Opens a file that is there.
   *
   * @throws NoSuchFileException if it is not, or another one takes its place just now
   */
  ControlFile(Path path) throws IOException {
    this.path = path;
    this.inode = number(path, "unix:ino");
    this.device = number(path, "unix:dev");
    this.channel = new UndisturbedChannel(path);
    try {
      // Before and after: so it is that of the open file.
      if (number(path, "unix:ino") != inode) {
        throw new NoSuchFileException(String.valueOf(path), null, "it has just been replaced");
      }
    } catch (Throwable failed) {
      channel.close();
      throw failed;
    }
  }

  Path path() {
    return path;
  }

  long length() throws IOException {
    return channel.size();
  }

  /**
   * Whether it is too short for what is mapped of it. Looked at before it is touched: compiled code
   * may tell of a fault later than where it happened.
   */
  boolean isCut() throws IOException {
    return length() < ControlBlock.BYTES;
  }

  /** Its inode: no other file has the same one as long as this one is open. */
  long inode() {
    return inode;
  }

  /**
   * Whether its path leads to it still; it may not if it was opened by who did not have the guard.
   */
  boolean isAtItsPath() throws IOException {
    try {
      return number(path, "unix:ino") == inode;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  private static long number(Path path, String attribute) throws IOException {
    Object number = Files.getAttribute(path, attribute, LinkOption.NOFOLLOW_LINKS);
    return number instanceof Long known ? known : 0;
  }

  boolean isMapped() {
    return readable.byteSize() != 0;
  }

  /** The control block, not to be written to. */
  ControlBlock block() {
    return new ControlBlock(readable);
  }

  /** The control block, for members that write. */
  ControlBlock writableBlock() {
    MemorySegment memory = writable;
    if (memory == null) {
      throw new IllegalStateException("this process only reads " + path);
    }
    return new ControlBlock(memory);
  }

  /** Fills it with zeros, and maps it. */
  void clear() throws IOException {
    // The mappings end with the file; these are of what is about to be empty.
    readable = MemorySegment.NULL;
    writable = null;
    try {
      channel.replace(ByteBuffer.allocate((int) ControlBlock.BYTES));
    } catch (IOException full) {
      channel.replace(ByteBuffer.allocate(0));
      throw new FabricException(
          Errno.ENOMEM, VectorFile.full(ControlBlock.BYTES, path, full), full);
    }
    map(true);
  }

  void write(int participant, long process, long time) throws IOException {
    ByteBuffer record = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
    record.putLong(process).putLong(time).flip();
    channel.write(ControlBlock.participantOffset(participant), record);
  }

  // Locks.

  /** Locks bytes if nobody else has a lock of any of them; else answers null. */
  @Nullable FileLock tryLock(long position, long bytes) throws IOException {
    return channel.tryLock(position, bytes);
  }

  /** Locks bytes if no other process has a lock of any of them and a condition is met; or null. */
  @Nullable FileLock tryLock(long position, long bytes, Condition condition) throws IOException {
    FileLock lock = tryLock(position, bytes);
    boolean isMet = false;
    try {
      isMet = lock != null && condition.isMet();
    } finally {
      if (lock != null && !isMet) {
        lock.release();
      }
    }
    return isMet ? lock : null;
  }

  /** A condition of taking a lock, which is checked while the lock is held. */
  interface Condition {
    boolean isMet() throws IOException;
  }

  /**
   * Locks who attaches, leaves, or asks who is alive.
   *
   * @throws FabricException with {@link Errno#EAGAIN} if it takes too long, naming who has it as
   *     far as that can be known
   */
  FileLock guard(long deadline) {
    return lock(ControlBlock.GUARD, deadline, () -> true);
  }

  /**
   * Locks all other writers out. Who has waited for long says so in the file, and whoever gives the
   * lock back then {@link #giveWay gives way}: otherwise one that takes it again at once would
   * leave others no more than a microsecond now and then.
   *
   * @param condition what else must be so; until then the lock counts as taken
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  FileLock writer(long deadline, Condition condition) {
    return lock(ControlBlock.WRITER_LOCK, deadline, condition);
  }

  private FileLock lock(long position, long deadline, Condition condition) {
    boolean marks = position == ControlBlock.WRITER_LOCK && writable != null;
    long patient = System.nanoTime() + LONG;
    boolean marked = false;
    try {
      int attempt = 0;
      while (true) {
        FileLock lock = tryLock(position, 1, condition);
        if (lock != null) {
          if (marked) {
            writableBlock().waiting(0);
          }
          return lock;
        }
        long now = System.nanoTime();
        if (now - deadline > 0) {
          if (marked) {
            writableBlock().waiting(0);
          }
          throw late(holder(position));
        }
        if (marks && now - patient > 0) {
          writableBlock().waiting(OwnProcess.id());
          marked = true;
          park(SHORT);
        } else {
          pause(attempt++);
        }
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be locked: " + e, e);
    }
  }

  /** After the writers' lock was given back: lets somebody have it who has waited for long. */
  void giveWay() {
    if (writable == null) {
      return;
    }
    try {
      ControlBlock block = writableBlock();
      long start = System.nanoTime();
      while (block.waiting() != 0) {
        if (System.nanoTime() - start > LONGEST_WAY) {
          // It has died, is stopped, or had enough.
          block.waiting(0);
          return;
        }
        park(SHORT);
      }
    } catch (InternalError cut) {
      // Whoever uses the file next is told.
      return;
    }
  }

  /** Who has the lock of a byte, in words. */
  private String holder(long position) {
    boolean isGuard = position == ControlBlock.GUARD;
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

  /** Who says that it changes entries; it may have died since then. */
  private long lastWriter() {
    return isMapped() ? ControlBlock.process(block().writer()) : 0;
  }

  /**
   * Returns the error of a thread that waited too long for another thread of this process, which
   * may wait itself.
   *
   * @param place the place of this process, which identifies it in the word of the writer
   */
  FabricException lateThread(int place) {
    long process = HeldLocks.holder(device, inode, ControlBlock.WRITER_LOCK);
    boolean isOwn = process == OwnProcess.id();
    if (process == 0) {
      process = lastWriter();
      isOwn = process == 0 || ControlBlock.place(block().writer()) == place;
    }
    return late(
        isOwn ? "another thread of this process, " + OwnProcess.id() + "," : "process " + process);
  }

  private static void pause(int attempt) {
    if (attempt < 20) {
      Thread.onSpinWait();
    } else {
      park(Math.min(1_000_000L, 10_000L * (attempt - 19)));
    }
  }

  private static void park(long nanoseconds) {
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(nanoseconds);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  FabricException late(String holder) {
    return new FabricException(
        Errno.EAGAIN,
        holder
            + " has held the lock of "
            + path
            + " for longer than others wait: it may be stopped; continue it, or end it");
  }

  // Mappings.

  /** Maps it, if it is not mapped yet. */
  void map(boolean forWriting) throws IOException {
    if (readable.byteSize() == 0) {
      readable = map(MapMode.READ_ONLY);
    }
    if (forWriting && writable == null) {
      writable = map(MapMode.READ_WRITE);
    }
  }

  private MemorySegment map(MapMode mode) throws IOException {
    return channel.map(mode, ControlBlock.BYTES, arena);
  }

  /** Unmaps and closes it, which ends all locks of this process. */
  @Override
  public void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
    try {
      channel.close();
    } catch (IOException e) {
      // It is gone for us all the same.
      return;
    }
  }
}
