// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Who is attached to a named vector: each has a place in the control file, with its process id, and
 * the lock of a byte and a {@link LivenessSocket} as long as it lives. Either proves that it lives;
 * the process id identifies nothing. Callers must hold the guard's lock, because a question locks
 * the byte of the other participant for a moment.
 */
final class Participants {
  private final ControlFile control;

  /** Which place is this process's own; -1 before it has one. */
  private volatile int place = -1;

  private @Nullable FileLock own;
  private @Nullable LivenessSocket liveness;

  /** The id of the vector, and when this process attached: others change them if it is replaced. */
  private long vector;

  private long attachedAt;

  /**
   * Whether the place was that of a participant that died, whose reservations may be there still;
   * until a writer of this process has ended them.
   */
  private volatile boolean inherited;

  Participants(ControlFile control) {
    this.control = control;
  }

  /**
   * Takes a place: a free one, or else that of a dead participant. Its reservations carry its
   * number, which is this process's own from now on: {@link #dead} names it until it is freed.
   */
  void enter() throws IOException {
    if (!enter(false) && !enter(true)) {
      throw new FabricException(
          Errno.EAGAIN,
          control.path
              + " has "
              + ControlFile.PARTICIPANTS
              + " processes attached, the most there can be: end one of them");
    }
  }

  private boolean enter(boolean inheriting) throws IOException {
    // A change that its writer did not end would count as one of the next process at its place.
    int interrupted = ControlFile.place(control.writer());
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      if ((control.participant(i) != 0) == inheriting && i != interrupted) {
        int free = i;
        FileLock alive = control.tryAlive(i, () -> !isListening(free));
        if (alive != null) {
          own = alive;
          place = i;
          inherited = inheriting;
          liveness = new LivenessSocket(socket(i));
          vector = control.id();
          attachedAt = System.currentTimeMillis();
          control.write(i, ControlFile.PROCESS, attachedAt);
          return true;
        }
      }
    }
    return false;
  }

  private Path socket(int participant) {
    return ShareDirectory.socket(control.path, control.inode, participant);
  }

  private boolean isListening(int participant) throws IOException {
    return LivenessSocket.isListening(socket(participant));
  }

  /** The place of this process. */
  int place() {
    return place;
  }

  /** The id of the vector that this process attached to, whatever the control file says now. */
  long vector() {
    return vector;
  }

  /** Whether the control file is still that of the vector that this process attached to. */
  boolean isOwnVector() {
    return control.id() == vector;
  }

  /** Whether the place is still that of this process: no other process has taken it for dead. */
  boolean isAttached() {
    return isOwnVector()
        && place >= 0
        && control.participant(place) == ControlFile.PROCESS
        && control.attachedAt(place) == attachedAt;
  }

  /** The error of a process that is not {@link #isAttached attached} any more: EIO. */
  FabricException replaced() {
    return new FabricException(
        Errno.EIO,
        ("this process has lost named vector %s: another process took it for dead, as its locks"
                + " of %s were dropped and it had no socket beside this file; close the vector"
                + " wherever this process has it open, open it again, and keep other programs from"
                + " opening or deleting its files")
            .formatted(ShareDirectory.stem(control.path), control.path));
  }

  /** Leaves the own place, which is free then, or that of a dead participant; listens no more. */
  void leave(boolean free) throws IOException {
    if (place < 0) {
      return;
    }
    try {
      endListening();
      if (free && !inherited) {
        Files.deleteIfExists(socket(place));
        control.write(place, 0, 0);
      }
    } finally {
      // Before the guard: of two that leave at once, the second is to find that it is the last.
      endPlace();
    }
  }

  /**
   * Stops listening, so that nothing follows what is deleted next. Gives up the own place if
   * another process took this one for dead: the place, with its lock and its socket, may be that of
   * another process now.
   */
  void beginToLeave() throws IOException {
    endListening();
    if (place >= 0 && !control.isCut() && !isAttached()) {
      endPlace();
    }
  }

  private void endPlace() throws IOException {
    // Another process may have the place from now on.
    place = -1;
    FileLock alive = own;
    own = null;
    if (alive != null) {
      alive.release();
    }
  }

  /** Stops listening, if this process does. */
  void endListening() throws IOException {
    LivenessSocket last = liveness;
    liveness = null;
    if (last != null) {
      last.close();
    }
  }

  /** Of whom the own place is inherited nothing is left. Needs no guard, but all writers' lock. */
  void endInheritance() {
    inherited = false;
  }

  /** Frees the place of a dead participant of which nothing is left. */
  void forget(int participant) throws IOException {
    // Unless somebody has inherited it meanwhile.
    if (!isAlive(participant)) {
      Files.deleteIfExists(socket(participant));
      control.write(participant, 0, 0);
    }
  }

  /** Whether any other process is attached, whatever the file says of it. */
  boolean hasOthers() throws IOException {
    int before = Math.max(0, place);
    return control.isAnyAlive(0, before)
        || control.isAnyAlive(place + 1, ControlFile.PARTICIPANTS)
        || isAnyListening();
  }

  /** Whether another process is attached that has lost its lock. */
  private boolean isAnyListening() throws IOException {
    Path own = place < 0 ? null : socket(place);
    for (Path socket : ShareDirectory.sockets(control.path, control.inode)) {
      if (!socket.equals(own) && LivenessSocket.isListening(socket)) {
        return true;
      }
    }
    return false;
  }

  /** Whether another participant listens at a place. Needs no guard. */
  boolean isListeningElsewhere(int participant) throws IOException {
    return participant >= 0 && participant != place && isListening(participant);
  }

  boolean isAlive(int participant) throws IOException {
    return participant == place
        || control.isAnyAlive(participant, participant + 1)
        || isListening(participant);
  }

  /** The places that are not free. */
  List<Integer> taken() {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < ControlFile.PARTICIPANTS; i++) {
      if (control.participant(i) != 0) {
        taken.add(i);
      }
    }
    return taken;
  }

  /** The places of those that died and were not cleaned up after, also if it is the own one now. */
  List<Integer> dead() throws IOException {
    List<Integer> dead = new ArrayList<>();
    for (int participant : taken()) {
      if (participant == place ? inherited : !isAlive(participant)) {
        dead.add(participant);
      }
    }
    return dead;
  }

  /** The ids of the processes that are attached, each as it is in its own PID namespace. */
  List<Long> processes() throws IOException {
    return processes(-1);
  }

  /** As {@link #processes}, without this process, which its place identifies. */
  List<Long> others() throws IOException {
    return processes(place);
  }

  private List<Long> processes(int without) throws IOException {
    List<Long> found = new ArrayList<>();
    for (int participant : taken()) {
      if (participant != without && isAlive(participant)) {
        found.add(control.participant(participant));
      }
    }
    return found;
  }
}
