// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which member has a name, of all that hosts say. Where several have one, it is the latest: the one
 * with the greatest incarnation. A change costs as much as the host that it is about has members.
 * For one thread.
 */
final class Roster {
  private final Map<String, List<Member>> hosts = new HashMap<>();
  private final Map<String, List<Member>> names = new HashMap<>();

  /**
   * A host has these members from now on.
   *
   * @return the names that something has changed about
   */
  Set<String> update(String host, List<Member> members) {
    List<Member> former = members.isEmpty() ? hosts.remove(host) : hosts.put(host, members);
    Set<Member> now = new HashSet<>(members);
    Set<Member> before = new HashSet<>(former == null ? List.of() : former);
    Set<String> affected = new HashSet<>();
    for (Member each : before) {
      if (!now.contains(each)) {
        List<Member> all = names.getOrDefault(each.name(), List.of());
        all.remove(each);
        if (all.isEmpty()) {
          names.remove(each.name());
        }
        affected.add(each.name());
      }
    }
    for (Member each : now) {
      if (!before.contains(each)) {
        names.computeIfAbsent(each.name(), _ -> new ArrayList<>(1)).add(each);
        affected.add(each.name());
      }
    }
    return affected;
  }

  /** All names that members have. */
  Set<String> names() {
    return Set.copyOf(names.keySet());
  }

  /** The member of a name; null if there is none. */
  @Nullable Member find(String name) {
    Member latest = null;
    for (Member each : names.getOrDefault(name, List.of())) {
      if (latest == null || each.incarnation() > latest.incarnation()) {
        latest = each;
      }
    }
    return latest;
  }
}
