// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;

/**
 * Who opens, closes or asks about a vector in this process: one thread at a time for each vector,
 * as locks of files do not keep threads of one process apart. Who waits for one vector is no
 * obstacle to others.
 */
final class Turns {
  private static final Map<Path, Turn> TURNS = new HashMap<>();

  private static final class Turn {
    final ReentrantLock lock = new ReentrantLock();

    /** How often it is had or waited for; it goes with the last. */
    int users;
  }

  private Turns() {}

  /** Waits for the turn, however long that takes, and takes it; again for who has it. */
  static void acquire(Path control) {
    turn(control).lock.lock();
  }

  /**
   * Waits for the turn, and takes it; again for who has it.
   *
   * @param deadline until when, in {@link System#nanoTime}
   * @throws FabricException with {@link Errno#EAGAIN} if others have it for all that time
   */
  static void acquire(Path control, long deadline) {
    Turn turn = turn(control);
    if (!Waiting.lock(turn.lock, deadline)) {
      synchronized (TURNS) {
        leave(control, turn);
      }
      throw new FabricException(
          Errno.EAGAIN,
          "another thread of this process, "
              + OwnProcess.id()
              + ", has been opening, closing or looking at the vector of "
              + control
              + " for longer than others wait: try again");
    }
  }

  private static Turn turn(Path control) {
    synchronized (TURNS) {
      Turn turn = TURNS.get(control);
      if (turn == null) {
        turn = new Turn();
        TURNS.put(control, turn);
      }
      turn.users++;
      return turn;
    }
  }

  private static void leave(Path control, Turn turn) {
    if (--turn.users == 0) {
      TURNS.remove(control);
    }
  }

  /** Gives it back, as often as it was taken. */
  static void release(Path control) {
    synchronized (TURNS) {
      Turn turn = TURNS.get(control);
      if (turn == null) {
        throw new IllegalStateException(control + " is nobody's turn");
      }
      turn.lock.unlock();
      leave(control, turn);
    }
  }
}
