// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Who may be said to have left: of a job, whose process something was done to; of a service, who
 * could be away for as long as the grace period, or whose address another one has. A time is only
 * held against a departure that comes too early. Safe to call from any thread.
 */
final class Departures {
  private final Consumer<String> findings;

  /** Who something was done to in this round, since when. */
  private final Map<String, Long> disturbed = new HashMap<>();

  /** Addresses that were given to another member in this round. */
  private final Set<String> reassigned = new HashSet<>();

  /** What may only be if the member's session was lost, and the session that it had. */
  private final List<Doubt> doubts = new ArrayList<>();

  private Map<String, Long> sessions = new HashMap<>();
  private int starved;

  Departures(Consumer<String> findings) {
    this.findings = findings;
  }

  private record Doubt(String member, String finding) {}

  private static String key(MemberProcess.Setting setting, String name) {
    return setting.group() + ":" + name;
  }

  /** The sessions that members have. */
  static Map<String, Long> sessions(Collection<WatchedMember> members) {
    Map<String, Long> now = new HashMap<>();
    for (WatchedMember each : members) {
      WatchedMember.Session session = each.session();
      now.put(key(each.setting, each.setting.name()), session == null ? 0 : session.id());
    }
    return now;
  }

  /** Something is done to a member now. */
  synchronized void disturb(WatchedMember member) {
    disturbed.putIfAbsent(
        key(member.setting, member.setting.name()), Long.valueOf(System.nanoTime()));
  }

  /** An address that was a member's is another's now. */
  synchronized void reassign(String address) {
    reassigned.add(address);
  }

  /** A process says that a member has left. */
  synchronized void heard(WatchedMember watcher, String[] event) {
    String member = key(watcher.setting, event[1]);
    String address = event[3];
    String finding = watcher + " heard \"" + String.join(" ", event) + "\"";
    Long since = disturbed.get(member);
    if (reassigned.contains(address)) {
      return;
    }
    if (since == null) {
      doubts.add(new Doubt(member, finding + ", but nothing was done to that process"));
    } else if (!watcher.setting.isJob() && System.nanoTime() - since < Referee.GRACE.toNanos()) {
      findings.accept(finding + ", but the grace period cannot be over");
    }
  }

  /**
   * All is quiet, and everybody is in the tree: who is said to have left without reason must have
   * lost its session by itself.
   *
   * @param before sessions of before everybody was looked at; one that is lost from then on may be
   *     heard of in the next round
   * @param now the present sessions
   */
  synchronized void settle(Map<String, Long> before, Map<String, Long> now) {
    for (Doubt each : doubts) {
      if (now.get(each.member).equals(sessions.get(each.member))) {
        findings.accept(each.finding);
      }
    }
    for (Map.Entry<String, Long> each : before.entrySet()) {
      boolean isNew = !each.getValue().equals(sessions.get(each.getKey()));
      starved += isNew && !disturbed.containsKey(each.getKey()) && !sessions.isEmpty() ? 1 : 0;
    }
    doubts.clear();
    sessions = before;
    disturbed.clear();
    reassigned.clear();
  }

  /** How many sessions were lost though nothing was done to their processes. */
  synchronized int starved() {
    return starved;
  }
}
