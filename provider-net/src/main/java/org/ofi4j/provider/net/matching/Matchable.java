// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operation;

/**
 * A receive that waits for a message, or a message that waits for a receive. It stands in several
 * {@linkplain MatchQueue queues} at a time, linked through itself, so that waiting allocates
 * nothing. Guarded by the lock of the endpoint.
 */
abstract class Matchable extends Operation {
  /** In how many queues it can stand; each kind of queue has a number below. */
  static final int KINDS = 6;

  /** The kind of queue in which all of them stand. */
  static final int ALL = 0;

  /** The kind of queue in which those with the same key stand. */
  static final int SAME = 1;

  /** The kind of queue in which those with the same key and sender stand. */
  static final int SAME_SENDER = 2;

  /** The kind of queue in which those stand that wait for room. */
  static final int WAITING = 3;

  /**
   * The kind of queue in which those with the same key stand that came under the same
   * authorization.
   */
  static final int SAME_AUTHORIZATION = 4;

  /** The kind of queue in which the messages stand that are kept of one sender. */
  static final int SENT = 5;

  /** Its place in the order of posting or arrival. */
  long turn;

  // By kind of queue.
  final @Nullable Matchable[] before = new @Nullable Matchable[KINDS];
  final @Nullable Matchable[] after = new @Nullable Matchable[KINDS];

  private int standing;

  boolean stands(int kind) {
    return (standing & 1 << kind) != 0;
  }

  /** Notes that it has been added to a queue of a kind, or taken out. */
  void stepIntoOrOutOf(int kind) {
    standing ^= 1 << kind;
  }

  @Override
  public void clear() {
    super.clear();
    turn = 0;
  }
}
