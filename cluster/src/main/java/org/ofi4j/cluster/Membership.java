// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

/** A member that this process has published. Safe to call from any thread. */
public interface Membership extends AutoCloseable {
  /** {@return the member, with the incarnation that it got} */
  Member member();

  /**
   * Leaves. A member of a job also stops looking at the others; the vector stays as it is. Waits
   * until ZooKeeper has heard of it or, without connection, gives up waiting: then the session
   * takes the member with it when it ends. Calling it again does nothing.
   */
  @Override
  void close();
}
