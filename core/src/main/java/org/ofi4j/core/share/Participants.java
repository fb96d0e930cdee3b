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
  private static final long PROCESS = ProcessHandle.current().pid();

  private final ControlFile control;

  /** Which place is this process's own; -1 before it has one. */
  private int place = -1;

  /** Keeps the lock of the own place. */
  @SuppressWarnings("UnusedVariable")
  private @Nullable FileLock own;

  Participants(ControlFile control) {
    this.control = control;
  }

  /** Takes a place. */
  void enter() throws IOException {
    for (int i = 0; i < ControlBlock.PARTICIPANTS; i++) {
      if (control.block().participant(i) == 0) {
        FileLock alive = control.tryLock(ControlBlock.ALIVE + i, 1);
        if (alive != null) {
          own = alive;
          place = i;
          control.write(i, PROCESS, System.currentTimeMillis());
          return;
        }
      }
    }
    throw new FabricException(
        Errno.EAGAIN,
        control.path()
            + " has "
            + ControlBlock.PARTICIPANTS
            + " processes attached, the most there can be");
  }

  /** The place of this process. */
  int place() {
    return place;
  }

  /** Frees a place; the lock of the own one stays until the file is closed. */
  void leave(int participant) throws IOException {
    control.write(participant, 0, 0);
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

  /** Whether the participant of a place lives. */
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

  /** The places of those that died and were not cleaned up after. */
  List<Integer> dead() throws IOException {
    List<Integer> dead = new ArrayList<>();
    for (int participant : taken()) {
      if (!isAlive(participant)) {
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
