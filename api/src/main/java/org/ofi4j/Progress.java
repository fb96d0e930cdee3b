// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code enum fi_progress}: who moves the data. Both ends have to have it moved: also to open
 * connections, and to acknowledge what the other end wants to know of.
 */
public enum Progress {
  /** {@code FI_PROGRESS_UNSPEC}: the provider chooses; those of ofi4j take {@link #MANUAL}. */
  UNSPECIFIED(0),
  /**
   * {@code FI_PROGRESS_AUTO}: a thread of the domain's own, whether or not the application reads.
   * Over sockets, a thread that waits for a queue or counter may do so in its place.
   */
  AUTO(1),
  /**
   * {@code FI_PROGRESS_MANUAL}: the threads that read the queues and counters; while no thread
   * does, nothing moves. An endpoint may have short messages that are posted in a row wait for each
   * other, until such a thread finds nothing more to read; {@link CompletionLevel#TRANSMITTED}
   * keeps a message from that.
   */
  MANUAL(2);

  private final int number;

  Progress(int number) {
    this.number = number;
  }

  /** {@return the number in {@code rdma/fabric.h}, 0 to 2} */
  public int number() {
    return number;
  }
}
