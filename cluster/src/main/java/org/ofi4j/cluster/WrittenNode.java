// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;

/**
 * An ephemeral node that this process keeps in the tree, with what was written last. It looks at
 * the node as well: a {@link PersistentNode} repeats a write whose connection was lost, maybe after
 * a later one, and gives up if the parent goes while the node is made. All methods are for the
 * loop.
 */
final class WrittenNode implements LiveTree.Listener {
  private static final Logger LOG = System.getLogger(WrittenNode.class.getName());

  /** How often it is asked whether the node has been made, so that it can be written. */
  private static final Duration SOON = Duration.ofMillis(10);

  /** How long the node may be other than it should be: as long as a write takes, and more. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final CuratorFramework client;
  private final String path;
  private final Loop loop;
  private @Nullable LiveTree tree;
  private @Nullable PersistentNode node;

  /**
   * What the node should hold, what it was last told to hold, and what it was last seen to hold.
   */
  private byte @Nullable [] wanted;

  private byte @Nullable [] told;
  private byte @Nullable [] seen;

  WrittenNode(CuratorFramework client, String path, Loop loop) {
    this.client = client;
    this.path = path;
    this.loop = loop;
  }

  /** Has the node hold this; makes it if there is none. */
  void write(byte[] content) {
    wanted = content;
    if (node == null) {
      make(content);
      tree = new LiveTree(client, path, loop, this);
    } else {
      tell();
    }
  }

  /** From now on the node should hold this when it is written anew; what it holds is right too. */
  void amend(byte[] content) {
    wanted = content;
  }

  private boolean isRight() {
    return seen != null && (Arrays.equals(seen, wanted) || Arrays.equals(seen, told));
  }

  private void make(byte[] content) {
    told = content;
    node = new PersistentNode(client, CreateMode.EPHEMERAL, false, path, content);
    node.start();
  }

  private void tell() {
    PersistentNode there = node;
    byte[] content = wanted;
    if (there == null || content == null || Arrays.equals(content, told) || !isStarted()) {
      return;
    }
    if (there.getActualPath() == null) {
      // It is being made, with what it was told first.
      loop.after(SOON, this::tell);
      return;
    }
    try {
      told = content;
      there.setData(content);
    } catch (Exception failure) {
      LOG.log(Level.WARNING, "{0} cannot be written: {1}", path, failure.toString());
    }
  }

  /** Whether the application has not closed the client, and with it the session of the node. */
  private boolean isStarted() {
    return client.getState() == CuratorFrameworkState.STARTED;
  }

  @Override
  public void reread(Map<String, ChildData> all) {
    seen(all.get(path));
  }

  @Override
  public void changed(Map<String, @Nullable ChildData> nodes) {
    if (nodes.containsKey(path)) {
      seen(nodes.get(path));
    }
  }

  private void seen(@Nullable ChildData data) {
    seen = data == null ? null : data.getData();
    if (!isRight()) {
      loop.after(SETTLED, this::insist);
    }
  }

  private void insist() {
    byte[] content = wanted;
    if (content == null || isRight() || !isStarted()) {
      return;
    }
    if (seen == null) {
      discard();
      make(content);
      loop.after(SETTLED, this::insist);
    } else {
      told = null;
      tell();
    }
  }

  /** Takes the node out of the tree. */
  void close() {
    if (tree != null) {
      tree.close();
      tree = null;
    }
    wanted = null;
    told = null;
    seen = null;
    discard();
  }

  private void discard() {
    PersistentNode there = node;
    node = null;
    if (there != null && isStarted()) {
      try {
        there.close();
      } catch (IOException failure) {
        LOG.log(Level.WARNING, "{0} is left to its session: {1}", path, failure.toString());
      }
    }
  }
}
