// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** How long a process takes itself for a member. */
@Isolated("its sessions are short")
class LeaseTest {
  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  /** The server of the process is cut off from the leader, and answers its clients nevertheless. */
  @Test
  void memberIsLostWhoseServerDoesNotReachTheLeader() throws Exception {
    // So long a follower waits for a leader: for minutes.
    try (Quorum quorum = new Quorum(3, Map.of("syncLimit", "1000"), List.of())) {
      IntStream.range(0, quorum.size()).forEach(quorum::start);
      IntStream.range(0, quorum.size()).forEach(quorum::awaitServing);
      int leader =
          IntStream.range(0, quorum.size()).filter(quorum::isLeading).findAny().orElseThrow();
      String follower = quorum.connectString().split(",")[(leader + 1) % quorum.size()];
      CuratorFramework client =
          CuratorFrameworkFactory.newClient(
              follower, TestTree.SHORT_SESSION, TestTree.SHORT_SESSION, new RetryNTimes(300, 100));
      client.start();
      try (Cluster cluster =
          Cluster.of(client, ClusterOptions.of("host").withTimeout(Duration.ofSeconds(20)))) {
        BlockingQueue<Membership.State> states = new LinkedBlockingQueue<>();
        Membership member =
            cluster.service("service").join("a", TestNetwork.address(5001), MemberOptions.none());
        member.addListener(event -> states.add(((MemberEvent.StateChanged) event).state()));
        quorum.stop(leader);
        while (states.take() != Membership.State.LOST) {
          // It may be suspended before.
        }
        assertThat(quorum.isServing((leader + 1) % quorum.size())).isTrue();
        quorum.resume(leader);
        while (states.take() != Membership.State.JOINED) {
          // It is suspended, or lost again by what has waited.
        }
      } finally {
        client.close();
      }
    }
  }

  /** The sixth verification comes later than the end of the lease. */
  @Test
  void lossIsReportedWhenTheLeaseEndsAndNotWithTheNextVerification() throws Exception {
    tree.session = TestTree.SHORT_SESSION;
    Loop loop = tree.closing(new Loop("test"));
    BlockingQueue<Integer> lost = new LinkedBlockingQueue<>();
    Lease.Owner owner =
        new Lease.Owner() {
          private int verifications;

          @Override
          public void verify() {
            verifications++;
          }

          @Override
          public void leaseChanged(Membership.State state) {
            if (state == Membership.State.LOST) {
              lost.add(verifications);
            }
          }

          @Override
          public void reconnected() {}
        };
    CuratorFramework client = tree.client();
    client.checkExists().forPath("/");
    Lease lease = new Lease(client, loop, owner);
    loop.execute(lease::begin);
    assertThat(lost.take()).isLessThan(6);
    loop.execute(lease::close);
  }
}
