// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/**
 * An ephemeral node that this process keeps in the tree.
 *
 * <p>One thing is asked of ZooKeeper at a time: what the node holds, with a watch; or, when that is
 * known and is not what it should be, a change of it. Whatever comes between, a lost connection, a
 * new session, others who write or delete, only makes it unknown what the node holds. Curator sends
 * a request again whose answer was lost: so there is none besides it, and a change is one of the
 * version that was seen. ZooKeeper's client can lose the answer itself if it takes a request while
 * its session ends. So an answer that does not come although the connection is there is not waited
 * for, and means nothing if it comes later.
 *
 * <p>All methods are for the loop.
 */
final class WrittenNode {
  private static final Logger LOG = System.getLogger(WrittenNode.class.getName());

  /** How long until what failed is tried again, unless the connection is back before. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  /** How long an answer may take while the connection is there. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Hears what the node holds, each time before it is changed. */
  @FunctionalInterface
  interface Listener {
    /** The node is in place, in the present session. */
    void held(ChildData node);

    /**
     * The node was in place after the leader of the servers had answered.
     *
     * @param asked when the leader was asked, in {@link System#nanoTime}
     */
    default void verified(long asked) {}
  }

  private final CuratorFramework client;
  private final String path;
  private final Loop loop;
  private final WriteConditions conditions;
  private final Listener listener;
  private final Consumer<FabricException> denied;
  private final ConnectionStateListener connection = this::connectionChanged;
  private final CuratorWatcher watcher = event -> watched(event.getPath());

  /** What it should hold; null if there should be no node. Set by the loop alone. */
  private volatile byte @Nullable [] wanted;

  /** What it was last told to hold: right as well, unless {@link #isDue} something else. */
  private byte @Nullable [] told;

  /** Whether what is wanted has to be written, and is not only what may be as well. */
  private boolean isDue;

  /** Whether an answer is due. */
  private boolean isAsking;

  /** The number of the request whose answer is due, or of the last one. */
  private long request;

  /** Whether that answer tells nothing, as it may be of a former connection, or of former times. */
  private boolean isStale;

  /** Whether the next look at the node asks the leader before. */
  private boolean isVerification;

  /** When the leader was asked, if it has answered since the node was looked at. */
  private OptionalLong leaderAsked = OptionalLong.empty();

  /** Whether it will be tried again what failed. */
  private boolean isRetryDue;

  /** What is known of the node. Nobody else makes it. */
  private State state = State.ABSENT;

  private byte @Nullable [] held;
  private int version;

  /**
   * A node that is not in the tree yet.
   *
   * @param denied called by the loop when ZooKeeper does not let this client write the node, which
   *     is tried again nevertheless
   */
  WrittenNode(
      CuratorFramework client,
      String path,
      Loop loop,
      WriteConditions conditions,
      Listener listener,
      Consumer<FabricException> denied) {
    this.client = client;
    this.path = path;
    this.loop = loop;
    this.conditions = conditions;
    this.listener = listener;
    this.denied = denied;
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
    isDue = !Arrays.equals(content, told);
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
        isStale = isAsking;
        isVerification = true;
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

  /** Finds out whether the node is still in place, now or after the answer that is due. */
  void verify() {
    isVerification = true;
    if (!isAsking && wanted != null) {
      lookAgain();
    }
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
    long number = ask();
    try {
      switch (state) {
        case UNKNOWN -> {
          if (isVerification) {
            askLeader(number);
          } else {
            client
                .getData()
                .usingWatcher(watcher)
                .inBackground((_, event) -> answer(number, () -> seen(event)))
                .forPath(path);
          }
        }
        case ABSENT, OWN -> change(content, state == State.ABSENT, number);
        case FOREIGN ->
            client
                .delete()
                .inBackground((_, event) -> answer(number, () -> changed(event)))
                .forPath(path);
      }
    } catch (Exception failure) {
      isAsking = false;
      failed(Level.WARNING, failure.toString());
    }
  }

  /** Has the server ask the leader, which a follower that is cut off from it cannot do. */
  private void askLeader(long number) throws Exception {
    long asked = System.nanoTime();
    client
        .sync()
        .inBackground((_, event) -> answer(number, () -> leaderAnswered(event, asked)))
        .forPath(path);
  }

  private void leaderAnswered(CuratorEvent event, long asked) {
    Code code = Code.get(event.getResultCode());
    if (code == Code.OK || code == Code.NONODE) {
      isVerification = false;
      leaderAsked = OptionalLong.of(asked);
      lookAgain();
    } else {
      failed(code);
    }
  }

  private long ask() {
    isAsking = true;
    request++;
    awaitAnswer(request);
    return request;
  }

  private void awaitAnswer(long number) {
    loop.after(
        PATIENCE,
        () -> {
          boolean isDue = isAsking && number == request;
          if (isDue && client.getZookeeperClient().isConnected()) {
            request++;
            isAsking = false;
            isStale = false;
            failed(Code.CONNECTIONLOSS);
          } else if (isDue) {
            awaitAnswer(number);
          }
        });
  }

  /** Makes or changes the node, together with what its conditions ask for. */
  private void change(byte[] content, boolean isNew, long number) throws Exception {
    List<CuratorOp> operations = conditions.operations(isNew ? null : held);
    tell(content);
    if (!operations.isEmpty()) {
      List<CuratorOp> all = new ArrayList<>(operations);
      TransactionOp own = client.transactionOp();
      all.add(
          isNew
              ? own.create().withMode(CreateMode.EPHEMERAL).forPath(path, content)
              : own.setData().withVersion(version).forPath(path, content));
      client
          .transaction()
          .inBackground((_, event) -> made(number, event, this::changedTogether))
          .forOperations(all);
    } else if (isNew) {
      client
          .create()
          .creatingParentContainersIfNeeded()
          .withMode(CreateMode.EPHEMERAL)
          .inBackground((_, event) -> made(number, event, this::changed))
          .forPath(path, content);
    } else {
      client
          .setData()
          .withVersion(version)
          .inBackground((_, event) -> answer(number, () -> changed(event)))
          .forPath(path, content);
    }
  }

  private void changedTogether(CuratorEvent event) {
    Code code = Code.get(event.getResultCode());
    switch (code) {
      case OK -> {
        conditions.met();
        lookAgain();
      }
      case NODEEXISTS, NONODE, BADVERSION -> check();
      case null, default -> failed(code);
    }
  }

  private void check() {
    long number = ask();
    conditions.check(code ->
        answer(
            number,
            () -> {
              if (code == Code.OK) {
                lookAgain();
              } else {
                failed(code);
              }
            }));
  }

  private void tell(byte[] content) {
    told = content;
    isDue = false;
  }

  /** By the thread of events: also when the loop is at its end. */
  private void made(long number, CuratorEvent event, Consumer<CuratorEvent> taken)
      throws Exception {
    if (wanted == null && event.getResultCode() == Code.OK.intValue() && isStarted()) {
      // It was closed before the node was made.
      client.delete().guaranteed().inBackground().forPath(path);
    }
    answer(number, () -> taken.accept(event));
  }

  private void answer(long number, Runnable taken) {
    loop.execute(() -> {
      if (number != request) {
        return;
      }
      isAsking = false;
      if (isStale) {
        isStale = false;
        lookAgain();
      } else {
        taken.run();
      }
    });
  }

  private void seen(CuratorEvent event) {
    OptionalLong asked = leaderAsked;
    leaderAsked = OptionalLong.empty();
    Code code = Code.get(event.getResultCode());
    if (code == Code.OK) {
      held = event.getData();
      version = event.getStat().getVersion();
      state = isOfThisSession(event) ? State.OWN : State.FOREIGN;
    } else if (code == Code.NONODE) {
      held = null;
      state = State.ABSENT;
      conditions.noteAbsent();
    } else {
      failed(code);
      return;
    }
    if (state == State.OWN && wanted != null) {
      listener.held(new ChildData(path, event.getStat(), event.getData()));
      asked.ifPresent(listener::verified);
    }
    proceed();
  }

  /** Whatever became of a change is to be seen in the node. */
  private void changed(CuratorEvent event) {
    Code code = Code.get(event.getResultCode());
    switch (code) {
      case OK, NODEEXISTS, NONODE, BADVERSION -> lookAgain();
      case null, default -> failed(code);
    }
  }

  private void failed(@Nullable Code code) {
    // Of connections the application hears from its client.
    boolean isLost =
        code == Code.CONNECTIONLOSS || code == Code.SESSIONEXPIRED || code == Code.OPERATIONTIMEOUT;
    failed(isLost ? Level.DEBUG : Level.WARNING, String.valueOf(code));
    if (code != null && Failures.isDenied(code)) {
      denied.accept(Failures.of("write " + path, code));
    }
  }

  private void failed(Level level, String why) {
    state = State.UNKNOWN;
    if (!isRetryDue) {
      isRetryDue = true;
      LOG.log(level, "{0} cannot be written, and is tried again: {1}", path, why);
      loop.after(
          AGAIN,
          () -> {
            isRetryDue = false;
            proceed();
          });
    }
  }

  private boolean isOfThisSession(CuratorEvent event) {
    try {
      return event.getStat().getEphemeralOwner()
          == client.getZookeeperClient().getZooKeeper().getSessionId();
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
    told = null;
    isStale = isAsking;
    state = State.ABSENT;
    if (isStarted()) {
      try {
        conditions.deleteTogether(client, path);
        client.delete().quietly().guaranteed().forPath(path);
      } catch (Exception failure) {
        LOG.log(Level.WARNING, "{0} is left to its session: {1}", path, failure.toString());
      }
    }
  }
}
