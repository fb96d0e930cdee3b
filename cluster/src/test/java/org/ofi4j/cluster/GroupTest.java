// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;

/** Groups that are founded, found again, and closed. */
class GroupTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final GroupPaths PATHS = new GroupPaths("/ofi4j", "service");

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  private static Membership join(TestTree.Process process, String name, int port) {
    return process.service().join(name, TestNetwork.address(port), MemberOptions.none());
  }

  @Test
  @DisplayName("A group that is deleted while it has members is founded again by who joins next")
  void deleted() throws Exception {
    join(tree.process("one"), "a", 5001);
    CuratorFramework client = tree.client();
    client.delete().deletingChildrenIfNeeded().forPath(PATHS.group());
    // The member is back, and the node of the group is there without a record.
    Awaited.until(() -> client.checkExists().forPath(PATHS.group()) != null);
    assertThat(client.getData().forPath(PATHS.group())).isEmpty();
    join(tree.process("two"), "b", 5002);
    AddressVector vector = network.vector();
    tree.closing(tree.process("three").service().fill(vector, LONG, MemberListener.none()));
    Awaited.until(() -> vector.size() == 2);
  }

  @Test
  @DisplayName("If the path that the connect string ends with is missing, that is the reason given")
  void missingChroot() {
    CuratorFramework client =
        tree.closing(
            CuratorFrameworkFactory.newClient(
                tree.server.getConnectString() + "/missing", new RetryNTimes(50, 100)));
    client.start();
    Cluster cluster = Cluster.of(client, new ClusterOptions("/ofi4j", "host", LONG));
    Service service = cluster.service("service");
    assertThatThrownBy(() -> service.join("a", TestNetwork.address(1), MemberOptions.none()))
        .hasMessageStartingWith("ENOENT (2)")
        .hasMessageContaining("chroot");
  }
}
