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
 *
 * <p>Incarnations of a rank only grow: once a later one was seen, an earlier one is no member any
 * more, whatever a record still says.
 */
final class Roster {
  private final Map<String, List<Member>> hosts = new HashMap<>();
  private final Map<String, List<Member>> names = new HashMap<>();

  /** The greatest incarnation of each rank that was seen, by name. */
  private final Map<String, Long> latest = new HashMap<>();

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
        outdateBefore(each);
        names.computeIfAbsent(each.name(), _ -> new ArrayList<>(1)).add(each);
        affected.add(each.name());
      }
    }
    return affected;
  }

  /** Earlier incarnations of a member's rank are no members from now on. */
  void outdateBefore(Member member) {
    if (member.rank().isPresent()) {
      latest.merge(member.name(), member.incarnation(), Math::max);
    }
  }

  /** All names that members have. */
  Set<String> names() {
    return Set.copyOf(names.keySet());
  }

  /** The member of a name; null if there is none. */
  @Nullable Member find(String name) {
    Member found = null;
    long least = latest.getOrDefault(name, Long.MIN_VALUE);
    for (Member each : names.getOrDefault(name, List.of())) {
      boolean isLater = found == null || each.incarnation() > found.incarnation();
      if (isLater && (each.rank().isEmpty() || each.incarnation() >= least)) {
        found = each;
      }
    }
    return found;
  }
}
