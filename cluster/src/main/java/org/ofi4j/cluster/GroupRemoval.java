// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * The end of a group that has no members. ZooKeeper limits the size of a change, so the end may
 * take several. One change decides: it removes the nodes at the top, below which all processes have
 * theirs, together with the node of the founding. From then on no process can claim a rank, and the
 * nodes of the ranks can be removed in any order. In a group without founding the same change
 * removes all nodes that are left.
 */
final class GroupRemoval {
  /** How often a group is tried to be ended that changes concurrently. */
  private static final int END_ATTEMPTS = 20;

  /** The size of a change: half of what ZooKeeper takes if nothing else is set there. */
  private static final int MOST_BYTES = 512 * 1024;

  /** The bytes of a deletion in a request, besides the path. */
  private static final int DELETION = 24;

  private final CuratorFramework client;
  private final GroupPaths paths;

  GroupRemoval(CuratorFramework client, GroupPaths paths) {
    this.client = client;
    this.paths = paths;
  }

  /**
   * Removes the group with all nodes below it.
   *
   * @throws FabricException with EBUSY if a process has a node below it, ENOENT if there is no
   *     group
   */
  void run() {
    long founded = 0;
    for (int attempt = 0; attempt < END_ATTEMPTS; attempt++) {
      try {
        Stat stat = client.checkExists().forPath(paths.group());
        if (stat == null && founded == 0) {
          throw new FabricException(Errno.ENOENT, "there is no group " + paths.group());
        }
        if (stat == null || (founded != 0 && stat.getCzxid() != founded)) {
          return; // An earlier attempt has ended it, and its answer was lost.
        }
        founded = stat.getCzxid();
        remove();
        return;
      } catch (KeeperException.NotEmptyException | KeeperException.NoNodeException changed) {
        // A node was added or removed since it was listed, or the answer of a change was lost.
      } catch (Exception failure) {
        throw Failures.of("end group " + paths.group(), failure);
      }
    }
    throw new FabricException(
        Errno.EBUSY,
        "group "
            + paths.group()
            + " changed during each of "
            + END_ATTEMPTS
            + " attempts to end it");
  }

  private void remove() throws Exception {
    boolean hasFounding = hasFounding(client.getData().forPath(paths.group()));
    List<String> top = new ArrayList<>();
    List<String> below = new ArrayList<>();
    for (String path : children(paths.group(), new Stat())) {
      if (!hasFounding || !path.equals(paths.ranks())) {
        top.add(path);
        collect(path, below);
      }
    }
    if (!hasFounding) {
      top.add(paths.group());
    }
    delete(below.reversed());
    delete(top);
    if (hasFounding) {
      List<String> ranks = new ArrayList<>();
      if (client.checkExists().forPath(paths.ranks()) != null) {
        for (String each : children(paths.ranks(), new Stat())) {
          ranks.addAll(children(each, new Stat()));
          ranks.add(each);
        }
        ranks.add(paths.ranks());
      }
      ranks.add(paths.group());
      delete(ranks);
    }
  }

  /** Whether it is a job with a founding; a group with an unreadable record cannot be joined. */
  private static boolean hasFounding(byte[] record) {
    try {
      return record.length > 0 && GroupRecord.of(record).founding() != 0;
    } catch (UnreadableRecordException unreadable) {
      return true;
    }
  }

  /** Collects the nodes below a node, parents first; refuses nodes of processes. */
  private void collect(String path, List<String> nodes) throws Exception {
    Stat stat = new Stat();
    List<String> children = children(path, stat);
    if (stat.getEphemeralOwner() != 0) {
      throw new FabricException(
          Errno.EBUSY,
          "group "
              + paths.group()
              + " is in use: session 0x"
              + Long.toHexString(stat.getEphemeralOwner())
              + " has "
              + path
              + "; close the memberships and feeds of its process first, or wait until the session"
              + " ends");
    }
    for (String each : children) {
      nodes.add(each);
      collect(each, nodes);
    }
  }

  /** The nodes directly below one, in order, so that a refusal names the node of a process. */
  private List<String> children(String path, Stat stat) throws Exception {
    return client.getChildren().storingStatIn(stat).forPath(path).stream()
        .sorted()
        .map(each -> path + "/" + each)
        .toList();
  }

  /** Deletes nodes in this order, in one change if ZooKeeper takes one of its size. */
  private void delete(List<String> nodes) throws Exception {
    List<CuratorOp> change = new ArrayList<>();
    int bytes = 0;
    for (String each : nodes) {
      int more = DELETION + 2 * each.length();
      if (bytes > 0 && bytes + more > MOST_BYTES) {
        client.transaction().forOperations(change);
        change.clear();
        bytes = 0;
      }
      change.add(client.transactionOp().delete().forPath(each));
      bytes += more;
    }
    if (!change.isEmpty()) {
      client.transaction().forOperations(change);
    }
  }
}
