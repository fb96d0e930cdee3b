// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/** The vectors that this process has joined, each once, however often it opened them. */
final class Memberships {

  /** So many times a vector may go just when it is opened. */
  private static final int MOST_ATTEMPTS = 20;

  /** Each is for who has its {@link PathLock lock}. */
  private static final Map<Path, Membership> JOINED = new ConcurrentHashMap<>();

  private Memberships() {}

  /**
   * Joins a vector, or makes it.
   *
   * @return the membership, to be {@link #leave left}
   * @throws FabricException with {@link Errno#EBUSY} if another copy of these classes has joined
   */
  static Membership join(ShareDirectory directory, JoinRequest request, Duration timeout) {
    String name = request.name();
    Path path = directory.control(request.domain(), name).toAbsolutePath();
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(path, deadline)) {
      Membership known = JOINED.get(path);
      if (known != null) {
        known.joinAgain(request);
        return known;
      }
      OpenControlFiles.open(path);
      boolean joined = false;
      try {
        Membership membership =
            again(
                name,
                () ->
                    join(
                        Membership.open(directory, path, name, request.readOnly()),
                        request,
                        deadline));
        JOINED.put(path, membership);
        joined = true;
        watchExit();
        return membership;
      } finally {
        if (!joined) {
          OpenControlFiles.close(path);
        }
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be opened: " + e, e);
    }
  }

  /** All that this process has joined now. */
  static List<Membership> joined() {
    return List.copyOf(JOINED.values());
  }

  private static void watchExit() {
    // One after the other, so that the last one who says it says what is so.
    synchronized (JOINED) {
      ExitHook.use(!JOINED.isEmpty());
    }
  }

  private static @Nullable Membership join(Membership opened, JoinRequest request, long deadline)
      throws IOException {
    boolean in = false;
    try {
      in = opened.join(request, deadline);
      return in ? opened : null;
    } finally {
      if (!in) {
        opened.close();
      }
    }
  }

  /**
   * Tries something until it answers; it answers null, or finds that a file is not there, if that
   * went away meanwhile.
   */
  private static <T> T again(String name, Membership.Question<@Nullable T> attempt)
      throws IOException {
    NoSuchFileException gone = null;
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
      try {
        gone = null;
        T made = attempt.ask();
        if (made != null) {
          return made;
        }
      } catch (NoSuchFileException again) {
        gone = again;
      }
    }
    if (gone != null) {
      throw gone;
    }
    throw new FabricException(
        Errno.EAGAIN,
        "the control file of vector \""
            + name
            + "\" became another one again and again: try again");
  }

  /** Removes the files of a vector that nobody is attached to; see {@link NamedVector#unlink}. */
  static void unlink(ShareDirectory directory, String domain, String name, Duration timeout) {
    Path path = directory.control(domain, name).toAbsolutePath();
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(path, deadline)) {
      if (JOINED.containsKey(path)) {
        throw Membership.inUse(name, List.of(ControlFile.PROCESS));
      }
      OpenControlFiles.open(path);
      try {
        again(
            name,
            () -> {
              Membership left = Membership.openToRemove(directory, path, name);
              try {
                return left.deleteIfDead(name, deadline) ? left : null;
              } finally {
                left.close();
              }
            });
      } finally {
        OpenControlFiles.close(path);
      }
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, "vector \"" + name + "\" cannot be removed: " + e, e);
    }
  }

  /** A look at a vector. */
  interface Visit<T> {
    T of(Membership visited) throws IOException;
  }

  /**
   * Looks at a vector with the lock of all writers, without joining it. A process must not open the
   * control file twice, as closing it would end its locks: one that has joined goes by what it has,
   * any other lets nobody join meanwhile.
   *
   * @throws NoSuchFileException if there is no such file
   */
  static <T> T visit(Path path, Duration timeout, Visit<T> visit) throws IOException {
    Membership known;
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(path, deadline)) {
      known = JOINED.get(path);
      if (known == null) {
        return visitAsStranger(path, timeout, visit);
      }
      known.use();
    }
    // Who changes the vector in this process may need its lock for that.
    try {
      return visit(known, deadline, visit);
    } finally {
      leave(known, timeout);
    }
  }

  private static <T> T visitAsStranger(Path path, Duration timeout, Visit<T> visit)
      throws IOException {
    OpenControlFiles.open(path);
    try {
      for (int i = 0; ; i++) {
        Membership visitor = Membership.visitor(path, Waiting.deadline(timeout));
        // It keeps nobody from making the vector anew, nor the last one from removing it.
        boolean last = i == MOST_ATTEMPTS;
        try {
          T seen = visit(visitor, Waiting.deadline(timeout), visit);
          if (last || visitor.isStillVisited(Waiting.deadline(timeout))) {
            return seen;
          }
        } catch (InternalError fault) {
          if (last || visitor.isStillVisited(Waiting.deadline(timeout))) {
            throw fault;
          }
        } finally {
          visitor.close();
        }
      }
    } finally {
      OpenControlFiles.close(path);
    }
  }

  private static <T> T visit(Membership visited, long deadline, Visit<T> visit) throws IOException {
    visited.writers().lock(deadline);
    try {
      return visit.of(visited);
    } finally {
      visited.writers().unlock();
    }
  }

  /** Leaves; the last one to leave takes the files away. */
  static void leave(Membership membership, Duration timeout) {
    Path path = membership.path();
    try (PathLock _ = PathLock.acquire(path)) {
      if (membership.isLastUse()) {
        try {
          membership.leave(timeout);
        } finally {
          JOINED.remove(path);
          OpenControlFiles.close(path);
          watchExit();
        }
      }
    }
  }
}
