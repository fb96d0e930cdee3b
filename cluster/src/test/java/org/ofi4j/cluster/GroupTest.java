// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.data.Stat;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;

/** Groups that are founded, found again, and closed. */
class GroupTest {
  private static final Duration LONG = Duration.ofDays(1);
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
  void endRemovesAllNodesOfAGroupWithoutMembers() throws Exception {
    TestTree.Process process = tree.process("one");
    Membership membership = join(process, "a", 5001);
    assertThatThrownBy(() -> process.cluster().end("service"))
        .hasMessageStartingWith("EBUSY (16)")
        .hasMessageContaining("/ofi4j/service/hosts/one/");
    assertThat(process.cluster().groups()).hasSize(1);
    membership.close();
    process.cluster().end("service");
    assertThat(process.cluster().groups()).isEmpty();
    assertThat(process.client().checkExists().forPath(PATHS.group())).isNull();
    assertThatThrownBy(() -> process.cluster().end("service")).hasMessageStartingWith("ENOENT (2)");
    // The name is free for another kind of group.
    tree.closing(
        process
            .cluster()
            .job("service", 1)
            .join(network.vector(), TestNetwork.address(1), 0, LONG));
  }

  @Test
  void endRefusesAJobThatSomebodyJoinsOrFills() throws Exception {
    TestTree.Process process = tree.process("one");
    CompletableFuture<Membership> waiting = joinJob(process, 0);
    Awaited.until(() -> process.client().checkExists().forPath("/ofi4j/job/hosts/one") != null);
    Awaited.until(() -> !process.client().getChildren().forPath("/ofi4j/job/hosts/one").isEmpty());
    assertThatThrownBy(() -> tree.process("two").cluster().end("job"))
        .hasMessageStartingWith("EBUSY (16)");
    process.cluster().close();
    requireCanceled(waiting);
  }

  @Test
  void zooKeeperRemovesAnExpiringJobThatAllHaveLeftAndNoOther() throws Exception {
    Cluster cluster = tree.process("one").cluster();
    List<Job> jobs = List.of(cluster.job("stays", 1), cluster.job("expires", 1).expiring());
    for (Job job : jobs) {
      job.join(network.vector(), TestNetwork.address(1), 0, LONG).close();
    }
    Awaited.until(() -> cluster.groups().size() == 1);
    assertThat(cluster.groups().getFirst().name()).isEqualTo("stays");
  }

  private CompletableFuture<Membership> joinJob(TestTree.Process process, int rank) {
    Job job = process.cluster().job("job", 2);
    AddressVector vector = network.vector();
    return CompletableFuture.supplyAsync(
        () -> job.join(vector, TestNetwork.address(5001 + rank), rank, LONG),
        task -> Thread.ofVirtual().start(task));
  }

  private static void requireCanceled(CompletableFuture<?> call) {
    assertThat(call)
        .failsWithin(LONG)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .withMessageStartingWith("ECANCELED (125)");
  }

  @Test
  @DisplayName("Closing ends a join that waits for others or for a rank; no member stays")
  void closedWhileJoining() {
    TestTree.Process first = tree.process("one");
    CompletableFuture<Membership> waits = joinJob(first, 0);
    Awaited.until(() -> first.cluster().groups().size() == 1);
    GroupView view =
        tree.closing(tree.process("viewer").cluster().view("job", MemberListener.none()));
    Awaited.until(() -> view.members().size() == 1);
    TestTree.Process second = tree.process("two");
    CompletableFuture<Membership> wantsRank = joinJob(second, 0);
    TestTree.Process third = tree.process("three");
    CompletableFuture<Membership> wantsRankToo = joinJob(third, 0);
    awaitProcesses("two", 1);
    awaitProcesses("three", 1);

    third.cluster().close();
    requireCanceled(wantsRankToo);
    awaitProcesses("three", 0);
    second.cluster().close();
    requireCanceled(wantsRank);
    assertThat(view.members()).hasSize(1);
    first.cluster().close();
    requireCanceled(waits);
    Awaited.until(() -> view.members().isEmpty());
    // The rank is free.
    CompletableFuture<Membership> next = joinJob(tree.process("four"), 0);
    tree.closing(joinJob(tree.process("five"), 1).join());
    tree.closing(next.join());
  }

  /** Waits until a host has the given number of processes in the tree. */
  private void awaitProcesses(String host, int count) {
    CuratorFramework client = tree.client();
    String path = new GroupPaths("/ofi4j", "job").host(host);
    Awaited.until(() -> {
      Stat stat = client.checkExists().forPath(path);
      return (stat == null ? 0 : stat.getNumChildren()) == count;
    });
  }

  @Test
  @DisplayName("A closed cluster publishes, fills and views nothing")
  void closed() {
    TestTree.Process process = tree.process("host");
    Service service = process.service();
    join(process, "a", 5001);
    process.cluster().close();
    AddressVector vector = network.vector();
    List<ThrowingCallable> calls =
        List.of(
            () -> service.join("b", TestNetwork.address(5002), MemberOptions.none()),
            () -> join(process, "c", 5003),
            () -> service.fill(vector, LONG, MemberListener.none()),
            () -> process.cluster().job("job", 1).join(vector, TestNetwork.address(1), 0, LONG),
            () -> process.cluster().view("service", MemberListener.none()),
            () -> process.cluster().groups());
    for (ThrowingCallable each : calls) {
      assertThatThrownBy(each)
          .hasMessageStartingWith("EINVAL (22)")
          .hasMessageContaining("is closed");
    }
    tree.closing(tree.process("other").service().fill(vector, LONG, MemberListener.none()));
    assertThat(vector.size()).isZero();
  }

  @Test
  @DisplayName("If the path that the connect string ends with is missing, that is the reason given")
  void missingChroot() {
    CuratorFramework client =
        tree.closing(
            CuratorFrameworkFactory.newClient(
                tree.server.getConnectString() + "/missing", new RetryNTimes(50, 100)));
    client.start();
    Cluster cluster = Cluster.of(client, ClusterOptions.of("host").withTimeout(LONG));
    Service service = cluster.service("service");
    assertThatThrownBy(() -> service.join("a", TestNetwork.address(1), MemberOptions.none()))
        .hasMessageStartingWith("ENOENT (2)")
        .hasMessageContaining("chroot");
  }
}
