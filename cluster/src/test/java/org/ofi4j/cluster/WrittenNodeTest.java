// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a process keeps in the tree, when others change the tree. */
class WrittenNodeTest {
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
  }

  @Test
  @DisplayName("A node ends with what was written last, whatever others do to it and its parents")
  void nodeDisturbed() throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    Loop loop = tree.closing(new Loop("test"));
    TestTree.Process process = tree.process("host");
    WrittenNode node =
        new WrittenNode(
            process.client(), "/a/b/node", loop, WriteConditions.NONE, _ -> {}, _ -> {});
    CuratorFramework other = tree.client();
    for (int round = 0; round < 6; round++) {
      int lost = random.nextInt(10);
      for (int step = 0; step < 5; step++) {
        if (step == lost) {
          process.loseSession();
        }
        byte[] content = {(byte) random.nextInt(100)};
        try {
          switch (random.nextInt(7)) {
            case 0 -> other.delete().quietly().forPath("/a/b/node");
            case 1 -> other.delete().quietly().deletingChildrenIfNeeded().forPath("/a");
            case 2 -> other.create().orSetData().creatingParentsIfNeeded().forPath("/a/b/node");
            case 3 -> loop.execute(node::close);
            default -> loop.execute(() -> node.write(content));
          }
        } catch (KeeperException crossed) {
          // The node came or went between two steps of the other.
        }
      }
      byte[] last = {101, (byte) round};
      byte[] anew = {102, (byte) round};
      loop.execute(() -> node.write(last));
      loop.execute(() -> node.amend(anew));
      String seeded = "round " + round + " of -Dofi4j.seed=" + seed;
      Awaited.until(() -> {
        long owner = other.checkExists().forPath("/a/b/node").getEphemeralOwner();
        byte[] found = other.getData().forPath("/a/b/node");
        assertThat(found).as(seeded).isIn(last, anew);
        return owner == process.client().getZookeeperClient().getZooKeeper().getSessionId();
      });
    }
    loop.execute(node::close);
    Awaited.until(() -> other.checkExists().forPath("/a/b/node") == null);
  }

  @Test
  void answerThatNeverComesIsNotWaitedFor() throws Exception {
    CuratorFramework real = tree.process("host").client();
    AtomicBoolean isLosing = new AtomicBoolean();
    Loop loop = tree.closing(new Loop("test"));
    CountDownLatch held = new CountDownLatch(1);
    WrittenNode node =
        new WrittenNode(
            LosingClient.of(real, isLosing),
            "/a/node",
            loop,
            WriteConditions.NONE,
            _ -> held.countDown(),
            _ -> {});
    loop.execute(() -> node.write(new byte[] {1}));
    Awaited.await(held);
    isLosing.set(true);
    loop.execute(node::verify);
    Awaited.until(() -> !isLosing.get());
    tree.client().delete().forPath("/a/node");
    Awaited.until(() -> real.checkExists().forPath("/a/node") != null);
    loop.execute(node::close);
  }
}
