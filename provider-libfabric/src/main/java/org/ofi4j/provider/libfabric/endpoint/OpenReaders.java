// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * When the queues of a domain were last seen empty, in turns that are counted. The lock of the
 * domain guards it.
 */
final class OpenReaders {
  /** When one queue was seen empty. */
  static final class Emptied {
    private long turn;
  }

  private final List<Emptied> all = new ArrayList<>();
  private long turn = 1;

  /** This turn, which is over when it has been asked for. */
  long now() {
    return turn++;
  }

  /** An endpoint reports to a queue from now on. */
  Emptied add() {
    Emptied added = new Emptied();
    all.add(added);
    return added;
  }

  /** No endpoint reports to a queue any more. */
  void remove(Emptied removed) {
    all.remove(removed);
  }

  /** A queue was seen empty. */
  void empty(Emptied seen) {
    seen.turn = turn;
  }

  /** Whether each queue was seen empty after a turn. */
  boolean wereEmptySince(long then) {
    return all.stream().allMatch(each -> each.turn > then);
  }
}
