// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.ProcessMembers;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * Looks at the records of all hosts of a group, and tells a table what has changed.
 *
 * <p><b>A host without a record.</b> When a publisher dies, its record is gone at once, and another
 * process of the host writes a new one. Until then the host's members are those whose process still
 * has its node: the children of the host's node are read, with a watch, until there is a record or
 * no child.
 *
 * <p><b>Two records of one host.</b> The one whose node is older counts. A publisher that lost its
 * session and does not know yet that another one has taken its place writes a younger one.
 *
 * <p><b>A record of a former session</b> is as none: it holds what its publisher saw before it was
 * stopped, and who of them is dead since then is not known.
 */
final class GroupWatch implements LiveTree.Listener {
  /** A table that keeps members in a vector. Only the loop calls it. */
  interface MemberTable {
    /**
     * Something has changed about these names.
     *
     * @param names all that changed at once
     * @param roster who has the names now
     */
    void apply(Set<String> names, Roster roster);
  }

  private static final Logger LOG = System.getLogger(GroupWatch.class.getName());
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** The process of members whose process was not told. */
  private static final UUID UNKNOWN = new UUID(0, 0);

  private final CuratorFramework client;
  private final GroupPaths paths;
  private final AddressFormat format;
  private final Loop loop;
  private final MemberTable table;
  private final Roster roster = new Roster();
  private final Map<String, HostState> hosts = new HashMap<>();
  private final Waiters waiters;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final LiveTree tree;
  private volatile boolean closed;

  GroupWatch(
      CuratorFramework client,
      GroupPaths paths,
      AddressFormat format,
      Loop loop,
      MemberTable table) {
    this(client, client, paths, format, loop, table);
  }

  /**
   * Watches with two clients: Curator's cache takes none but its own class.
   *
   * @param cached the client that the records are read with
   * @param client the client of all other requests
   */
  GroupWatch(
      CuratorFramework cached,
      CuratorFramework client,
      GroupPaths paths,
      AddressFormat format,
      Loop loop,
      MemberTable table) {
    this.client = client;
    this.paths = paths;
    this.format = format;
    this.loop = loop;
    this.table = table;
    waiters = new Waiters(loop);
    tree = new LiveTree(cached, paths.records(), loop, this);
  }

  /** What is known of one host. */
  private static final class HostState {
    final Map<UUID, Published> records = new HashMap<>();

    /** What counts, or counted last. */
    HostRecord last = new HostRecord(AddressFormat.UNSPECIFIED, List.of());

    /** Whether there is no record, so that the processes have to be looked at. */
    boolean isOrphaned;
  }

  /** A record in the tree. */
  private record Published(HostRecord record, long created) {}

  /** Done when the group was read for the first time, and the table knows it. */
  CompletableFuture<Boolean> ready() {
    return ready;
  }

  /** Done when a condition holds, which is asked by the loop, after each change. */
  CompletableFuture<Boolean> when(BooleanSupplier condition) {
    return waiters.when(condition);
  }

  /** Done when the table knows of all changes that ZooKeeper knows of now. */
  CompletableFuture<Boolean> caughtUp() {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    whenCurrent(() -> answer.complete(true));
    return answer;
  }

  /**
   * Has the loop do something when the table knows of all changes that ZooKeeper knows of now; so
   * not before the connection is there, and all was read again.
   */
  void whenCurrent(Runnable task) {
    if (closed || client.getState() != CuratorFrameworkState.STARTED) {
      return;
    }
    AtomicBoolean isAnswered = new AtomicBoolean();
    askAgainIfLost(isAnswered, task);
    try {
      // Answers and events come in the order of the server's changes, and so do calls of runSafe.
      client
          .sync()
          .inBackground((_, event) -> {
            if (!isAnswered.compareAndSet(false, true)) {
              return;
            }
            boolean isAnswer = event.getResultCode() == Code.OK.intValue();
            var _ =
                client.runSafe(() ->
                    loop.execute(() -> {
                      if (isAnswer && tree.isCurrent()) {
                        task.run();
                      } else {
                        loop.after(AGAIN, () -> whenCurrent(task));
                      }
                    }));
          })
          .forPath(paths.group());
    } catch (Exception failure) {
      LOG.log(Level.WARNING, "{0} cannot be asked for: {1}", paths.group(), failure.toString());
      isAnswered.set(true);
      loop.after(AGAIN, () -> whenCurrent(task));
    }
  }

  /** ZooKeeper's client can lose an answer: see {@link WrittenNode}. */
  private void askAgainIfLost(AtomicBoolean isAnswered, Runnable task) {
    loop.after(
        WrittenNode.PATIENCE,
        () -> {
          boolean isConnected = client.getZookeeperClient().isConnected();
          if (isConnected && isAnswered.compareAndSet(false, true)) {
            whenCurrent(task);
          } else if (!isAnswered.get()) {
            askAgainIfLost(isAnswered, task);
          }
        });
  }

  Roster roster() {
    return roster;
  }

  /** Whether a host has a record, so that its members are known; for the loop. */
  boolean hasRecord(String host) {
    HostState state = hosts.get(host);
    return state != null && !state.records.isEmpty();
  }

  /**
   * Takes members as those of a host whose record cannot be read, if nothing was read of it before:
   * until it can be read, they stay what others were told. For the loop.
   */
  void assume(String host, List<Member> members) {
    HostState state = hosts.get(host);
    if (state != null && hasRecord(host) && state.last.processes().isEmpty()) {
      state.last = new HostRecord(format, List.of(new ProcessMembers(UNKNOWN, members)));
      state.records.replaceAll((_, each) ->
          each.record.processes().isEmpty() ? new Published(state.last, each.created) : each);
      roster.update(host, members);
    }
  }

  /** Asks ZooKeeper whether a host has processes; true also if it does not answer. */
  CompletableFuture<Boolean> hasProcesses(String host) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    try {
      client
          .getChildren()
          .inBackground((_, event) -> {
            List<String> children = children(event);
            answer.complete(children == null || !children.isEmpty());
          })
          .forPath(paths.host(host));
    } catch (Exception failure) {
      LOG.log(Level.WARNING, "Host {0} cannot be looked at: {1}", host, failure.toString());
      answer.complete(true);
    }
    return answer;
  }

  /** The children that an answer tells of, none of a node that is not there; null if it fails. */
  private static @Nullable List<String> children(CuratorEvent event) {
    if (event.getResultCode() == Code.NONODE.intValue()) {
      return List.of();
    }
    return event.getResultCode() == Code.OK.intValue() ? event.getChildren() : null;
  }

  @Override
  public void reread(Map<String, ChildData> all) {
    Set<String> touched = new HashSet<>(hosts.keySet());
    Set<GroupPaths.RecordName> there = new HashSet<>();
    for (ChildData node : all.values()) {
      GroupPaths.RecordName name = GroupPaths.recordOf(node.getPath());
      if (name != null) {
        there.add(name);
      }
    }
    hosts.forEach((host, state) ->
        state
            .records
            .keySet()
            .removeIf(process -> !there.contains(new GroupPaths.RecordName(host, process))));
    all.values().forEach(node -> touched.addAll(note(node.getPath(), node)));
    settle(touched);
    ready.complete(true);
  }

  @Override
  public void changed(Map<String, @Nullable ChildData> nodes) {
    Set<String> touched = new HashSet<>();
    nodes.forEach((path, node) -> touched.addAll(note(path, node)));
    settle(touched);
  }

  @Override
  public void denied(FabricException failure) {
    ready.completeExceptionally(failure);
    waiters.fail(failure);
  }

  /** Takes in one node; answers the host that it is about. */
  private Set<String> note(String path, @Nullable ChildData node) {
    GroupPaths.RecordName name = GroupPaths.recordOf(path);
    if (name == null) {
      return Set.of();
    }
    HostState state = hosts.computeIfAbsent(name.host(), _ -> new HostState());
    if (node == null) {
      state.records.remove(name.process());
    } else {
      try {
        HostRecord record = HostRecord.of(node.getData(), name.host());
        if (!format.contains(record.format())) {
          throw new UnreadableRecordException("has addresses of " + record.format());
        }
        if (!record.isOfSession(node.getStat().getEphemeralOwner())) {
          state.records.remove(name.process());
          return Set.of(name.host());
        }
        state.records.put(name.process(), new Published(record, node.getStat().getCzxid()));
      } catch (UnreadableRecordException unreadable) {
        LOG.log(
            Level.WARNING,
            "Record {0} {1}; it is ignored, and the members of its host stay what they were",
            path,
            unreadable.getMessage());
        // As long as it is there, its host is not without record.
        state.records.putIfAbsent(
            name.process(), new Published(state.last, node.getStat().getCzxid()));
      }
    }
    return Set.of(name.host());
  }

  /** Works out what has changed of some hosts, and tells the table at once. */
  private void settle(Set<String> touched) {
    Set<String> affected = new HashSet<>();
    for (String host : touched) {
      HostState state = hosts.get(host);
      if (state != null) {
        affected.addAll(settle(host, state));
      }
    }
    apply(affected);
  }

  private Set<String> settle(String host, HostState state) {
    Published oldest = null;
    for (Published each : state.records.values()) {
      if (oldest == null || each.created < oldest.created) {
        oldest = each;
      }
    }
    if (oldest != null) {
      state.isOrphaned = false;
      state.last = oldest.record;
      return roster.update(host, state.last.members());
    }
    if (state.last.members().isEmpty()) {
      hosts.remove(host);
    } else {
      state.isOrphaned = true;
      lookAgain(host, state);
    }
    return Set.of();
  }

  private void apply(Set<String> affected) {
    if (!affected.isEmpty()) {
      table.apply(affected, roster);
    }
    waiters.ask();
  }

  private void lookAtProcesses(String host, HostState state) {
    CuratorWatcher again =
        event -> {
          if (event.getPath() != null) {
            loop.execute(() -> lookAgain(host, state));
          }
        };
    try {
      client
          .getChildren()
          .usingWatcher(again)
          .inBackground((_, event) -> loop.execute(() -> seen(host, state, event)))
          .forPath(paths.host(host));
    } catch (Exception failure) {
      LOG.log(Level.WARNING, "Host {0} cannot be looked at: {1}", host, failure.toString());
      loop.after(AGAIN, () -> lookAgain(host, state));
    }
  }

  private void lookAgain(String host, HostState state) {
    if (!closed && state.isOrphaned && client.getState() == CuratorFrameworkState.STARTED) {
      lookAtProcesses(host, state);
    }
  }

  /** Keeps the members of those processes of a host that are there. */
  private void seen(String host, HostState state, CuratorEvent event) {
    if (closed || !state.isOrphaned) {
      return;
    }
    List<String> children = children(event);
    if (children == null) {
      loop.after(AGAIN, () -> lookAgain(host, state));
      return;
    }
    Set<String> there = new HashSet<>(children);
    state.last =
        new HostRecord(
            state.last.format(),
            state.last.processes().stream()
                .filter(each -> there.contains(each.process().toString()))
                .toList());
    Set<String> affected = roster.update(host, state.last.members());
    if (state.last.members().isEmpty()) {
      hosts.remove(host, state);
      state.isOrphaned = false;
    }
    apply(affected);
  }

  /** Stops looking, and ends the loop. */
  void close(Duration patience) {
    stop(patience);
    loop.close();
  }

  /** Stops looking. */
  void stop(Duration patience) {
    if (closed) {
      return;
    }
    closed = true;
    loop.finish(tree::close, patience, paths.records() + " is still looked at");
  }
}
