// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;

/**
 * Frames that one connection is to send, in this order: one that is begun, answers in the order of
 * their requests, what was posted. For one thread at a time.
 */
final class OutgoingQueue {
  private final Operations<Outgoing> frames = new Operations<>();

  // The last one that has overtaken others, if it is still there.
  private @Nullable Outgoing lastAnswer;

  /** Adds what was posted. */
  void add(Outgoing frame) {
    frames.add(frame);
  }

  /** Adds what goes before all that was posted, unless that has begun. */
  void overtake(Outgoing answer) {
    Outgoing first = frames.first();
    Outgoing before = lastAnswer;
    if (before == null && first != null && first.isBegun()) {
      before = first;
    }
    frames.addAfter(before, answer);
    lastAnswer = answer;
  }

  /** Adds one that is begun, where none is. */
  void addBegun(Outgoing frame) {
    frames.addAfter(null, frame);
  }

  @Nullable Outgoing first() {
    return frames.first();
  }

  @Nullable Outgoing after(Outgoing frame) {
    return frames.after(frame);
  }

  int size() {
    return frames.size();
  }

  boolean isEmpty() {
    return frames.isEmpty();
  }

  /** Takes the first one out. */
  @Nullable Outgoing poll() {
    Outgoing first = frames.poll();
    if (first != null && first.equals(lastAnswer)) {
      lastAnswer = null;
    }
    return first;
  }

  /** Takes out what was posted, wherever it stands. */
  void remove(Outgoing posted) {
    Outgoing before = null;
    for (Outgoing each = first(); each != null && !each.equals(posted); each = after(each)) {
      before = each;
    }
    removeAfter(before, posted);
  }

  /**
   * Takes out what was posted.
   *
   * @param before the one in front of it; null if it is the first
   */
  void removeAfter(@Nullable Outgoing before, Outgoing posted) {
    frames.removeAfter(before, posted);
  }
}
