// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

/**
 * Hears what becomes of members. One thread calls it, in the order of the changes, after the vector
 * was changed, and holds no lock. While it runs, the vector is not changed further; what it throws
 * is logged and changes nothing. It may call everything.
 *
 * <p>Of a vector of a node this is so in the process that inserts. While a listener of that process
 * runs, no other process hears anything; in the others it goes on inserting, so that the vector may
 * be some 10 ms ahead of what is heard.
 */
@FunctionalInterface
public interface MemberListener {
  /**
   * Something became of a member.
   *
   * @param event what
   */
  void heard(MemberEvent event);

  /** {@return one that ignores everything} */
  static MemberListener none() {
    return _ -> {};
  }
}
