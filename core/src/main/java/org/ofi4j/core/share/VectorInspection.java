// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * A look at the files of a named vector by a process that need not be attached to it. No process
 * changes the vector during the look, which holds the lock of all writers. Another process may make
 * a vector again that no process is attached to: then there is another look.
 *
 * <p>It is made by {@link #of}, and good for the thread and the call that it is passed to.
 *
 * @param control the control file
 * @param participants who is attached, or was and has not been cleaned up after
 * @param faults what is wrong with the control file, and with the header of the file of entries
 * @param entries the file of entries, mapped to be read only, or null if it cannot be used
 */
public record VectorInspection(
    ControlFile control,
    List<Participant> participants,
    List<String> faults,
    @Nullable VectorFile entries) {
  /** Who is attached, or was. */
  public record Participant(int place, long process, boolean alive) {}

  /**
   * Looks at a vector.
   *
   * @param control its control file, {@link ShareDirectory#control}
   * @param timeout how long a process that changes it is waited for
   * @param look looks at what there is of it, until this returns
   * @throws FabricException with {@link Errno#ENOENT} if there is no such file; with {@link
   *     Errno#EACCES} if it is not this user's; with {@link Errno#EAGAIN}, naming the process, if
   *     somebody changes the vector for longer; with {@link Errno#EIO} if it cannot be read
   */
  public static <T> T of(
      ShareDirectory directory,
      Path control,
      Duration timeout,
      Function<VectorInspection, T> look) {
    Path path = control.toAbsolutePath();
    try {
      directory.check(path);
      Membership known;
      long deadline = Waiting.deadline(timeout);
      // A process must not open the control file twice, as closing it would end its locks: one that
      // has joined goes by what it has, any other lets no thread join during the look.
      try (PathLock own = PathLock.acquire(path, deadline)) {
        known = own.joined();
        if (known == null) {
          own.beginToOpen();
          return visitAsStranger(path, timeout, look);
        }
        known.use();
      }
      // The thread that changes the vector in this process may need its lock for that.
      try {
        return look(known, deadline, timeout, look);
      } finally {
        known.endUse(timeout);
      }
    } catch (NoSuchFileException gone) {
      throw new FabricException(
          Errno.ENOENT, "there is no named vector with control file " + path, gone);
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, path + " cannot be looked at: " + e, e);
    }
  }

  /** Looks without joining. */
  private static <T> T visitAsStranger(
      Path path, Duration timeout, Function<VectorInspection, T> look) throws IOException {
    for (int i = 0; ; i++) {
      // It keeps no process from making the vector again, nor the last one from removing it.
      boolean last = i == NamedVector.MOST_ATTEMPTS;
      try (Membership visitor = new Membership(new ControlFile(path))) {
        visitor.visit(Waiting.deadline(timeout));
        try {
          T seen = look(visitor, Waiting.deadline(timeout), timeout, look);
          if (last || visitor.isStillVisited(Waiting.deadline(timeout))) {
            return seen;
          }
        } catch (InternalError fault) {
          if (last || visitor.isStillVisited(Waiting.deadline(timeout))) {
            throw fault;
          }
        }
      }
    }
  }

  private static <T> T look(
      Membership visited, long deadline, Duration timeout, Function<VectorInspection, T> look) {
    visited.lock(deadline);
    try {
      ControlFile control = visited.control;
      List<String> faults = control.faults();
      List<Participant> participants =
          visited.ask(
              timeout,
              () -> {
                List<Participant> taken = new ArrayList<>();
                for (int place : visited.taken()) {
                  taken.add(
                      new Participant(place, control.participant(place), visited.isAlive(place)));
                }
                return taken;
              });
      try (VectorFile entries = entries(control, faults)) {
        return look.apply(new VectorInspection(control, participants, faults, entries));
      }
    } finally {
      visited.unlock();
    }
  }

  private static @Nullable VectorFile entries(ControlFile control, List<String> faults) {
    if (!control.isReady()) {
      return null;
    }
    try {
      return VectorFile.attach(ShareDirectory.data(control.path), false, control.id());
    } catch (FabricException damaged) {
      faults.add(String.valueOf(damaged.getMessage()));
      return null;
    }
  }

  /** What it is like, as the control file says. */
  public byte[] traits() {
    return control.traits();
  }

  /** How many writers have repaired what others had left. */
  public long repairs() {
    return control.repairs();
  }

  /** How many times the lock of all writers was held and given back. */
  public long changes() {
    return control.changes();
  }

  /** The process that died, or failed, while changing it, until the next one repairs it; or 0. */
  public long interrupted() {
    return ControlFile.process(control.writer());
  }

  /** Whether a process is attached; if not, the next one that opens it makes an empty vector. */
  public boolean isLive() {
    return control.isReady() && participants.stream().anyMatch(Participant::alive);
  }
}
