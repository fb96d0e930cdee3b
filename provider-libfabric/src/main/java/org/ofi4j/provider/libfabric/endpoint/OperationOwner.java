// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/**
 * Whose operations are under way. Hears what becomes of them, with the lock of the domain held, in
 * entries of libfabric's memory that are gone when the call returns.
 */
interface OperationOwner {
  /**
   * An operation has succeeded.
   *
   * @param entry where the {@code struct fi_cq_tagged_entry} is
   * @param source the native handle of the peer that a message is from
   */
  void succeeded(Operation operation, long entry, long source);

  /**
   * An operation has failed.
   *
   * @param entry where the {@code struct fi_cq_err_entry} is
   * @param words what the fabric says of the error
   */
  void failed(Operation operation, long entry, @Nullable String words);

  /**
   * A peer has written to memory here, with data.
   *
   * @param entry where the {@code struct fi_cq_tagged_entry} is
   * @return false if that is not what it says, or nobody here receives
   */
  boolean writtenTo(long entry);

  /**
   * An operation is over that libfabric does not have; there is room to report it.
   *
   * @param reason what is reported
   */
  void ended(Operation operation, FabricException reason);

  /** The entry has gone that a receive is directed at: it takes nothing any more. */
  void sourceGone(Operation receive);

  /** libfabric is about to move data; called over shared memory only. */
  void beforeMove();

  /** Posts what waits to be posted, as far as libfabric takes it, and counts what peers did. */
  void retry();

  /**
   * Whether it has to be looked at before long, whatever is in the queue: something waits to be
   * posted, or there are counters of libfabric's, of which no queue tells.
   */
  boolean isDue();
}
