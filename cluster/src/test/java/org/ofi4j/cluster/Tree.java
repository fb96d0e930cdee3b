// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/** Looks whether members are in ZooKeeper: in the node of their process, and in the record. */
final class Tree {
  private final CuratorFramework client;

  Tree(CuratorFramework client) {
    this.client = client;
  }

  /**
   * Whether each member is in a node that its present session keeps, and in a record of its host.
   * Nodes of sessions that have not ended yet do not matter.
   */
  boolean hasAll(Collection<WatchedMember> members) {
    try {
      for (WatchedMember each : members) {
        if (!hasNode(each) || !hasRecord(each)) {
          return false;
        }
      }
      return true;
    } catch (Exception changed) {
      // Something has gone meanwhile, or ZooKeeper is away.
      return false;
    }
  }

  private static GroupPaths paths(WatchedMember member) {
    return new GroupPaths("/ofi4j", member.setting.group());
  }

  /** Whether the session of a member is over: no process's node is of it. */
  boolean hasEnded(WatchedMember member) {
    WatchedMember.Session session = member.session();
    String host = paths(member).host(member.setting.host());
    try {
      for (String process : client.getChildren().forPath(host)) {
        Stat stat = client.checkExists().forPath(host + "/" + process);
        if (session == null || (stat != null && stat.getEphemeralOwner() == session.id())) {
          return false;
        }
      }
      return session != null;
    } catch (KeeperException.NoNodeException none) {
      return session != null;
    } catch (Exception away) {
      return false;
    }
  }

  /** Whether there is no such group. */
  boolean isAbsent(String group) {
    try {
      return client.checkExists().forPath(new GroupPaths("/ofi4j", group).group()) == null;
    } catch (Exception away) {
      return false;
    }
  }

  private boolean hasNode(WatchedMember member) throws Exception {
    WatchedMember.Session session = member.session();
    String host = paths(member).host(member.setting.host());
    for (String process : client.getChildren().forPath(host)) {
      Stat stat = new Stat();
      byte[] node = client.getData().storingStatIn(stat).forPath(host + "/" + process);
      HostRecord found = HostRecord.of(node, member.setting.host());
      if (session != null
          && stat.getEphemeralOwner() == session.id()
          && found.members().stream().anyMatch(each -> isIt(member, each, stat.getMzxid()))) {
        return true;
      }
    }
    return false;
  }

  private boolean hasRecord(WatchedMember member) throws Exception {
    String host = member.setting.host();
    List<Member> published = new ArrayList<>();
    long oldest = Long.MAX_VALUE;
    String bucket = paths(member).record(host, new UUID(0, 0));
    bucket = bucket.substring(0, bucket.lastIndexOf('/'));
    for (String record : client.getChildren().forPath(bucket)) {
      Stat stat = new Stat();
      byte[] data = client.getData().storingStatIn(stat).forPath(bucket + "/" + record);
      HostRecord found = HostRecord.of(data, host);
      if (record.startsWith(host + "@")
          && found.isOfSession(stat.getEphemeralOwner())
          && stat.getCzxid() < oldest) {
        oldest = stat.getCzxid();
        published = found.members();
      }
    }
    return published.stream().anyMatch(each -> isIt(member, each, 0));
  }

  private static boolean isIt(WatchedMember member, Member found, long change) {
    View.Told published = member.published();
    long incarnation = found.incarnation() == 0 ? change : found.incarnation();
    return published != null
        && published.name().equals(found.name())
        && published.incarnation() == incarnation
        && published.address().equals(found.address().toString());
  }
}
