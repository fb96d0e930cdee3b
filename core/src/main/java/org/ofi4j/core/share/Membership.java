// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * The attachment of one process to one named vector, however often the process opened it: its place
 * in the control file, with its process id, and the lock of a byte and a {@link LivenessSocket} as
 * long as it lives. Either proves that it lives; the process id identifies nothing. The kernel
 * drops locks when a process ends, in whatever way, and also when the process closes <em>any</em>
 * descriptor of the file: so the file is opened once here. Other code of the process may open and
 * close it nevertheless, which the socket outlives.
 *
 * <p>Callers must hold the {@link PathLock}, except for {@link #ask}, and what only reads the
 * control file. Questions about others need the guard's lock, too, because a question locks the
 * byte of the other participant for a moment; {@link #ask} takes it.
 */
final class Membership implements AutoCloseable {
  final ControlFile control;
  final VectorLocks locks;

  /** How many openings of this process hold a key. For who has the lock of all writers. */
  final Map<Integer, Integer> keyHolds = new HashMap<>();

  /** How many openings of this process there are. */
  int users;

  private @Nullable FileLock alive;
  private @Nullable LivenessSocket liveness;

  /**
   * Whether the place was that of a participant that died, whose reservations may be there still;
   * until a writer of this process has ended them.
   */
  private volatile boolean inherited;

  /** Whether the place is not to be freed by leaving: reservations are left in its name. */
  volatile boolean placeAbandoned;

  Membership(ControlFile control) {
    this.control = control;
    this.locks = new VectorLocks(control);
  }

  /**
   * Removes the files if no process is attached.
   *
   * @throws NoSuchFileException if the path leads to another file by now
   * @throws FabricException with {@link Errno#EBUSY} if a process is attached
   */
  void deleteIfDead(String name, long deadline) throws IOException {
    try (FileLock _ = locks.guard(deadline)) {
      control.checkPath();
      if (hasOthers()) {
        control.map();
        throw inUse(name, control.isMapped() ? others() : List.of());
      }
      // A process that has opened it already, and waits for the guard, finds that it is gone.
      delete();
    }
  }

  static FabricException inUse(String name, List<Long> processes) {
    return new FabricException(
        Errno.EBUSY,
        "vector \"%s\" is in use by processes %s: it goes when the last of them closes it"
            .formatted(name, processes));
  }

  /** To be called with the guard, while the path leads to the file, if no other is attached. */
  void delete() throws IOException {
    deleteLeftBehind();
    Files.deleteIfExists(control.path);
  }

  /** Deletes all files but the control file of a vector without other participants. */
  void deleteLeftBehind() throws IOException {
    Files.deleteIfExists(control.entries());
    for (Path socket : control.sockets()) {
      Files.deleteIfExists(socket);
    }
  }

  // Leaving.

  /**
   * Leaves; the last one of all processes takes the files away. As the process ends and there are
   * others, the place becomes that of a dead participant, and the process that writes next gives
   * back what is reserved under it. The file stays open then, and mapped, for threads that go on;
   * one that changes entries now keeps the lock of all writers until it has done so, and none
   * begins again.
   *
   * @param deadline until when a process that attaches or leaves is waited for
   * @param exits whether the process ends
   */
  void leave(long deadline, boolean exits) throws IOException {
    try (FileLock _ = locks.guard(deadline)) {
      if (exits) {
        locks.leftAtExit = true;
      }
      // So that nothing follows what is deleted next.
      endListening();
      if (locks.place >= 0 && !control.isCut() && !locks.isAttached()) {
        // Another process took this one for dead, and may have the place, its lock and its socket.
        endPlace();
      }
      if (control.isAtItsPath() && !hasOthers()) {
        delete();
      }
      leavePlace(!exits && !placeAbandoned);
    }
  }

  /** Leaves the own place, which is free then, or that of a dead participant; listens no more. */
  void leavePlace(boolean free) throws IOException {
    try {
      endListening();
      if (locks.place >= 0 && free && !inherited && !control.isCut()) {
        freePlace(locks.place);
      }
    } finally {
      // Before the guard: of two that leave at once, the second is to find that it is the last.
      endPlace();
    }
  }

  private void freePlace(int participant) throws IOException {
    Files.deleteIfExists(control.socket(participant));
    control.participant(participant, 0, 0);
  }

  private void endPlace() throws IOException {
    // Another process may have the place from now on.
    locks.place = -1;
    if (alive != null) {
      alive.release();
    }
  }

  private void endListening() throws IOException {
    if (liveness != null) {
      liveness.close();
    }
  }

  /** Closes the file, and has joined nothing any more. */
  @Override
  public void close() {
    try (control) {
      endListening();
    } catch (IOException ended) {
      // It listens no more, and closing the file has ended all locks.
      return;
    }
  }

  // This process among the participants.

  /**
   * Takes a place: a free one, or else that of a dead participant. Its reservations carry its
   * number, which is this process's own from now on: {@link #dead} names it until it is freed.
   */
  void enter() throws IOException {
    // A change that its writer did not end would count as one of the next process at its place.
    int interrupted = VectorLocks.place(locks.writer());
    for (int attempt = 0; attempt < 2 * ControlFile.PARTICIPANTS; attempt++) {
      int place = attempt % ControlFile.PARTICIPANTS;
      inherited = attempt >= ControlFile.PARTICIPANTS;
      if ((control.participant(place) != 0) == inherited && place != interrupted) {
        Path socket = control.socket(place);
        alive = locks.tryAlive(place, () -> !LivenessSocket.isListening(socket));
        if (alive != null) {
          long time = System.currentTimeMillis();
          locks.attach(place, time);
          liveness = new LivenessSocket(socket);
          control.participant(place, ControlFile.PROCESS, time);
          return;
        }
      }
    }
    throw new FabricException(
        Errno.EAGAIN,
        "%s has %s processes attached, the most there can be: end one of them"
            .formatted(control.path, ControlFile.PARTICIPANTS));
  }

  // Other participants.

  /**
   * Asks about participants while none comes or goes, and no other thread asks: who is asked about
   * is locked for a moment, as if it were alive.
   */
  <T> T ask(Duration timeout, ControlFile.Question<T> question) {
    long deadline = Waiting.deadline(timeout);
    try (PathLock _ = PathLock.acquire(control.path, deadline);
        FileLock _ = locks.guard(deadline)) {
      return question.ask();
    } catch (IOException e) {
      throw new FabricException(Errno.EIO, control.path + " cannot be looked at: " + e, e);
    }
  }

  /** Whether any other process is attached, whatever the file says of it. */
  boolean hasOthers() throws IOException {
    if (locks.isAnyAlive(0, Math.max(0, locks.place))
        || locks.isAnyAlive(locks.place + 1, ControlFile.PARTICIPANTS)) {
      return true;
    }
    // One that has lost its lock still listens.
    Path own = locks.place < 0 ? null : control.socket(locks.place);
    for (Path socket : control.sockets()) {
      if (!socket.equals(own) && LivenessSocket.isListening(socket)) {
        return true;
      }
    }
    return false;
  }

  boolean isAlive(int participant) throws IOException {
    return participant == locks.place
        || locks.isAnyAlive(participant, participant + 1)
        || LivenessSocket.isListening(control.socket(participant));
  }

  /** The processes that have places. */
  List<NamedVector.Participant> participants() throws IOException {
    List<NamedVector.Participant> taken = new ArrayList<>();
    int writing = VectorLocks.place(locks.writer());
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      long process = control.participant(i);
      if (process != 0) {
        taken.add(new NamedVector.Participant(i, process, isAlive(i), i == writing));
      }
    }
    return taken;
  }

  /** The places of those that died and were not cleaned up after, also if it is the own one now. */
  List<Integer> dead() throws IOException {
    return participants().stream()
        .filter(one -> one.place() == locks.place ? inherited : !one.isAlive())
        .map(NamedVector.Participant::place)
        .toList();
  }

  /** Frees the places of the {@link #dead}, of which nothing is left; the own one stays. */
  void forget(List<Integer> dead) throws IOException {
    for (int participant : dead) {
      if (participant == locks.place) {
        inherited = false;
      } else {
        freePlace(participant);
      }
    }
  }

  /** The ids of the other processes that are attached, each as it is in its own PID namespace. */
  List<Long> others() throws IOException {
    return participants().stream()
        .filter(one -> one.place() != locks.place && one.isAlive())
        .map(NamedVector.Participant::process)
        .toList();
  }
}
