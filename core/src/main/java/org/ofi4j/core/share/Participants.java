// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.FileLock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Who is attached to a named vector: each has a place in the control file, with its process id, and
 * the lock of a byte as long as it lives. To be asked by who has the guard's lock, as whoever is
 * asked about is locked for a moment.
 */
final class Participants {
  private final ControlFile control;

  /** Which place is this process's own; -1 before it has one. */
  private int place = -1;

  private @Nullable FileLock own;

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
          control.path()
              + " has "
              + ControlBlock.PARTICIPANTS
              + " processes attached, the most there can be: end one of them");
    }
  }

  private boolean enter(boolean inheriting) throws IOException {
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if ((control.block().participant(i) != 0) == inheriting) {
        FileLock alive = control.tryLock(ControlBlock.ALIVE + i, 1);
        if (alive != null) {
          own = alive;
          place = i;
          inherited = inheriting;
          control.write(i, OwnProcess.id(), System.currentTimeMillis());
          return true;
        }
      }
    }
    return false;
  }

  /** The place of this process. */
  int place() {
    return place;
  }

  /** Leaves the own place, which is free then, or that of a dead participant. */
  void leave(boolean free) throws IOException {
    FileLock alive = own;
    if (alive == null) {
      return;
    }
    own = null;
    try {
      if (free && !inherited) {
        control.write(place, 0, 0);
      }
      // Somebody else may have it from now on.
      place = -1;
    } finally {
      // Before the guard: of two that leave at once, the second is to find that it is the last.
      alive.release();
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
      control.write(participant, 0, 0);
    }
  }

  /** Whether any other process is attached, whatever the file says of it. */
  boolean hasOthers() throws IOException {
    int before = Math.max(0, place);
    return isLocked(0, before) || isLocked(place + 1, ControlBlock.PARTICIPANTS);
  }

  private boolean isLocked(int from, int to) throws IOException {
    if (from == to) {
      return false;
    }
    FileLock probe = control.tryLock(ControlBlock.ALIVE + from, to - from);
    if (probe == null) {
      return true;
    }
    probe.release();
    return false;
  }

  boolean isAlive(int participant) throws IOException {
    return participant == place || isLocked(participant, participant + 1);
  }

  /** The places that are not free. */
  List<Integer> taken() {
    List<Integer> taken = new ArrayList<>();
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (control.block().participant(i) != 0) {
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

  /** The processes that are attached. */
  List<Long> processes() throws IOException {
    List<Long> found = new ArrayList<>();
    for (int participant : taken()) {
      if (isAlive(participant)) {
        found.add(control.block().participant(participant));
      }
    }
    return found;
  }
}
