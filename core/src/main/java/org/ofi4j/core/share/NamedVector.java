// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * A named vector as one that opened it sees it: which file has its entries now, the lock of all
 * writers, and who is attached. What it is like does not change as long as anybody is.
 *
 * <p>Any thread may call anything; what changes entries is between {@link #begin} and {@link #end}.
 */
public final class NamedVector implements AutoCloseable {
  /** How many processes can have one vector open. */
  public static final int MOST_PARTICIPANTS = ControlFile.PARTICIPANTS;

  /** So many times a vector may go just when it is opened or looked at. */
  static final int MOST_ATTEMPTS = 20;

  private final Membership membership;
  private final ControlFile control;
  private final boolean readOnly;
  private final Duration timeout;
  private final AtomicBoolean open = new AtomicBoolean(true);

  private NamedVector(Membership membership, boolean readOnly, Duration timeout) {
    this.membership = membership;
    this.control = membership.control;
    this.readOnly = readOnly;
    this.timeout = timeout;
  }

  /**
   * Attaches to a vector, or makes it if no process is attached to it.
   *
   * @param traits the traits of a vector that is made; callers compare those of one that was there
   * @param readOnly whether it must be there, and is only to be read
   * @param timeout how long other processes are waited for
   * @param founder makes the first entries in a file that nobody else sees yet
   * @throws FabricException with {@link Errno#ENOENT} if it is to be read and nobody is attached to
   *     it; with {@link Errno#EINVAL} if its control file is of another version; with {@link
   *     Errno#EACCES} if its files are not those of this user; with {@link Errno#EAGAIN} if others
   *     take too long
   */
  public static NamedVector open(
      ShareDirectory directory,
      String domain,
      String name,
      byte[] traits,
      boolean readOnly,
      Duration timeout,
      Consumer<VectorFile> founder) {
    Path path = directory.control(domain, name).toAbsolutePath();
    long deadline = Waiting.deadline(timeout);
    try (PathLock own = PathLock.acquire(path, deadline)) {
      Membership membership = own.joined();
      if (membership == null) {
        own.beginToOpen();
        membership =
            again(
                name,
                () ->
                    Membership.open(directory, path, name, readOnly)
                        .join(domain, name, traits, readOnly, founder, deadline));
        own.joined(membership);
      } else {
        membership.joinAgain(readOnly);
      }
      return new NamedVector(membership, readOnly, timeout);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be opened: " + e, e);
    }
  }

  /**
   * Tries something until it answers; it answers null, or finds that a file is not there, if that
   * went away during the attempt.
   */
  private static <T> T again(String name, ControlFile.Question<@Nullable T> attempt)
      throws IOException {
    for (int i = 1; ; i++) {
      try {
        T made = attempt.ask();
        if (made != null) {
          return made;
        }
        if (i == MOST_ATTEMPTS) {
          throw new FabricException(
              Errno.EAGAIN,
              "the control file of vector \"" + name + "\" was replaced repeatedly: try again");
        }
      } catch (NoSuchFileException gone) {
        if (i == MOST_ATTEMPTS) {
          throw gone;
        }
      }
    }
  }

  /**
   * Removes the files of a vector that no process is attached to.
   *
   * @param directory where they are
   * @throws FabricException with {@link Errno#ENOENT} if there are none; with {@link Errno#EBUSY}
   *     if a process is attached; with {@link Errno#EACCES} if they are not those of this user
   */
  public static void unlink(
      ShareDirectory directory, String domain, String name, Duration timeout) {
    Path path = directory.control(domain, name).toAbsolutePath();
    long deadline = Waiting.deadline(timeout);
    try (PathLock own = PathLock.acquire(path, deadline)) {
      if (own.joined() != null) {
        throw Membership.inUse(name, List.of(ControlFile.PROCESS));
      }
      own.beginToOpen();
      again(
          name,
          () -> {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
              throw new FabricException(
                  Errno.ENOENT, "there is no vector \"" + name + "\" that could be removed");
            }
            directory.check(path);
            try (Membership dead = new Membership(new ControlFile(path))) {
              return dead.deleteIfDead(name, deadline) ? path : null;
            }
          });
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be removed: " + e, e);
    }
  }

  /** Returns the traits of the vector. */
  public byte[] traits() {
    return control.traits();
  }

  /** How many writers have repaired what others had left. */
  public long repairs() {
    return control.repairs();
  }

  /** Counts a repair, with the lock. */
  public void addRepair() {
    control.addRepair();
  }

  /**
   * Maps the file that has the entries, in the way it was opened.
   *
   * @return the file, to be closed
   * @throws FabricException if it is damaged
   */
  public VectorFile entries() {
    return VectorFile.attach(ShareDirectory.data(control.path), !readOnly, membership.vector);
  }

  /**
   * Waits for the lock of all writers, and takes it.
   *
   * @return true if the one who had it last died with it, or failed: what it left is to be repaired
   *     before anything is changed
   * @throws FabricException with {@link Errno#EAGAIN}, naming the process that has it, if it takes
   *     too long; with {@link Errno#EIO}, and without the lock, if the control file was cut, or
   *     another process took this one for dead; with {@link Errno#ECANCELED}, without the lock, if
   *     the process is ending
   */
  public boolean begin() {
    return begin(Waiting.deadline(timeout));
  }

  /**
   * As {@link #begin()}, for who has waited for something else already.
   *
   * @param deadline until when to wait, in {@link System#nanoTime}
   */
  public boolean begin(long deadline) {
    try {
      if (control.isCut()) {
        throw cut(new EOFException("it has " + control.length() + " bytes"));
      }
      return membership.begin(deadline, membership::checkAttached);
    } catch (InternalError fault) {
      throw cut(fault);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, membership + " cannot be used: " + e, e);
    }
  }

  public Duration lockTimeout() {
    return timeout;
  }

  /**
   * That another thread of this process changes entries, or waits for a process that does, for
   * longer than others wait.
   *
   * @return what to throw: {@link Errno#EAGAIN}, naming the process
   */
  public FabricException late() {
    try {
      return control.lateThread(participant());
    } catch (InternalError fault) {
      return cut(fault);
    }
  }

  private FabricException cut(Throwable cause) {
    return new FabricException(
        Errno.EIO,
        membership + " cannot be used: its control file was cut; close the vector everywhere",
        cause);
  }

  /**
   * Gives the lock back; what was changed is whole.
   *
   * @return the number of changes, as {@link #changes} tells it until somebody changes something
   * @throws FabricException with {@link Errno#EIO}, without the lock, if another process took this
   *     one for dead: then the change may be lost
   */
  public long end() {
    try {
      return membership.end();
    } catch (InternalError fault) {
      throw cut(fault);
    }
  }

  /** Gives the lock back; what was changed may not be whole, and whoever comes next repairs it. */
  public void fail() {
    membership.fail();
  }

  /** How many times the lock was held, a number that grows. */
  public long changes() {
    return control.changes();
  }

  /** The number of this process among those attached, 0 to 1023, which its reservations carry. */
  public int participant() {
    return membership.place;
  }

  /** What the fingerprints of its keys are salted with: 32 random bytes, those of this vector. */
  public byte[] keySalt() {
    return control.salt();
  }

  /**
   * Counts the openings of this process that hold a key, as the process has one place for all of
   * them. To be called with the lock.
   *
   * @param change by how many more hold it
   * @return how many do now
   */
  public int countKeyHolds(int key, int change) {
    return membership.keyHolds.merge(key, change, Integer::sum);
  }

  /**
   * Who died and has not been cleaned up after. The own number is among them if it was that of a
   * dead participant before: what has been reserved under it was not reserved here.
   */
  public List<Integer> dead() {
    return membership.ask(timeout, membership::dead);
  }

  /** As {@link #dead}, but waits for nobody: none if somebody attaches or leaves just now. */
  public List<Integer> deadIfKnown() {
    return askUnlessLate(Duration.ZERO, membership::dead, List.of());
  }

  /**
   * Frees the number of a participant that died, and of which nothing is left. To be called with
   * the lock.
   */
  public void forget(int participant) {
    if (participant == participant()) {
      membership.endInheritance();
      return;
    }
    // If others take too long, it is found to be dead again, and forgotten later.
    askUnlessLate(timeout, () -> membership.forget(participant), false);
  }

  private <T> T askUnlessLate(Duration timeout, ControlFile.Question<T> question, T otherwise) {
    try {
      return membership.ask(timeout, question);
    } catch (FabricException busy) {
      if (busy.errno() != Errno.EAGAIN) {
        throw busy;
      }
      return otherwise;
    }
  }

  /** The ids of the processes that are attached, each once, as they are in their namespaces. */
  public List<Long> processes() {
    return membership.ask(timeout, () -> membership.processes(true));
  }

  /** As {@link #processes}, without this process. */
  public List<Long> otherProcesses() {
    return membership.ask(timeout, () -> membership.processes(false));
  }

  /** The process id of who changes it now, or died while changing it; 0 between changes. */
  public long writer() {
    return ControlFile.process(control.writer());
  }

  /** A process that changes entries, or 0; and whether it neither died nor failed at that. */
  public record Writer(long process, boolean isAtWork) {}

  /** As {@link #writer()}, and whether the writer is at work. */
  public Writer currentWriter() {
    return membership.ask(
        timeout,
        () -> {
          long writer = control.writer();
          int place = ControlFile.place(writer);
          return new Writer(ControlFile.process(writer), place >= 0 && membership.isAlive(place));
        });
  }

  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Leaves as if this process had died, once all its openings are closed: whoever writes later
   * gives back what it has reserved.
   */
  public void abandon() {
    membership.placeAbandoned = true;
    close();
  }

  /** Leaves; the last of all processes takes the files away. Again does nothing. */
  @Override
  public void close() {
    if (open.compareAndSet(true, false)) {
      membership.endUse(timeout);
    }
  }

  @Override
  public String toString() {
    return membership.toString();
  }
}
