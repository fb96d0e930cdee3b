// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.provider.libfabric.progress.QueueReader;

/**
 * When the queues of a domain were last seen empty, in turns that are counted. The lock of the
 * domain guards it.
 */
final class OpenReaders {
  /** When one queue was seen empty. */
  static final class Emptied {
    private final QueueReader reader;
    private long turn;

    private Emptied(QueueReader reader) {
      this.reader = reader;
    }
  }

  private final List<Emptied> all = new ArrayList<>();
  private long turn = 1;

  /** This turn, which is over when it has been asked for. */
  long now() {
    return turn++;
  }

  /** An endpoint reports to a queue from now on. */
  Emptied add(QueueReader reader) {
    Emptied added = new Emptied(reader);
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

  /** Returns the readers that endpoints report to. */
  List<QueueReader> open() {
    return all.stream().map(each -> each.reader).toList();
  }
}
