// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Operations that ZooKeeper does together with a write of a {@link WrittenNode}, or refuses with
 * it.
 */
interface WriteConditions {
  /** No conditions. */
  WriteConditions NONE =
      new WriteConditions() {
        @Override
        public void noteAbsent() {}

        @Override
        public List<CuratorOp> operations(byte @Nullable [] held) {
          return List.of();
        }

        @Override
        public boolean hasDeletions() {
          return false;
        }

        @Override
        public void met() {}

        @Override
        public void check(Consumer<Code> then) {
          then.accept(Code.OK);
        }
      };

  /** The node does not exist, as its session has ended or it was deleted. */
  void noteAbsent();

  /**
   * The operations that come before a write, or before the deletion of the node.
   *
   * @param held what the node holds in the version that is changed; null if it is made
   */
  List<CuratorOp> operations(byte @Nullable [] held) throws Exception;

  /** Whether the deletion of the node has operations. */
  boolean hasDeletions();

  /** All was done. */
  void met();

  /**
   * Reads what the operations depend on, after a write that was refused.
   *
   * @param then called by the loop after that, with the code of a read that failed or OK
   */
  void check(Consumer<Code> then);

  /**
   * Deletes the node together with what is to be deleted with it. All of it is of the version that
   * was read, so that a repeated request does nothing. If the node changes at the same time, the
   * other nodes are left to the session.
   */
  default void deleteTogether(CuratorFramework client, String path) throws Exception {
    if (!hasDeletions()) {
      return;
    }
    try {
      Stat stat = new Stat();
      byte[] last = client.getData().storingStatIn(stat).forPath(path);
      List<CuratorOp> all = new ArrayList<>(operations(last));
      all.add(client.transactionOp().delete().withVersion(stat.getVersion()).forPath(path));
      client.transaction().forOperations(all);
    } catch (KeeperException.NoNodeException | KeeperException.BadVersionException changed) {
      // The caller deletes the node itself, if it is still there.
    }
  }
}
