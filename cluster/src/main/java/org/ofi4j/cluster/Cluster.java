// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.KeeperException;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;

/**
 * Jobs and services whose members know each other by Apache ZooKeeper. libfabric has no such thing.
 *
 * <p>Members publish the addresses of their endpoints; vectors are kept up to date with all that
 * are published. A member is there as long as the session of its process with ZooKeeper is: when
 * the process dies, or does not speak with ZooKeeper for as long as the session's time-out, the
 * member has left. While the connection to ZooKeeper is interrupted, nothing changes.
 *
 * <p>The application makes the client, starts it and closes it: time-outs, retries, access control
 * lists, authentication and TLS are the client's own. One object of this class is one process: two
 * of them in one JVM are two. Safe to call from any thread.
 *
 * <p>Every call fails with {@link Errno#ETIMEDOUT} if ZooKeeper does not answer in time, {@link
 * Errno#EACCES} if it refuses the client, {@link Errno#EIO} for anything else that is wrong there,
 * {@link Errno#ECANCELED} if the thread is interrupted or the cluster is closed meanwhile, and
 * {@link Errno#EINVAL} for null and once the cluster is closed.
 */
public final class Cluster implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Cluster.class.getName());

  private final CuratorFramework client;
  private final ClusterOptions options;
  private final Map<String, Group> groups = new ConcurrentHashMap<>();
  private final Set<GroupView> views = ConcurrentHashMap.newKeySet();
  private volatile boolean isClosed;

  private Cluster(CuratorFramework client, ClusterOptions options) {
    this.client = client;
    this.options = options;
  }

  /**
   * A cluster.
   *
   * @param client a started client; it stays open when the cluster is closed
   * @param options where the cluster is in the tree, and the name of this host
   * @return the cluster
   * @throws FabricException with {@link Errno#EINVAL} if the client is not started
   */
  public static Cluster of(CuratorFramework client, ClusterOptions options) {
    Text.required(options, "options");
    if (Text.required(client, "client").getState() != CuratorFrameworkState.STARTED) {
      throw new FabricException(
          Errno.EINVAL, "client is " + client.getState() + "; start it first, and close it last");
    }
    return new Cluster(client, options);
  }

  /**
   * Opens a named vector that the processes of this node fill together: {@link Service#fill} and
   * {@link Job#join} take it. All of them can only read it; one of them at a time inserts, as they
   * agree through ZooKeeper. There is one copy of the entries, with the same handles in all.
   *
   * @param domain a domain that offers named vectors
   * @param options name and type; the other processes of this user and node give the same. No flags
   * @return the vector, opened with {@link VectorFlag#READ}
   * @throws FabricException with {@link Errno#EINVAL} without name and with flags: user ids, for
   *     one, are not shared; or as {@link Domain#openAddressVector}
   */
  public static AddressVector openNodeVector(Domain domain, VectorOptions options) {
    return NodeVector.open(domain, options);
  }

  /**
   * A service: members come and go, and have names.
   *
   * @param name at most 255 bytes of visible characters without {@code /}
   * @return the service; nothing is asked of ZooKeeper yet
   * @throws FabricException with {@link Errno#EINVAL} for a name that cannot be one
   */
  public Service service(String name) {
    return new Service(group(name));
  }

  /**
   * A job: a fixed number of members with ranks.
   *
   * @param name as of a service; each run of a job needs one of its own
   * @param size how many members it has, at least 1
   * @return the job; nothing is asked of ZooKeeper yet
   * @throws FabricException with {@link Errno#EINVAL} for a name that cannot be one, or a size
   *     below 1
   */
  public Job job(String name, int size) {
    if (size < 1) {
      throw new FabricException(Errno.EINVAL, "size " + size + ": a job has at least 1 member");
    }
    return new Job(group(name), size);
  }

  /**
   * Looks at the members of a group without a vector. When it returns, all that ZooKeeper knows of
   * have been heard.
   *
   * @param name the name of a group that is there
   * @param listener hears of each change, with the handle {@link org.ofi4j.Handles#NOT_AVAILABLE}
   * @return the view, until it is closed
   * @throws FabricException with {@link Errno#ENOENT} if there is no such group, or {@link
   *     Errno#EPROTO} if its record is damaged or newer
   */
  public GroupView view(String name, MemberListener listener) {
    requireOpen();
    Deadline deadline = Deadline.in(options.timeout());
    Group group = new Group(client, options, name);
    GroupView view = new GroupView(group, group.find(), listener);
    views.removeIf(GroupView::isClosed);
    views.add(view);
    if (isClosed) {
      view.close();
    }
    return view.await(deadline);
  }

  /**
   * The groups below the root. One whose record is damaged or newer is left out, with a line in the
   * log; a node whose name no group can have is left out too.
   *
   * @return what each is, by name
   */
  public List<GroupInfo> groups() {
    requireOpen();
    List<GroupInfo> found = new ArrayList<>();
    for (String name : names()) {
      try {
        Group group = new Group(client, options, name);
        found.add(group.info(group.find()));
      } catch (FabricException failure) {
        if (failure.errno() == Errno.EPROTO) {
          LOG.log(Level.WARNING, "{0}", failure.getMessage());
        } else if (failure.errno() != Errno.ENOENT && failure.errno() != Errno.EINVAL) {
          throw failure;
        }
      }
    }
    return found;
  }

  /**
   * Ends a job or a service that has no members any more: removes it from ZooKeeper. Its name can
   * then be used again, also for another size.
   *
   * <p>The first change decides: it either is refused as the group is in use, or no process can
   * join the job any more and no former member returns. The nodes of the ranks, of which there may
   * be many, are removed after it. If this call fails before it has removed them, or its process
   * dies, joins fail with {@link Errno#ENOENT} until the method is called again.
   *
   * @param name the name of a group
   * @throws FabricException with {@link Errno#EBUSY} that names what is in use, if a process has a
   *     membership, a feed into a vector of its node, or joins; {@link Errno#ENOENT} if there is no
   *     such group; {@link Errno#EINVAL} for a name that cannot be one; or as this class says
   */
  public void end(String name) {
    requireOpen();
    new GroupRemoval(client, new GroupPaths(options.root(), name)).run();
  }

  private List<String> names() {
    try {
      return client.getChildren().forPath(options.root()).stream().sorted().toList();
    } catch (KeeperException.NoNodeException none) {
      return List.of();
    } catch (Exception failure) {
      throw Failures.of("read " + options.root(), failure);
    }
  }

  private Group group(String name) {
    Group group =
        groups.computeIfAbsent(
            Text.step("name of the group", name), each -> new Group(client, options, each));
    if (isClosed) {
      // It may have come after those that were closed.
      group.close();
    }
    return group;
  }

  private void requireOpen() {
    if (isClosed) {
      throw Failures.closed();
    }
  }

  /**
   * Leaves all groups and stops looking at them. Who is joining, or waits otherwise, fails with
   * {@link Errno#ECANCELED}; nothing is published or looked at any more. Vectors stay as they are;
   * they, endpoints and the client stay open.
   */
  @Override
  public void close() {
    isClosed = true;
    views.forEach(GroupView::close);
    groups.values().forEach(Group::close);
  }
}
