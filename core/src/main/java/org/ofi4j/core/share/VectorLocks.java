// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * The locks of a named vector, as one process takes them. Each is one byte of the control file,
 * beyond its end:
 *
 * <pre>
 *  2^40       guard: the process that attaches or leaves
 *  2^40 + 1   writer
 *  2^40 + 16 + i   participant i is alive; so it is if its {@link LivenessSocket} listens
 * </pre>
 *
 * <p>The lock of all writers of all processes is one of the threads of this one, and a byte. A
 * process that is stopped keeps it. The system also takes the byte away when other code of the
 * process closes the control file. So the word of the writer decides: a process whose word is
 * there, and which lives, has the lock of all writers.
 *
 * <p>Each change of the vector takes this way, so all of it is here: it reads the words of the
 * control file where they are.
 */
public class VectorLocks {
  private static final long GUARD = 1L << 40;
  private static final long WRITERS = GUARD + 1;
  private static final long ALIVE = GUARD + 16;

  /** After so long, in ns, a writer has waited for long; others of less patience have not. */
  private static final long LONG_WAIT = 50_000_000;

  /** How often a process that has waited for long tries. */
  private static final long SHORT_WAIT = 100_000;

  /** How long others let it have its way; it needs a fraction of that if it runs. */
  private static final long LONGEST_WAY = 20_000_000;

  /** The file in which Linux lists all locks, a line each. */
  private static final Path LIST = Path.of("/proc/locks");

  private static final VarHandle LONG = JAVA_LONG.varHandle();

  private final ControlFile control;

  /** The place of this process among the participants; -1 before it has one. */
  volatile int place = -1;

  /** The id of the vector, and when this process attached: others change them if it is replaced. */
  long vector;

  private long attachedAt;

  /** Whether this process has left as it ends. */
  volatile boolean leftAtExit;

  private final ReentrantLock threads = new ReentrantLock();
  private @Nullable FileLock writers;

  /** The word of the writer when the lock was taken: 0, or that of one that died or failed. */
  private long left;

  /** The word of this process while it changes entries. */
  private long word;

  VectorLocks(ControlFile control) {
    this.control = control;
  }

  // This process among the participants.

  /** Goes on as the process that has a place. */
  void attach(int own, long time) {
    vector = control.id();
    attachedAt = time;
    word = word(ControlFile.PROCESS, own);
    place = own;
  }

  boolean isOwnVector() {
    return get(ControlFile.ID) == vector;
  }

  /** Whether the place is still that of this process: no other process has taken it for dead. */
  boolean isAttached() {
    long record = ControlFile.FIRST_PARTICIPANT + place * ControlFile.PARTICIPANT_BYTES;
    return isOwnVector()
        && place >= 0
        && get(record) == ControlFile.PROCESS
        && get(record + Long.BYTES) == attachedAt;
  }

  /**
   * Throws an exception if this process is not attached any more.
   *
   * @throws FabricException with {@link Errno#ECANCELED} if it has left as it ends; with {@link
   *     Errno#EIO} if another process took it for dead
   */
  void checkAttached() {
    boolean isAttached = isAttached();
    if (leftAtExit) {
      throw new FabricException(
          Errno.ECANCELED, "process " + ControlFile.PROCESS + " is ending, and has left " + this);
    }
    if (!isAttached) {
      throw replaced();
    }
  }

  private FabricException replaced() {
    return new FabricException(
        Errno.EIO,
        ("this process has lost %s: another process took it for dead, as its locks"
                + " of %s were dropped and it had no socket beside this file; close the vector"
                + " wherever this process has it open, open it again, and keep other programs from"
                + " opening or deleting its files")
            .formatted(this, control.path));
  }

  private long get(long offset) {
    return (long) LONG.getAcquire(control.memory, offset);
  }

  private void set(long offset, long value) {
    LONG.setRelease(control.memory, offset, value);
  }

  // Writing.

  /**
   * Waits for the lock of all writers, and takes it for a change.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @return true if the one who had it last died with it, or failed: what it left is to be repaired
   *     before anything is changed
   * @throws FabricException with {@link Errno#EAGAIN}, naming the process that has it, if it takes
   *     too long; with {@link Errno#EIO}, and without the lock, if the control file was cut, or
   *     another process took this one for dead; with {@link Errno#ECANCELED}, without the lock, if
   *     the process is ending
   */
  public boolean begin(long deadline) {
    try {
      if (control.isCut()) {
        throw new InternalError("its last word is lost");
      }
      while (true) {
        lock(deadline);
        boolean begun = false;
        try {
          checkAttached();
          begun = LONG.compareAndSet(control.memory, ControlFile.WRITER, left, word);
          VarHandle.fullFence();
          if (begun) {
            return left != 0;
          }
          // Another process has begun, as the byte was taken away between the lock and the word.
        } finally {
          if (!begun) {
            unlock();
          }
        }
      }
    } catch (InternalError fault) {
      throw cut(fault);
    }
  }

  private FabricException cut(Throwable cause) {
    return new FabricException(
        Errno.EIO,
        this + " cannot be used: its control file was cut; close the vector everywhere",
        cause);
  }

  /**
   * Gives the lock back; what was changed is whole.
   *
   * @return the number of changes, as {@link #changes} tells it until the next change
   * @throws FabricException with {@link Errno#EIO}, without the lock, if another process took this
   *     one for dead: then nothing was stored here, and the change may be lost
   */
  public long end() {
    try {
      if (!isOwnChange()) {
        throw replaced();
      }
      long changes = changes() + 1;
      set(ControlFile.CHANGES, changes);
      set(ControlFile.WRITER, 0);
      VarHandle.fullFence();
      return changes;
    } catch (InternalError fault) {
      throw cut(fault);
    } finally {
      unlock();
    }
  }

  /**
   * Gives the lock back; what was changed may not be whole, and the next writer repairs it, also
   * while this process lives.
   */
  public void fail() {
    try {
      if (isOwnChange()) {
        set(ControlFile.WRITER, -1L << Integer.SIZE | process(word));
      }
    } catch (InternalError cut) {
      // The next use of the file reports that it was cut.
      return;
    } finally {
      unlock();
    }
  }

  private boolean isOwnChange() {
    return isOwnVector() && writer() == word;
  }

  /** Returns how many times the lock was held, a number that grows. */
  public long changes() {
    return get(ControlFile.CHANGES);
  }

  /** Returns the word of the process that changes entries, or died or failed at that. */
  long writer() {
    return get(ControlFile.WRITER);
  }

  /** Returns the word of a writer. */
  static long word(long process, int place) {
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
    return place < 0 || place >= ControlFile.PARTICIPANTS ? -1 : place;
  }

  /**
   * Waits for the lock of all writers, and takes it; again for who has it. A process that has
   * waited for long says so in the file, and the one that gives the lock back then {@link #giveWay
   * gives way}: otherwise one that takes it again at once would leave others no more than a
   * microsecond now and then.
   *
   * @throws FabricException with {@link Errno#EAGAIN}, naming who has it, if it takes too long
   */
  void lock(long deadline) {
    if (!threads.tryLock() && !Waiting.lock(threads, deadline)) {
      throw late();
    }
    try {
      if (threads.getHoldCount() == 1) {
        writers = lock(WRITERS, deadline, "a process that only looks at it", this::isFree);
      }
    } catch (Throwable failed) {
      threads.unlock();
      throw failed;
    }
  }

  /** Whether the process that changes entries, according to its word, has died or failed at it. */
  private boolean isFree() throws IOException {
    left = writer();
    int writer = place(left);
    return writer < 0 || writer == place || !LivenessSocket.isListening(control.socket(writer));
  }

  void unlock() {
    FileLock last = writers;
    try {
      if (threads.getHoldCount() == 1 && last != null) {
        writers = null;
        last.release();
        giveWay();
      }
    } catch (IOException e) {
      throw new FabricException(
          Errno.EIO, "the lock of " + control.path + " cannot be released: " + e, e);
    } finally {
      threads.unlock();
    }
  }

  /** After the writers' lock was given back: lets a process have it that has waited for long. */
  private void giveWay() {
    try {
      long start = System.nanoTime();
      while (get(ControlFile.WAITING) != 0) {
        if (System.nanoTime() - start > LONGEST_WAY) {
          // It has died, is stopped, or had enough.
          set(ControlFile.WAITING, 0);
          return;
        }
        park(SHORT_WAIT);
      }
    } catch (InternalError cut) {
      // The next use of the file reports that it was cut.
      return;
    }
  }

  // Locks of bytes.

  /**
   * Takes the lock that says that a participant is alive, if no other process has it and a
   * condition is met; or returns null.
   */
  @Nullable FileLock tryAlive(int participant, ControlFile.Question<Boolean> condition)
      throws IOException {
    return tryLock(ALIVE + participant, condition);
  }

  /** Whether another process has the lock of any participant of a range. */
  boolean isAnyAlive(int from, int to) throws IOException {
    if (from == to) {
      return false;
    }
    FileLock probe = control.channel.tryLock(ALIVE + from, to - from, false);
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
    return lock(GUARD, deadline, "a process that attaches or leaves", () -> true);
  }

  private @Nullable FileLock tryLock(long position, ControlFile.Question<Boolean> condition)
      throws IOException {
    FileLock lock = control.channel.tryLock(position, 1, false);
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

  private FileLock lock(
      long position, long deadline, String kind, ControlFile.Question<Boolean> condition) {
    boolean marked = false;
    long patient = System.nanoTime() + LONG_WAIT;
    try {
      FileLock lock = tryLock(position, condition);
      for (int attempt = 0; lock == null && System.nanoTime() - deadline <= 0; attempt++) {
        if (position == WRITERS && System.nanoTime() - patient > 0) {
          set(ControlFile.WAITING, ControlFile.PROCESS);
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
        set(ControlFile.WAITING, 0);
      }
      if (lock == null) {
        throw late(position, kind);
      }
      return lock;
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, control.path + " cannot be locked: " + e, e);
    }
  }

  private static void park(long nanoseconds) {
    boolean interrupted = Thread.interrupted();
    LockSupport.parkNanos(nanoseconds);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // Processes that have locks.

  /**
   * Returns the error of a thread that waited too long for another thread of this process, which
   * may wait itself.
   */
  public FabricException late() {
    return late(WRITERS, "another thread of this process, " + ControlFile.PROCESS + ",");
  }

  /**
   * Returns the error of a thread that waited too long.
   *
   * @param kind the holder of the lock, if no other process is known to have it
   */
  private FabricException late(long position, String kind) {
    try {
      long process = holder(position);
      boolean isOwn = process == ControlFile.PROCESS;
      if (process == 0 && position == WRITERS) {
        // It says that it changes entries, and may have died since then.
        process = process(writer());
        isOwn = place(writer()) == place;
      }
      String holder = process == 0 || isOwn ? kind : "process " + process;
      if (process != 0 && position == GUARD) {
        holder += ", " + kind + ",";
      }
      return new FabricException(
          Errno.EAGAIN,
          "%s has held the lock of %s for longer than others wait: it may be stopped; continue it, or end it"
              .formatted(holder, control.path));
    } catch (InternalError fault) {
      return cut(fault);
    }
  }

  private long holder(long position) {
    try {
      List<String> lines = Files.readAllLines(LIST, StandardCharsets.ISO_8859_1);
      return holder(lines, control.device, control.inode, position);
    } catch (IOException unknown) {
      return 0;
    }
  }

  /**
   * Returns the process that has the lock of a byte of a file, by lines such as:
   *
   * <pre>
   * 1: POSIX  ADVISORY  WRITE 4711 00:1a:815 1099511627776 1099511627776
   * </pre>
   *
   * <p>The file is told by the major and minor number of its device, and its inode. A process that
   * waits for a lock has an arrow before the kind; a lock that reaches to the end of any file ends
   * with {@code EOF}.
   *
   * @param device the {@code st_dev} of the file
   * @return the process id; 0 if that cannot be known, or none has the lock
   */
  static long holder(List<String> lines, long device, long inode, long position) {
    long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    long minor = (device & 0xff) | ((device >>> 12) & 0xffff_ff00L);
    String file = "%02x:%02x:%d".formatted(major, minor, inode);
    Pattern lock =
        Pattern.compile(
            "\\d+: POSIX +\\w+ +\\w+ +(\\d{1,18}) (\\w+:\\w+:%d) (\\d{1,18}) (\\d{1,19}|EOF)"
                .formatted(inode));
    Set<Long> others = new HashSet<>();
    for (String line : lines) {
      Matcher found = lock.matcher(line.trim());
      if (found.matches()
          && Long.parseLong(found.group(3)) <= position
          && (found.group(4).equals("EOF") || position <= Long.parseLong(found.group(4)))) {
        long process = Long.parseLong(found.group(1));
        if (process > 0 && found.group(2).equals(file)) {
          return process;
        }
        others.add(process);
      }
    }
    // Some file systems, such as btrfs, have another number there than files say.
    others.remove(0L);
    return others.size() == 1 ? others.iterator().next() : 0;
  }

  @Override
  public String toString() {
    return "named vector " + ShareDirectory.stem(control.path);
  }
}
