// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.OptionalLong;

/** Keeps a vector up to date with the members of a service. Safe to call from any thread. */
public interface VectorFeed extends AutoCloseable {
  /**
   * The handle of a member.
   *
   * @param name its name
   * @return the handle; empty if no such member is in the vector. One that has left is found until
   *     its grace period is over. Of a vector of a node, in processes that do not insert, it lags
   *     behind the vector by some 10 ms
   */
  OptionalLong handle(String name);

  /** {@return how many members have an entry, with those in their grace period} */
  int size();

  /** Stops looking. The vector stays as it is, and stays open. Calling it again does nothing. */
  @Override
  void close();
}
