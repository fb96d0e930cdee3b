// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.ExitHook;
import org.ofi4j.core.object.Waiting;

/**
 * The lock of this process for the path of a control file, and the vector that the process has
 * joined there: one thread at a time opens, closes or asks about a vector, as locks of files do not
 * keep threads of one process apart. Threads that use other vectors do not wait.
 *
 * <p>Vectors that are still joined when the process ends in an orderly way are left by an {@link
 * ExitHook}, so only killed processes leave files behind. Other threads go on during the end, and
 * other hooks may close the vectors, before or after. So nothing is unmapped, and no change of
 * entries is waited for; see {@link Membership#leave}.
 */
final class PathLock implements AutoCloseable {
  private static final String PREFIX = "ofi4j.share.open.";

  /** How long the end of the process waits at most, in ns, for who attaches or leaves just now. */
  private static final long EXIT_TIMEOUT = 1_000_000_000;

  /** So many times a vector may go just when it is opened or looked at. */
  private static final int MOST_ATTEMPTS = 20;

  private static final Map<Path, PathLock> LOCKS = new HashMap<>();
  private static final Runnable AT_EXIT = PathLock::leaveAll;

  private final Path control;
  private final ReentrantLock lock = new ReentrantLock();

  /** How often it is had or waited for, and whether a vector is joined; it goes with the last. */
  private int users;

  private @Nullable Membership joined;

  /** The property that says that this process has the file open, if it is set. */
  private @Nullable String property;

  private PathLock(Path control) {
    this.control = control;
  }

  /**
   * Acquires the lock of a path; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN} if others have it for all that time
   */
  static PathLock acquire(Path control, long deadline) {
    PathLock held;
    synchronized (LOCKS) {
      held = LOCKS.computeIfAbsent(control, PathLock::new);
      held.users++;
    }
    if (!Waiting.lock(held.lock, deadline)) {
      held.addUsers(-1);
      throw new FabricException(
          Errno.EAGAIN,
          ("another thread of this process, %s, has been opening, closing or looking at the"
                  + " vector of %s for longer than others wait: try again")
              .formatted(ControlFile.PROCESS, control));
    }
    return held;
  }

  private void addUsers(int more) {
    synchronized (LOCKS) {
      users += more;
      if (users == 0) {
        LOCKS.remove(control);
      }
    }
  }

  /** The vector that this process has joined at the path, or null. */
  @Nullable Membership joined() {
    return joined;
  }

  /** Keeps the vector that this process has joined; null if it has left. */
  void joined(@Nullable Membership membership) {
    synchronized (LOCKS) {
      joined = membership;
      addUsers(membership == null ? -1 : 1);
      if (LOCKS.values().stream().anyMatch(held -> held.joined != null)) {
        ExitHook.add(AT_EXIT);
      } else {
        ExitHook.remove(AT_EXIT);
      }
    }
  }

  /**
   * Says that the file is about to be opened, until it is neither joined nor locked. Locks of files
   * belong to processes: if one opened a file twice, to close it once would end the locks of both,
   * and each that has them would count as dead. Within one copy of these classes that does not
   * happen. Other class loaders may have loaded copies of their own, which share nothing but what
   * all of the process shares: so the files are listed in its system properties.
   *
   * @throws FabricException with {@link Errno#EBUSY} if this process has it open
   */
  private void beginToOpen() throws IOException {
    Path parent = control.toAbsolutePath().getParent();
    // Whichever way leads there.
    Path real = parent == null ? control : parent.toRealPath().resolve(control.getFileName());
    String owner = String.valueOf(PathLock.class.getClassLoader());
    Object other = System.getProperties().putIfAbsent(PREFIX + real, owner);
    if (other != null) {
      throw new FabricException(
          Errno.EBUSY,
          ("%s is open in this process already, by classes of %s, and these are of %s: a"
                  + " process must not open it twice, as the system would take its locks away when"
                  + " either is closed; let one class loader load ofi4j for all, or close it there")
              .formatted(control, other, owner));
    }
    property = PREFIX + real;
  }

  /** Opens the file in attempts, until none goes away, or is replaced, during the attempt. */
  <T> T open(ControlFile.Question<T> attempt) throws IOException {
    beginToOpen();
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

  /** Releases it, as often as it was acquired. */
  @Override
  public void close() {
    if (property != null && joined == null && lock.getHoldCount() == 1) {
      System.getProperties().remove(property);
      property = null;
    }
    lock.unlock();
    addUsers(-1);
  }

  private static void leaveAll() {
    long deadline = System.nanoTime() + EXIT_TIMEOUT;
    List<Membership> all;
    synchronized (LOCKS) {
      all = LOCKS.values().stream().map(held -> held.joined).filter(Objects::nonNull).toList();
    }
    for (Membership membership : all) {
      try (PathLock own = acquire(membership.control.path, deadline)) {
        // Unless another thread has left it.
        if (own.joined == membership) {
          membership.leave(deadline, true);
        }
      } catch (FabricException | IOException | InternalError left) {
        // By a process that is stopped, or cannot be used any more: there are others to be left.
      }
    }
  }
}
