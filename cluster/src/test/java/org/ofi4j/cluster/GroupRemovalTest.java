// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.Watcher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.cluster.HostRecord.RankRecord;

/** The end of jobs, with many ranks, and while processes join. */
class GroupRemovalTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final GroupPaths PATHS = new GroupPaths("/ofi4j", "job");
  private static final int MANY = 30_000;
  private static final int AT_ONCE = 1_000;

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final TestTree.Process process = tree.process("host");
  private final CuratorFramework client = process.client();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  private GroupRecord found(int size) {
    return new Group(client, ClusterOptions.of("host").withTimeout(LONG), "job")
        .agree(GroupRecord.job(AddressFormat.SOCKADDR_IN, size, false));
  }

  /** The nodes of ranks whose members have left. */
  private void createRanks(int size) throws Exception {
    byte[] record = new RankRecord(new UUID(1, 1), TestNetwork.rank(0)).toBytes();
    for (int first = 0; first < size; first += AT_ONCE) {
      client.checkExists().creatingParentContainersIfNeeded().forPath(PATHS.rank(first));
      List<CuratorOp> creations = new ArrayList<>();
      for (int rank = first; rank < Math.min(first + AT_ONCE, size); rank++) {
        creations.add(client.transactionOp().create().forPath(PATHS.rank(rank), record));
      }
      client.transaction().forOperations(creations);
    }
  }

  @Test
  void jobOfManyRanksEndsAfterNobodyCanJoin() throws Exception {
    GroupRecord found = found(MANY);
    createRanks(MANY);
    // A host that had members, too.
    client.create().creatingParentContainersIfNeeded().forPath(PATHS.host("host"));
    BlockingQueue<String> deleted = new LinkedBlockingQueue<>();
    client
        .watchers()
        .add()
        .withMode(AddWatchMode.PERSISTENT_RECURSIVE)
        .usingWatcher(
            (Watcher)
                event -> {
                  if (event.getType() == Watcher.Event.EventType.NodeDeleted) {
                    deleted.add(event.getPath());
                  }
                })
        .forPath(PATHS.group());
    process.cluster().end("job");
    assertThat(client.checkExists().forPath(PATHS.group())).isNull();
    List<String> order = new ArrayList<>();
    do {
      order.add(deleted.take());
    } while (!order.getLast().equals(PATHS.group()));
    assertThat(order).hasSizeGreaterThan(MANY);
    assertThat(order.indexOf(PATHS.founding(found.founding())))
        .isLessThan(order.indexOf(PATHS.rank(0)))
        .isLessThan(
            (int) order.stream().takeWhile(each -> !each.startsWith(PATHS.ranks())).count());
  }

  @Test
  void jobWhoseEndWasInterruptedRefusesJoinsUntilItIsEndedAgain() throws Exception {
    GroupRecord found = found(1);
    createRanks(1);
    client.delete().forPath(PATHS.founding(found.founding()));
    Job job = process.cluster().job("job", 1);
    assertThatThrownBy(() -> job.join(network.vector(), TestNetwork.address(5000), 0, LONG))
        .hasMessageStartingWith("ENOENT (2)")
        .hasMessageContaining("call Cluster.end again");
    process.cluster().end("job");
    tree.closing(job.join(network.vector(), TestNetwork.address(5000), 0, LONG));
  }

  /** The versions are those of the former job, whose nodes were all made again. */
  @Test
  void claimInAJobThatWasFoundedAgainIsRefused() throws Exception {
    Loop loop = tree.closing(new Loop("test"));
    GroupRecord former = found(2);
    HostProcess first = new HostProcess(client, PATHS, former, "host", loop);
    Publication old = new Publication(_ -> {});
    loop.execute(() -> first.join(TestNetwork.rank(0), old));
    old.answer().get();
    CuratorFramework other = tree.client();
    byte[] successor = new RankRecord(new UUID(1, 1), TestNetwork.rank(0)).toBytes();
    // The process hears of it after all was done.
    var _ =
        loop.ask(
                () -> {
                  try {
                    other.delete().deletingChildrenIfNeeded().forPath(PATHS.group());
                    found(2);
                    other
                        .create()
                        .creatingParentContainersIfNeeded()
                        .forPath(PATHS.rank(0), successor);
                    other.create().creatingParentContainersIfNeeded().forPath(PATHS.host("host"));
                  } catch (Exception failure) {
                    throw new AssertionError(failure);
                  }
                  return true;
                })
            .get();
    Awaited.until(() -> old.isReplaced());
    assertThat(client.getData().forPath(PATHS.rank(0))).isEqualTo(successor);
    loop.execute(first::close);
  }
}
