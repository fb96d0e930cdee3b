// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;

/**
 * The members of a group as they come and go, for those who have no vector for them, such as a tool
 * for people. Made by {@link Cluster#view}. Safe to call from any thread.
 */
public final class GroupView implements AutoCloseable {
  private final Group group;
  private final GroupInfo info;
  private final Announcements announcements;
  private final GroupWatch watch;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  /** By name. Other threads read it. */
  private final Map<String, Member> members = new ConcurrentHashMap<>();

  /** A view that is ready once {@link #await} has returned. */
  GroupView(Group group, GroupRecord found, MemberListener listener) {
    this.group = group;
    info = group.info(found);
    announcements = new Announcements(listener);
    watch = group.watch(found, group.newLoop("view"), this::apply);
  }

  /** Waits until all members that ZooKeeper knows of are there. */
  GroupView await(Deadline deadline) {
    try {
      group.await(
          watch.ready(), deadline, () -> "the members of " + info.name() + " are not read in time");
      return this;
    } catch (FabricException failure) {
      close();
      throw failure;
    }
  }

  private void apply(Set<String> names, Roster roster) {
    for (String name : new TreeSet<>(names)) {
      Member now = roster.find(name);
      Member former = now == null ? members.remove(name) : members.put(name, now);
      MemberEvent event = event(former, now);
      if (event != null) {
        announcements.add(event);
      }
    }
    announcements.tell();
  }

  private static @Nullable MemberEvent event(@Nullable Member former, @Nullable Member now) {
    if (now == null) {
      return former == null ? null : new MemberEvent.Left(former, Handles.NOT_AVAILABLE);
    }
    if (former == null) {
      return new MemberEvent.Joined(now, Handles.NOT_AVAILABLE);
    }
    return now.equals(former) ? null : new MemberEvent.Moved(now, Handles.NOT_AVAILABLE, former);
  }

  /** {@return what the group is} */
  public GroupInfo info() {
    return info;
  }

  /** {@return who is there now, by rank and name} */
  public List<Member> members() {
    List<Member> sorted = new ArrayList<>(members.values());
    sorted.sort(
        Comparator.<Member>comparingInt(member -> member.rank().orElse(-1))
            .thenComparing(Member::name));
    return sorted;
  }

  boolean isClosed() {
    return isClosed.get();
  }

  /** Stops looking. Calling it again does nothing. */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      // It is the view's alone.
      group.close();
      watch.close(group.options().timeout());
    }
  }
}
