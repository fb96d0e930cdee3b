package org.ofi4j.core.share;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

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

  /** Waits for the turn, and takes it; again for who has it. */
  static void take(Path control) {
    Turn turn;
    synchronized (TURNS) {
      turn = TURNS.computeIfAbsent(control, path -> new Turn());
      turn.users++;
    }
    turn.lock.lock();
  }

  /** Gives it back, as often as it was taken. */
  static void give(Path control) {
    synchronized (TURNS) {
      Turn turn = TURNS.get(control);
      if (turn == null) {
        throw new IllegalStateException(control + " is nobody's turn");
      }
      turn.lock.unlock();
      if (--turn.users == 0) {
        TURNS.remove(control);
      }
    }
  }
}
