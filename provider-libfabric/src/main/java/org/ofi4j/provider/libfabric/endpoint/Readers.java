// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * The readers whose queues somebody moves. One may be there for several reasons, and goes with the
 * last. Any thread may call; who goes through them sees those of one moment.
 */
final class Readers {
  private final List<CompletionReader> added = new ArrayList<>();
  private volatile CompletionReader[] different = {};

  synchronized void add(CompletionReader reader) {
    added.add(reader);
    update();
  }

  synchronized void remove(CompletionReader reader) {
    added.remove(reader);
    update();
  }

  private void update() {
    different = new HashSet<>(added).toArray(CompletionReader[]::new);
  }

  /** Each of them once; not to be changed. */
  CompletionReader[] all() {
    return different;
  }

  /** Moves all; whether something had ended. */
  boolean move() {
    boolean moved = false;
    for (CompletionReader each : different) {
      moved |= each.move();
    }
    return moved;
  }
}
