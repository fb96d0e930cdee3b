// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * An ephemeral node that this process keeps in the tree, with what was written last. It looks at
 * the node as well: a {@link PersistentNode} repeats a write whose connection was lost, maybe after
 * a later one, and gives up if the parent goes while the node is made. All methods are for the
 * loop, but what hears of the connection.
 */
final class WrittenNode implements LiveTree.Listener {
  private static final Logger LOG = System.getLogger(WrittenNode.class.getName());

  /** How long the node may be other than it should be: as long as a write takes, and more. */
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final CuratorFramework client;
  private final String path;
  private final Loop loop;
  private final ConnectionStateListener connection = this::connectionChanged;
  private @Nullable LiveTree tree;
  private volatile @Nullable PersistentNode node;

  /** What it should hold when it is made anew; null if that is what it was told. */
  private volatile byte @Nullable [] amended;

  /** Whether the connection was ever lost: since then the node may be made anew any time. */
  private volatile boolean wasInterrupted;

  /**
   * What the node should hold, what it was last told to hold, and what it was last seen to hold.
   */
  private byte @Nullable [] wanted;

  private byte @Nullable [] told;
  private byte @Nullable [] seen;

  /** Whether it will be looked at because it was not what it should be. */
  private boolean isDoubted;

  WrittenNode(CuratorFramework client, String path, Loop loop) {
    this.client = client;
    this.path = path;
    this.loop = loop;
  }

  /** Has the node hold this; makes it if there is none. */
  void write(byte[] content) {
    wanted = content;
    amended = null;
    if (node == null) {
      // Before the node itself, which makes itself anew when it hears that the connection is back.
      client.getConnectionStateListenable().addListener(connection);
      make(content);
      tree = new LiveTree(client, path, loop, this);
    } else {
      tell();
    }
  }

  /** From now on the node should hold this when it is written anew; what it holds is right too. */
  void amend(byte[] content) {
    wanted = content;
    amended = content;
    if (wasInterrupted) {
      tell();
    }
  }

  /** At once, by the thread that says so: the next thing that it says may be that all is well. */
  private void connectionChanged(CuratorFramework which, ConnectionState state) {
    if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) {
      wasInterrupted = true;
      PersistentNode there = node;
      byte[] content = amended;
      if (there != null && content != null && there.getActualPath() != null && isStarted()) {
        set(there, content);
        loop.execute(() -> {
          if (Arrays.equals(content, wanted)) {
            told = content;
          }
        });
      }
    }
  }

  private boolean isRight() {
    return seen != null && (Arrays.equals(seen, wanted) || Arrays.equals(seen, told));
  }

  private void make(byte[] content) {
    told = content;
    PersistentNode made = new PersistentNode(client, CreateMode.EPHEMERAL, false, path, content);
    made.getListenable().addListener(_ -> loop.execute(this::tell));
    node = made;
    made.start();
  }

  private void tell() {
    PersistentNode there = node;
    byte[] content = wanted;
    if (there == null || content == null || Arrays.equals(content, told) || !isStarted()) {
      return;
    }
    if (there.getActualPath() == null) {
      // It is being made, with what it was told first; then this is asked again.
      return;
    }
    told = content;
    set(there, content);
  }

  private void set(PersistentNode there, byte[] content) {
    try {
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
    doubt();
  }

  /** Has it looked at later, if it is not what it should be. */
  private void doubt() {
    if (!isRight() && !isDoubted) {
      isDoubted = true;
      loop.after(SETTLED, this::look);
    }
  }

  /** Asks for the node: what is told of changes may be late by any time, and this answer is not. */
  private void look() {
    isDoubted = false;
    if (wanted == null || isRight() || !isStarted()) {
      return;
    }
    try {
      client
          .getData()
          .inBackground((_, event) -> loop.execute(() -> insist(event)))
          .forPath(path);
    } catch (Exception failure) {
      LOG.log(Level.WARNING, "{0} cannot be asked for: {1}", path, failure.toString());
      doubt();
    }
  }

  /** Puts the node right if it is gone or holds something else. */
  private void insist(CuratorEvent answer) {
    byte[] content = wanted;
    if (content == null || !isStarted()) {
      return;
    }
    boolean isGone = answer.getResultCode() == Code.NONODE.intValue();
    if (isGone || answer.getResultCode() == Code.OK.intValue()) {
      seen = isGone ? null : answer.getData();
    }
    if (isGone) {
      discard();
      make(content);
    } else if (!isRight()) {
      told = null;
      tell();
    }
    doubt();
  }

  /** Takes the node out of the tree. */
  void close() {
    if (tree != null) {
      tree.close();
      tree = null;
    }
    client.getConnectionStateListenable().removeListener(connection);
    wanted = null;
    amended = null;
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
