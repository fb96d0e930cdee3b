// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.List;
import java.util.UUID;

/**
 * The members of one process.
 *
 * @param process which process: the name of its node
 * @param members its members; incarnation 0 stands for the change that the record came with
 */
record ProcessMembers(UUID process, List<Member> members) {
  ProcessMembers {
    members = List.copyOf(members);
  }

  /** The same, with an incarnation for those that came with a change. */
  ProcessMembers resolved(long change) {
    return new ProcessMembers(
        process,
        members.stream()
            .map(each -> each.incarnation() == 0 ? each.withIncarnation(change) : each)
            .toList());
  }
}
