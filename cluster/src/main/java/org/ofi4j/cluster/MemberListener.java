// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

/**
 * Hears what becomes of members. One thread calls it, in the order of the changes, after the vector
 * was changed, and holds no lock. While it runs, the vector is not changed further; what it throws
 * is logged and changes nothing. It may call everything.
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
