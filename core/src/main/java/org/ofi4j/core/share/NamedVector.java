// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
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

  /** So many times a vector may go just when it is opened or looked at. */
  private static final int MOST_ATTEMPTS = 20;

  /**
   * A process that has a place among the participants: attached, or dead and not cleaned up.
   *
   * @param isWriting whether it changes entries, or died at that
   */
  public record Participant(int place, long process, boolean isAlive, boolean isWriting) {}

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
    Path path = directory.control(domain, name);
    long deadline = Waiting.deadline(timeout);
    try (PathLock own = PathLock.acquire(path, deadline)) {
      Membership membership = own.joined();
      if (membership == null) {
        own.beginToOpen();
        membership =
            again(() ->
                Membership.open(directory, path, name, readOnly)
                    .join(domain, name, traits, readOnly, founder, deadline));
        own.joined(membership);
      } else {
        membership.locks.checkAttached();
        membership.use();
      }
      return new NamedVector(membership, readOnly, timeout);
    } catch (IOException e) {
      throw failed(name, "opened", e);
    }
  }

  /** Tries something until no file goes away, or is replaced, during the attempt. */
  private static <T> T again(ControlFile.Question<T> attempt) throws IOException {
    for (int i = 1; ; i++) {
      try {
        return attempt.ask();
      } catch (NoSuchFileException gone) {
        if (i == MOST_ATTEMPTS) {
          throw gone;
        }
      }
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
      own.beginToOpen();
      again(() -> {
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
      Membership known;
      // A process must not open the control file twice, as closing it would end its locks: one that
      // has joined goes by what it has, any other lets no thread join during the look.
      try (PathLock own = PathLock.acquire(path, Waiting.deadline(timeout))) {
        known = own.joined();
        if (known == null) {
          own.beginToOpen();
          return again(() -> inspectAsStranger(path, timeout, look));
        }
        known.use();
      }
      // The thread that changes the vector in this process may need its lock for that.
      try (NamedVector vector = new NamedVector(known, true, timeout)) {
        return vector.locked(look);
      }
    } catch (NoSuchFileException gone) {
      throw new FabricException(
          Errno.ENOENT, "there is no named vector with control file " + path, gone);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  /**
   * Looks without joining.
   *
   * @throws NoSuchFileException if that was not one and the same vector
   */
  private static <T> T inspectAsStranger(Path path, Duration timeout, Function<NamedVector, T> look)
      throws IOException {
    try (Membership visitor = new Membership(new ControlFile(path))) {
      // This keeps no process from making the vector again, nor the last one from removing it.
      visitor.visit(Waiting.deadline(timeout));
      try {
        return new NamedVector(visitor, true, timeout).locked(look);
      } finally {
        visitor.checkVisited(Waiting.deadline(timeout));
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
      membership.placeAbandoned |= !free;
      membership.endUse(timeout);
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
