// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.GroupWatch.MemberTable;
import org.ofi4j.cluster.Publication.Published;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/** A job or a service as this process takes part in it. Safe to call from any thread. */
final class Group implements AutoCloseable {
  private final CuratorFramework client;
  private final ClusterOptions options;
  private final String name;
  private final GroupPaths paths;

  /** What a closing group closes. */
  private final Set<Membership> memberships = ConcurrentHashMap.newKeySet();

  private final Set<VectorFeed> feeds = ConcurrentHashMap.newKeySet();

  /** What threads wait for, which a closing group ends. */
  private final Map<Thread, CompletableFuture<?>> awaited = new ConcurrentHashMap<>();

  private volatile boolean isClosed;

  /** Guarded by this: what publishes the members of this process, as long as there are any. */
  private @Nullable Publishing publishing;

  Group(CuratorFramework client, ClusterOptions options, String name) {
    this.client = client;
    this.options = options;
    this.name = name;
    paths = new GroupPaths(options.root(), name);
  }

  /**
   * The publisher of the members in one founding of the group, its thread, and the thread that
   * notifies listeners of states.
   */
  static final class Publishing {
    private final GroupRecord found;
    private final HostProcess process;
    private final Loop loop;
    private final Loop listening;

    /** Guarded by the group: how many members there are. */
    private int users;

    private Publishing(GroupRecord found, HostProcess process, Loop loop, Loop listening) {
      this.found = found;
      this.process = process;
      this.loop = loop;
      this.listening = listening;
    }

    HostProcess process() {
      return process;
    }

    Loop loop() {
      return loop;
    }

    Loop listening() {
      return listening;
    }
  }

  CuratorFramework client() {
    return client;
  }

  GroupPaths paths() {
    return paths;
  }

  ClusterOptions options() {
    return options;
  }

  Loop newLoop(String purpose) {
    return new Loop(name + "-" + purpose);
  }

  /** Waits as {@link Loop#await} does, and not longer than until the group is closed. */
  <T extends @Nullable Object> T await(
      CompletableFuture<T> answer, Deadline deadline, Supplier<String> otherwise) {
    CompletableFuture<T> mine = answer.copy();
    awaited.put(Thread.currentThread(), mine);
    try {
      if (isClosed) {
        throw Failures.closedMeanwhile();
      }
      return Loop.await(mine, deadline, otherwise);
    } finally {
      awaited.remove(Thread.currentThread());
    }
  }

  /** Founds the group, or finds out what it is; refuses to be something else. */
  GroupRecord agree(GroupRecord wanted) {
    if (isClosed) {
      throw Failures.closed();
    }
    GroupRecord found = record(() -> foundOrRead(wanted));
    if (found.kind() != wanted.kind() || found.size() != wanted.size()) {
      throw new FabricException(
          Errno.EINVAL,
          "group " + paths.group() + " is " + found + ", and not " + wanted + "; use another name");
    }
    if (!found.format().isCompatibleWith(wanted.format())) {
      throw wrongFormat(found, wanted.format());
    }
    return found;
  }

  /** What the group is, if it is there. */
  GroupRecord find() {
    return record(() -> GroupRecord.of(client.getData().forPath(paths.group())));
  }

  GroupInfo info(GroupRecord found) {
    return new GroupInfo(name, found.size(), found.format());
  }

  private GroupRecord record(Callable<GroupRecord> source) {
    try {
      return source.call();
    } catch (KeeperException.NoNodeException none) {
      throw new FabricException(
          Errno.ENOENT, "there is no group " + paths.group() + "; nobody has joined it yet", none);
    } catch (UnreadableRecordException unreadable) {
      throw new FabricException(
          Errno.EPROTO, "group " + paths.group() + ": its record " + unreadable.getMessage());
    } catch (Exception failure) {
      throw Failures.of("read or make group " + paths.group(), failure);
    }
  }

  private FabricException wrongFormat(GroupRecord found, AddressFormat format) {
    return new FabricException(
        Errno.EINVAL,
        "group " + paths.group() + " is " + found + ", which those of " + format + " do not fit");
  }

  private GroupRecord foundOrRead(GroupRecord wanted) throws Exception {
    while (true) {
      try {
        // Nearly all find it, and any server answers a read.
        Stat stat = new Stat();
        byte[] found = client.getData().storingStatIn(stat).forPath(paths.group());
        if (found != null && found.length > 0) {
          return GroupRecord.of(found);
        }
        // It was deleted with all below, and a member has made it anew, as the parent of its node.
        found(
            wanted,
            client
                .transactionOp()
                .setData()
                .withVersion(stat.getVersion())
                .forPath(paths.group(), wanted.toBytes()));
        return wanted;
      } catch (KeeperException.NoNodeException none) {
        if (make(wanted)) {
          return wanted;
        }
      } catch (KeeperException.BadVersionException founded) {
        // Somebody else was first, and it is there now.
      }
    }
  }

  /** Makes the node of the group; answers whether nobody else was first. */
  private boolean make(GroupRecord wanted) throws Exception {
    CreateMode mode = wanted.expires() ? CreateMode.CONTAINER : CreateMode.PERSISTENT;
    try {
      client.checkExists().creatingParentsIfNeeded().forPath(paths.group());
      found(
          wanted,
          client.transactionOp().create().withMode(mode).forPath(paths.group(), wanted.toBytes()));
      return true;
    } catch (KeeperException.NodeExistsException founded) {
      return false;
    } catch (KeeperException.NoNodeException none) {
      throw new FabricException(
          Errno.ENOENT,
          "group "
              + paths.group()
              + " cannot be made: the client's connect string ends with a path (chroot) that is not"
              + " there; create that path first",
          none);
    }
  }

  /** Writes the record, with the node that is there until the end of the job begins. */
  private void found(GroupRecord record, CuratorOp write) throws Exception {
    List<CuratorOp> all = new ArrayList<>(List.of(write));
    if (record.founding() != 0) {
      String path = paths.founding(record.founding());
      all.add(client.transactionOp().create().forPath(path, new byte[0]));
    }
    client.transaction().forOperations(all);
  }

  /** What no other group is called: of another ZooKeeper, or of a group founded again. */
  String identity() {
    try {
      Stat founded = client.checkExists().forPath(paths.group());
      if (founded == null) {
        throw new FabricException(Errno.EIO, "group " + paths.group() + " was removed meanwhile");
      }
      return paths.group()
          + " (founded "
          + Instant.ofEpochMilli(founded.getCtime())
          + ", change "
          + founded.getCzxid()
          + ")";
    } catch (Exception failure) {
      throw Failures.of("look at group " + paths.group(), failure);
    }
  }

  /** Refuses an address that is none of the group's. */
  void requireAddress(GroupRecord found, FabricAddress address) {
    if (!found.format().contains(address.format())) {
      throw wrongFormat(found, address.format());
    }
  }

  /** What looks at the group for a vector. */
  GroupWatch watch(GroupRecord found, Loop loop, MemberTable table) {
    return new GroupWatch(client, paths, found.format(), loop, table);
  }

  /** Publishes a member, and keeps it published until it is closed. */
  Published join(GroupRecord found, Member member, Deadline deadline) {
    Published published;
    synchronized (this) {
      if (isClosed) {
        throw Failures.closedMeanwhile();
      }
      if (publishing == null || !publishing.found.equals(found)) {
        Loop loop = newLoop("publish");
        HostProcess process = new HostProcess(client, paths, found, options.host(), loop);
        publishing = new Publishing(found, process, loop, newLoop("states"));
      }
      published = new Published(this, publishing, member.name());
      publishing.users++;
    }
    try {
      published.join(member, deadline);
      return published;
    } catch (RuntimeException failure) {
      published.close();
      throw failure;
    }
  }

  void leave(Publishing mine, String name, Publication publication) {
    boolean last;
    synchronized (this) {
      mine.users--;
      last = mine.users == 0;
      if (last && mine == publishing) {
        publishing = null;
      }
    }
    CompletableFuture<Boolean> done =
        mine.loop.ask(() -> {
          if (last) {
            mine.process.close();
          } else {
            mine.process.leave(name, publication);
          }
          return true;
        });
    try {
      Loop.await(done, Deadline.in(options.timeout()), () -> "leaving takes its time");
    } catch (FabricException late) {
      // The session takes the member with it.
    }
    if (last) {
      mine.loop.close();
      mine.listening.close();
    }
  }

  /** Has a feed closed with the group, as long as it is open; at once if that is closed. */
  void opened(VectorFeed feed) {
    feeds.add(feed);
    if (isClosed) {
      feed.close();
    }
  }

  void closed(VectorFeed feed) {
    feeds.remove(feed);
  }

  /** Has the membership of a job closed with the group as a feed is. */
  void opened(Membership membership) {
    memberships.add(membership);
    if (isClosed) {
      membership.close();
    }
  }

  void closed(Membership membership) {
    memberships.remove(membership);
  }

  @Override
  public void close() {
    synchronized (this) {
      // From now on nobody publishes; who does is among the memberships.
      isClosed = true;
    }
    awaited.values().forEach(each -> each.completeExceptionally(Failures.closedMeanwhile()));
    feeds.forEach(VectorFeed::close);
    memberships.forEach(Membership::close);
  }
}
