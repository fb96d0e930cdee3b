// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * A named vector as one that opened it sees it: what it is like, which does not change as long as
 * any process is attached, the file with its entries, its locks, and the processes that are
 * attached.
 *
 * <p>Any thread may call anything.
 */
public final class NamedVector implements AutoCloseable {
  /** How many processes can have one vector open. */
  public static final int MOST_PARTICIPANTS = ControlFile.PARTICIPANTS;

  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  /**
   * A process that has a place among the participants: attached, or dead and not cleaned up.
   *
   * @param isWriting whether it changes entries, or died at that
   */
  public record Participant(int place, long process, boolean isAlive, boolean isWriting) {}

  final Membership membership;
  private final ControlFile control;
  private final boolean readOnly;
  private final Duration timeout;
  private final AtomicBoolean open = new AtomicBoolean(true);

  /** An opening. Callers have the {@link PathLock}, unless the process does not join. */
  private NamedVector(Membership membership, boolean readOnly, Duration timeout) {
    this.membership = membership;
    this.control = membership.control;
    this.readOnly = readOnly;
    this.timeout = timeout;
    membership.users++;
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
    Path path = directory.control(domain, name);
    long deadline = Waiting.deadline(timeout);
    try (PathLock own = PathLock.acquire(path, deadline)) {
      Membership known = own.joined();
      if (known != null) {
        known.locks.checkAttached();
        return new NamedVector(known, readOnly, timeout);
      }
      NamedVector joined =
          own.open(() ->
              at(directory, path, name, readOnly, timeout)
                  .join(domain, name, traits, founder, deadline));
      own.joined(joined.membership);
      return joined;
    } catch (IOException e) {
      throw failed(name, "opened", e);
    }
  }

  /**
   * Opens the control file; a process that writes makes it if it is not there.
   *
   * @throws NoSuchFileException if it goes away just now
   */
  static NamedVector at(
      ShareDirectory directory, Path path, String name, boolean readOnly, Duration timeout)
      throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      if (readOnly) {
        throw absent(name);
      }
      try {
        VectorFile.createFile(path, ControlFile.BYTES);
      } catch (FileAlreadyExistsException other) {
        // Another process has just made it.
      }
    }
    directory.check(path);
    return new NamedVector(new Membership(new ControlFile(path)), readOnly, timeout);
  }

  private static FabricException absent(String name) {
    return new FabricException(
        Errno.ENOENT, "there is no vector \"" + name + "\" to be read: create it first");
  }

  /**
   * Joins the vector, or makes it if no process is attached to it; see {@link #open}.
   *
   * @return this; if it fails, the file is closed
   * @throws NoSuchFileException if the path leads to another file by now
   */
  NamedVector join(
      String domain, String name, byte[] traits, Consumer<VectorFile> founder, long deadline)
      throws IOException {
    try (FileLock _ = locks().guard(deadline)) {
      control.checkPath();
      if (membership.hasOthers()) {
        control.map();
        control.check(domain, name);
        membership.enter();
      } else if (readOnly) {
        throw absent(name);
      } else {
        create(domain, name, traits, founder);
      }
      return this;
    } catch (Throwable failed) {
      membership.close();
      throw failed;
    }
  }

  /** Makes the vector again; all processes that had it before are dead. */
  private void create(String domain, String name, byte[] traits, Consumer<VectorFile> founder)
      throws IOException {
    membership.deleteLeftBehind();
    try {
      control.clear();
      control.begin(domain, name, traits);
      try (VectorFile first = VectorFile.create(control.entries(), control.id())) {
        founder.accept(first);
      }
      membership.enter();
      control.ready();
    } catch (Throwable failed) {
      // There may be no room for anything: what is half is not to take any.
      membership.delete();
      throw failed;
    }
  }

  private static FabricException failed(String name, String how, IOException cause) {
    return new FabricException(
        cause instanceof NoSuchFileException ? Errno.EAGAIN : Errno.EIO,
        "vector \"" + name + "\" cannot be " + how + ": " + cause,
        cause);
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
    Path path = directory.control(domain, name);
    long deadline = Waiting.deadline(timeout);
    try (PathLock own = PathLock.acquire(path, deadline)) {
      if (own.joined() != null) {
        throw Membership.inUse(name, List.of(ControlFile.PROCESS));
      }
      own.open(() -> {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
          throw new FabricException(
              Errno.ENOENT, "there is no vector \"" + name + "\" that could be removed");
        }
        directory.check(path);
        try (Membership dead = new Membership(new ControlFile(path))) {
          dead.deleteIfDead(name, deadline);
          return path;
        }
      });
    } catch (IOException e) {
      throw failed(name, "removed", e);
    }
  }

  /**
   * Looks at a vector that this process need not be attached to. No process changes the vector
   * during the look, which holds the lock of all writers. If another process makes the vector again
   * that no process was attached to, there is another look.
   *
   * @param timeout how long a process that changes the vector is waited for
   * @param look looks at the vector, which is good for this call only
   * @throws FabricException with {@link Errno#ENOENT} if there is no such vector; with {@link
   *     Errno#EACCES} if its files are not this user's; with {@link Errno#EAGAIN}, naming the
   *     process, if another one changes the vector for longer; with {@link Errno#EIO} if the
   *     control file cannot be read
   */
  public static <T> T inspect(
      ShareDirectory directory,
      String domain,
      String name,
      Duration timeout,
      Function<NamedVector, T> look) {
    Path path = directory.control(domain, name);
    try {
      directory.check(path);
      NamedVector known;
      // A process must not open the control file twice, as closing it would end its locks: one that
      // has joined goes by what it has, any other lets no thread join during the look.
      try (PathLock own = PathLock.acquire(path, Waiting.deadline(timeout))) {
        Membership joined = own.joined();
        if (joined == null) {
          return own.open(() ->
              new NamedVector(new Membership(new ControlFile(path)), true, timeout).visit(look));
        }
        known = new NamedVector(joined, true, timeout);
      }
      // The thread that changes the vector in this process may need its lock for that.
      try (known) {
        return known.locked(look);
      }
    } catch (NoSuchFileException gone) {
      throw new FabricException(
          Errno.ENOENT, "there is no named vector with control file " + path, gone);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  /**
   * Looks without joining, and closes the file.
   *
   * @throws NoSuchFileException if there is no vector, or that was not one and the same vector
   */
  private <T> T visit(Function<NamedVector, T> look) throws IOException {
    try (membership) {
      // A process that makes or removes files has it: what is half is seen by no other process.
      try (FileLock _ = locks().guard(Waiting.deadline(timeout))) {
        control.checkPath();
        long bytes = Files.size(control.path);
        if (bytes == 0 && !membership.hasOthers()) {
          throw control.gone("it is not a vector's now");
        }
        if (bytes < ControlFile.BYTES) {
          throw control.damaged("has " + bytes + " bytes instead of " + ControlFile.BYTES);
        }
        control.map();
        locks().vector = control.id();
      }
      // This keeps no process from making the vector again, nor the last one from removing it.
      T seen;
      try {
        seen = locked(look);
      } catch (FabricException | InternalError failed) {
        // A fault of the memory may come from a process that makes the vector again.
        try {
          checkVisited();
        } catch (FabricException busy) {
          failed.addSuppressed(busy);
        }
        throw failed;
      }
      checkVisited();
      return seen;
    }
  }

  /** Checks that what was seen is one vector, neither removed since nor replaced. */
  private void checkVisited() throws IOException {
    try (FileLock _ = locks().guard(Waiting.deadline(timeout))) {
      control.checkPath();
      if (!control.isCut() && !locks().isOwnVector()) {
        throw control.gone("it is another vector's now");
      }
    }
  }

  private <T> T locked(Function<NamedVector, T> look) {
    locks().lock(Waiting.deadline(timeout));
    try {
      return look.apply(this);
    } finally {
      locks().unlock();
    }
  }

  /** Returns the lock of all writers, for changes and what is counted with them. */
  public VectorLocks locks() {
    return membership.locks;
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
    return VectorFile.attach(control.entries(), !readOnly, locks().vector);
  }

  public Duration lockTimeout() {
    return timeout;
  }

  /** The number of this process among those attached, 0 to 1023, which its reservations carry. */
  public int participant() {
    return locks().place;
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

  /**
   * Frees the numbers of those that died. To be called with the lock.
   *
   * @param patiently whether to wait for processes that attach or leave; else no number is freed if
   *     one does just now
   * @param giveBack gives back what those of some numbers had; they are {@link #dead}, at least one
   */
  public void forgetDead(boolean patiently, Consumer<List<Integer>> giveBack) {
    try {
      membership.ask(
          patiently ? timeout : Duration.ZERO,
          () -> {
            List<Integer> dead = membership.dead();
            if (!dead.isEmpty()) {
              giveBack.accept(dead);
              membership.forget(dead);
            }
            return dead;
          });
    } catch (FabricException busy) {
      if (patiently || busy.errno() != Errno.EAGAIN) {
        throw busy;
      }
    }
  }

  /** Returns the processes that have places. */
  public List<Participant> participants() {
    return membership.ask(timeout, membership::participants);
  }

  /** Returns the ids of the other processes that are attached, as they are in their namespaces. */
  public List<Long> otherProcesses() {
    return membership.ask(timeout, membership::others);
  }

  /** Returns what is wrong with the control file. */
  public List<String> faults() {
    return control.faults();
  }

  /** The process id of who changes it now, or died while changing it; 0 between changes. */
  public long writer() {
    return VectorLocks.process(locks().writer());
  }

  /**
   * The process that changes the vector.
   *
   * @param process its id, as in {@link #writer}
   * @param isAtWork whether it lives, and has not failed
   */
  public record Writer(long process, boolean isAtWork) {}

  /** Returns the process that changes the vector, or died or failed at that. */
  public Writer currentWriter() {
    return membership.ask(
        timeout,
        () -> {
          long word = locks().writer();
          int place = VectorLocks.place(word);
          return new Writer(VectorLocks.process(word), place >= 0 && membership.isAlive(place));
        });
  }

  public boolean isReadOnly() {
    return readOnly;
  }

  /**
   * Leaves; the last of all processes takes the files away. Again does nothing.
   *
   * @param free whether this opening has left no reservations and keys; else this process leaves as
   *     if it had died, once all its openings are closed, and the next writer gives them back
   */
  public void close(boolean free) {
    if (open.compareAndSet(true, false)) {
      if (!free) {
        membership.placeAbandoned = true;
      }
      try (PathLock own = PathLock.acquire(control.path, Waiting.deadline(FOREVER))) {
        membership.users--;
        if (membership.users == 0) {
          try {
            membership.leave(Waiting.deadline(timeout), false);
          } catch (IOException e) {
            throw new FabricException(Errno.EIO, control.path + " cannot be left: " + e, e);
          } finally {
            own.joined(null);
            membership.close();
          }
        }
      }
    }
  }

  @Override
  public void close() {
    close(true);
  }

  @Override
  public String toString() {
    return locks().toString();
  }
}
