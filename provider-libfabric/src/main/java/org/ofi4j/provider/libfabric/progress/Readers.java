// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The readers whose queues somebody moves. One may be there for several reasons, and goes with the
 * last. Any thread may call; who goes through them sees those of one moment.
 */
final class Readers {
  private final List<QueueReader> added = new ArrayList<>();
  private volatile QueueReader[] different = {};

  synchronized void add(QueueReader reader) {
    added.add(reader);
    update();
  }

  synchronized void remove(QueueReader reader) {
    added.remove(reader);
    update();
  }

  private void update() {
    different = new HashSet<>(added).toArray(QueueReader[]::new);
  }

  /** Each of them once; not to be changed. */
  QueueReader[] all() {
    return different;
  }

  /** Moves all; whether something had ended. */
  boolean move() {
    boolean moved = false;
    for (QueueReader each : different) {
      moved |= each.move();
    }
    return moved;
  }
}
