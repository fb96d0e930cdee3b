// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** What a counter that is bound to an endpoint counts. */
public enum CounterFlag implements Flag {
  /** {@code FI_READ}: reads of peers' memory. */
  READ(8),
  /** {@code FI_WRITE}: writes to peers' memory. */
  WRITE(9),
  /** {@code FI_RECV}: messages that were received, tagged and others. */
  RECEIVE(10),
  /** {@code FI_SEND}: messages that were sent, tagged and others, injected ones as well. */
  SEND(11),
  /** {@code FI_REMOTE_READ}: reads of our memory by peers, whose bytes are all on their way. */
  REMOTE_READ(12),
  /** {@code FI_REMOTE_WRITE}: writes of peers to our memory, whose bytes have all come. */
  REMOTE_WRITE(13);

  private final int bit;

  CounterFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
