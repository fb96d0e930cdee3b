// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operations;

/**
 * Operations of an endpoint that libfabric could not take yet, in a line for each peer. A peer that
 * is not there costs its own operations and no others: lines get their turns one after another.
 * Guarded by the lock of the domain.
 */
final class Backlog {
  /** Posts the first operation of a line. */
  interface Attempt {
    /**
     * Tries to post an operation.
     *
     * @param waited how long its line has waited since the peer took something, in nanoseconds
     * @return whether it is out of the line: posted, or failed
     */
    boolean leaves(NativeOperation operation, long waited);
  }

  /** How many lines get a turn before others get theirs. */
  private static final int TURNS = 8;

  /** How many operations of one line are posted in a turn. */
  private static final int BATCH = 16;

  /** The operations for one peer. */
  private static final class Line {
    private final Operations<NativeOperation> waiting = new Operations<>();
    private @Nullable Peer peer;

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

  void add(Peer peer, NativeOperation operation) {
    Line line = lines.get(peer);
    if (line == null) {
      line = idle.isEmpty() ? new Line() : idle.removeLast();
      line.peer = peer;
      line.since = System.nanoTime();
      lines.put(peer, line);
      turns.addLast(line);
    }
    line.waiting.add(operation);
  }

  /** Gives some lines their turn. */
  void retry(Attempt attempt) {
    for (int i = Math.min(TURNS, turns.size()); i > 0; i--) {
      Line line = turns.removeFirst();
      long waited = System.nanoTime() - line.since;
      NativeOperation first = line.waiting.poll();
      for (int turn = 1; first != null && attempt.leaves(first, waited); turn++) {
        if (first.isPosted()) {
          line.since = System.nanoTime();
          waited = 0;
        }
        first = turn < BATCH ? line.waiting.poll() : null;
      }
      if (first != null) {
        line.waiting.addAfter(null, first);
      }
      if (line.waiting.isEmpty()) {
        lines.remove(line.peer);
        line.peer = null;
        idle.add(line);
      } else {
        turns.addLast(line);
      }
    }
  }

  /** Takes all out. */
  void clear(Consumer<NativeOperation> taken) {
    for (Line line : turns) {
      for (NativeOperation each = line.waiting.poll(); each != null; each = line.waiting.poll()) {
        taken.accept(each);
      }
    }
    turns.clear();
    lines.clear();
  }
}
