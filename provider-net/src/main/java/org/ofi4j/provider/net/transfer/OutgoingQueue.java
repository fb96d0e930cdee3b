// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operations;

/**
 * Frames that one connection is to send, in this order: one that is begun, answers in the order of
 * their requests, what was posted. For one thread at a time.
 */
final class OutgoingQueue extends Operations<Outgoing> {
  // The last one that has overtaken others, if it is still there.
  private @Nullable Outgoing lastAnswer;

  /** Adds what goes before all that was posted, unless that has begun. */
  void overtake(Outgoing answer) {
    Outgoing first = first();
    Outgoing before = lastAnswer;
    if (before == null && first != null && first.isBegun()) {
      before = first;
    }
    addAfter(before, answer);
    lastAnswer = answer;
  }

  @Override
  public @Nullable Outgoing poll() {
    Outgoing first = super.poll();
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
}
