// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;

/**
 * What became of each address of one insertion. Positions count from 0 in the order given, for
 * symmetric insertions all services of one node before the next node.
 *
 * <p>Of an asynchronous vector the answers are final once {@link #isDone} is true, at the latest
 * when the completion event has been read; reading them is safe from any thread.
 */
public interface Insertion {
  /**
   * What the C call would have returned.
   *
   * @return the number inserted; 0 on an asynchronous vector (profile {@link
   *     Profile#CANDIDATE_1_0}: the number started)
   */
  int result();

  /** {@return how many addresses were given} */
  int requested();

  /**
   * {@return how many addresses are in the vector because of this call, at most {@link #requested}}
   */
  int inserted();

  /** {@return whether nothing is pending any more; always true on a synchronous vector} */
  boolean isDone();

  /**
   * The handle of one address: of an address that was in the vector already and is shared, the one
   * that it had.
   *
   * @param position 0 to {@code requested() - 1}
   * @return its handle, or {@link Handles#NOT_AVAILABLE} if it failed or is pending
   */
  long handle(int position);

  /**
   * The fabric errno of one address, as {@code FI_SYNC_ERR} reports it.
   *
   * @param position 0 to {@code requested() - 1}
   * @return 0 if it is in the vector (or pending), else a positive errno
   */
  int error(int position);

  /** {@return the addresses that failed, by position, with reasons in words} */
  List<InsertionFailure> failures();

  /** {@return all handles by position, in a new array} */
  default long[] handles() {
    long[] handles = new long[requested()];
    for (int i = 0; i < handles.length; i++) {
      handles[i] = handle(i);
    }
    return handles;
  }

  /**
   * Insists that nothing failed.
   *
   * @return this
   * @throws FabricException that names the first failed address, its position, its errno and the
   *     reason
   */
  default Insertion orThrow() {
    List<InsertionFailure> failures = failures();
    if (!failures.isEmpty()) {
      InsertionFailure first = failures.getFirst();
      throw new FabricException(
          first.errno(),
          first
              + " ("
              + failures.size()
              + " of "
              + requested()
              + " addresses failed; the others are in the vector)");
    }
    return this;
  }
}
