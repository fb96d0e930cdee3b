// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Operations of an endpoint that libfabric could not take yet, in a line for each peer. A peer that
 * is not there costs its own operations and no others: lines get their turns one after another.
 * Guarded by the lock of the domain.
 */
final class Backlog {
  /** What becomes of the first operation of a line. */
  interface Attempt {
    /**
     * Tries to post an operation.
     *
     * @param waited how long its line has waited since the peer took something, in nanoseconds
     * @return whether it is out of the line: posted, or failed
     */
    boolean leaves(Operation operation, long waited);
  }

  /** How many lines get a turn before others get theirs. */
  private static final int TURNS = 8;

  /** How many operations of one line are posted in a turn. */
  private static final int BATCH = 16;

  /** The operations for one peer. */
  private static final class Line {
    private @Nullable Peer peer;
    private @Nullable Operation first;
    private @Nullable Operation last;

    /** When the line was begun, or the peer last took something, by {@link System#nanoTime}. */
    private long since;
  }

  private final IdentityHashMap<Peer, Line> lines = new IdentityHashMap<>();
  private final ArrayDeque<Line> turns = new ArrayDeque<>();
  private final List<Line> idle = new ArrayList<>();

  boolean isEmpty() {
    return turns.isEmpty();
  }

  /** Whether operations for a peer wait, behind which others have to. */
  boolean has(Peer peer) {
    return !turns.isEmpty() && lines.containsKey(peer);
  }

  void add(Peer peer, Operation operation) {
    Line line = lines.get(peer);
    if (line == null) {
      line = idle.isEmpty() ? new Line() : idle.removeLast();
      line.peer = peer;
      line.since = System.nanoTime();
      lines.put(peer, line);
      turns.addLast(line);
    }
    operation.next = null;
    if (line.last == null) {
      line.first = operation;
    } else {
      line.last.next = operation;
    }
    line.last = operation;
  }

  /** Gives some lines their turn. */
  void retry(Attempt attempt) {
    for (int i = Math.min(TURNS, turns.size()); i > 0; i--) {
      Line line = turns.removeFirst();
      long waited = System.nanoTime() - line.since;
      for (int posted = 0; posted < BATCH && line.first != null; posted++) {
        Operation operation = line.first;
        Operation behind = operation.next;
        // Whoever posts it may give it back, and it is somebody else's then.
        if (!attempt.leaves(operation, waited)) {
          break;
        }
        line.first = behind;
        if (operation.isPosted()) {
          line.since = System.nanoTime();
          waited = 0;
        }
      }
      if (line.first == null) {
        forget(line);
      } else {
        turns.addLast(line);
      }
    }
  }

  /** Takes all out. */
  void clear(Consumer<Operation> taken) {
    for (Line line : turns) {
      Operation each = line.first;
      while (each != null) {
        Operation behind = each.next;
        taken.accept(each);
        each = behind;
      }
    }
    turns.clear();
    lines.clear();
  }

  /** Why an operation fails whose peer took nothing for a time, in nanoseconds. */
  static FabricException late(long patience) {
    return new FabricException(
        Errno.ETIMEDOUT,
        "the peer took nothing for "
            + patience / 1_000_000
            + " ms (connectTimeout): it is not there, or does not read");
  }

  private void forget(Line line) {
    line.last = null;
    if (line.peer != null) {
      lines.remove(line.peer);
      line.peer = null;
    }
    idle.add(line);
  }
}
