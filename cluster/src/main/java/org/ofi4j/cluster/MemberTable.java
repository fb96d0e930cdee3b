// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.Set;

/** What becomes of members in a vector. Called by the loop alone. */
interface MemberTable {
  /**
   * Something has changed about these names.
   *
   * @param names all that changed at once
   * @param roster who has the names now
   */
  void apply(Set<String> names, Roster roster);
}
