// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.ObjIntConsumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * An ephemeral node that this process keeps in the tree.
 *
 * <p>One thing is asked of ZooKeeper at a time: what the node holds, with a watch; or, when that is
 * known and is not what it should be, a change of it. Whatever comes between, a lost connection, a
 * new session, others who write or delete, only makes it unknown what the node holds. So no write
 * is ever repeated blindly, and none overtakes another.
 *
 * <p>All methods are for the loop.
 */
final class WrittenNode {
  private static final Logger LOG = System.getLogger(WrittenNode.class.getName());

  /** How long until what failed is tried again, unless the connection is back before. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final CuratorFramework client;
  private final String path;
  private final Loop loop;
  private final ConnectionStateListener connection = this::connectionChanged;
  private final CuratorWatcher watcher = event -> watched(event.getPath());

  /** What it should hold; null if there should be no node. Set by the loop alone. */
  private volatile byte @Nullable [] wanted;

  /** What it was last told to hold, which is right as well unless {@link #isDue}. */
  private byte @Nullable [] told;

  /** Whether what is wanted says more than what it was told. */
  private boolean isDue;

  /** Whether an answer is due, and to which question: a lost connection may take an answer away. */
  private boolean isAsking;

  private int question;

  /** What is known of the node. Nobody else makes it. */
  private State state = State.ABSENT;

  private byte @Nullable [] held;

  WrittenNode(CuratorFramework client, String path, Loop loop) {
    this.client = client;
    this.path = path;
    this.loop = loop;
  }

  private enum State {
    UNKNOWN,
    ABSENT,
    /** It is this session's, and holds {@link #held}. */
    OWN,
    /** It is of a former session, and would go with that. */
    FOREIGN
  }

  /** Has the node hold this; makes it if there is none. */
  void write(byte[] content) {
    if (wanted == null) {
      client.getConnectionStateListenable().addListener(connection);
    }
    wanted = content;
    isDue = true;
    proceed();
  }

  /** From now on the node should hold this when it is written anew; what it holds is right too. */
  void amend(byte[] content) {
    if (wanted != null) {
      wanted = content;
    }
  }

  private void connectionChanged(CuratorFramework which, ConnectionState now) {
    if (now == ConnectionState.RECONNECTED) {
      loop.execute(() -> {
        isAsking = false;
        lookAgain();
      });
    }
  }

  private void watched(@Nullable String where) {
    if (where != null) {
      loop.execute(this::lookAgain);
    }
  }

  private void lookAgain() {
    state = State.UNKNOWN;
    proceed();
  }

  /** Whether the application has not closed the client, and with it the session of the node. */
  private boolean isStarted() {
    return client.getState() == CuratorFrameworkState.STARTED;
  }

  private boolean isRight() {
    return Arrays.equals(held, wanted) || (!isDue && Arrays.equals(held, told));
  }

  /** Asks for the next thing that is to be done, unless there is nothing or an answer is due. */
  private void proceed() {
    byte[] content = wanted;
    if (content == null || isAsking || !isStarted() || (state == State.OWN && isRight())) {
      return;
    }
    isAsking = true;
    question++;
    try {
      switch (state) {
        case UNKNOWN ->
            client.getData().usingWatcher(watcher).inBackground(answer(this::seen)).forPath(path);
        case ABSENT -> {
          tell(content);
          client
              .create()
              .creatingParentContainersIfNeeded()
              .withMode(CreateMode.EPHEMERAL)
              .inBackground(answer(this::changed))
              .forPath(path, content);
        }
        case OWN -> {
          tell(content);
          client.setData().inBackground(answer(this::changed)).forPath(path, content);
        }
        case FOREIGN -> client.delete().inBackground(answer(this::changed)).forPath(path);
      }
    } catch (Exception failure) {
      isAsking = false;
      LOG.log(Level.WARNING, "{0} cannot be written: {1}", path, failure.toString());
      loop.after(AGAIN, this::lookAgain);
    }
  }

  private void tell(byte[] content) {
    told = content;
    isDue = false;
  }

  private BackgroundCallback answer(ObjIntConsumer<CuratorEvent> taken) {
    int asked = question;
    return (_, event) -> {
      if (wanted == null) {
        // It was closed, maybe before the node was made.
        client.delete().guaranteed().inBackground().forPath(path);
        return;
      }
      loop.execute(() -> {
        if (isAsking && asked == question) {
          isAsking = false;
          taken.accept(event, event.getResultCode());
        }
      });
    };
  }

  private void seen(CuratorEvent event, int code) {
    if (code == Code.OK.intValue()) {
      held = event.getData();
      state = isOfThisSession(event.getStat().getEphemeralOwner()) ? State.OWN : State.FOREIGN;
    } else if (code == Code.NONODE.intValue()) {
      held = null;
      state = State.ABSENT;
    } else {
      failed(code);
      return;
    }
    proceed();
  }

  /** Whatever became of a change is to be seen in the node. */
  private void changed(CuratorEvent event, int code) {
    if (code == Code.OK.intValue()
        || code == Code.NODEEXISTS.intValue()
        || code == Code.NONODE.intValue()) {
      lookAgain();
    } else {
      failed(code);
    }
  }

  private void failed(int code) {
    state = State.UNKNOWN;
    LOG.log(Level.DEBUG, "{0} cannot be reached: {1}", path, Code.get(code));
    loop.after(AGAIN, this::proceed);
  }

  private boolean isOfThisSession(long owner) {
    try {
      return owner == client.getZookeeperClient().getZooKeeper().getSessionId();
    } catch (Exception notConnected) {
      // The next connection has it looked at again.
      return true;
    }
  }

  /** Takes the node out of the tree. */
  void close() {
    if (wanted == null) {
      return;
    }
    client.getConnectionStateListenable().removeListener(connection);
    wanted = null;
    isAsking = false;
    state = State.ABSENT;
    if (isStarted()) {
      try {
        client.delete().quietly().guaranteed().forPath(path);
      } catch (Exception failure) {
        LOG.log(Level.WARNING, "{0} is left to its session: {1}", path, failure.toString());
      }
    }
  }
}
