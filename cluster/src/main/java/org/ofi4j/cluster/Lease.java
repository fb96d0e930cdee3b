// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * The period during which this process takes its node for present in ZooKeeper. The leader of the
 * servers ends a session when it has not heard of it for the session timeout. Each verification of
 * the node asks the leader, through the server that this process is connected to, and renews the
 * lease if the node is in place. Without an answer the lease ends by itself, whatever the
 * connection looks like, also if that server is cut off from the leader and goes on answering.
 *
 * <p>A follower reports to the leader twice a tick which sessions it has heard of. So the answer of
 * the leader proves that the leader has heard of the verification before, and not of the present
 * one: a renewed lease lasts for a session timeout from the verification before, or from the last
 * interruption of the connection, as a new connection is reported to the leader at once. For that
 * the time between two verifications must be half a tick or longer, which it is if the session
 * timeout is three ticks or longer.
 *
 * <p>Any thread may ask for the state; the other methods are for the loop.
 */
final class Lease {
  /** The length while no session says another one. */
  private static final Duration SHORTEST = Duration.ofSeconds(1);

  /** How often in one session timeout the node is verified. */
  private static final int VERIFICATIONS = 6;

  private static final Duration MOMENT = Duration.ofMillis(1);

  private final CuratorFramework client;
  private final Loop loop;
  private final Owner owner;
  private final ConnectionStateListener connection = (_, now) -> connectionChanged(now);

  /** Joins that need to know whether the member is still in place. */
  private final Waiters settled;

  /** A moment of {@link System#nanoTime}, and the duration from then on; null before the first. */
  private volatile @Nullable Term term;

  private volatile boolean isSuspended;

  /**
   * When the connection or the session was lost last: answers to earlier requests prove nothing.
   */
  private long lostAt;

  /** When the last verification that counts was asked for. */
  private long verifiedAt;

  private volatile boolean isOver;

  private boolean isEndAwaited;

  /**
   * A lease that has not begun.
   *
   * @param owner hears what becomes of it; called by the loop
   */
  Lease(CuratorFramework client, Loop loop, Owner owner) {
    this.client = client;
    this.loop = loop;
    this.owner = owner;
    settled = new Waiters(loop);
    client.getConnectionStateListenable().addListener(connection);
  }

  /** The process whose node it is about. */
  interface Owner {
    /** Has the node verified, and the lease renewed if it is in place. */
    void verify();

    /** The state may have changed. */
    void leaseChanged(Membership.State state);

    /** The connection to ZooKeeper is back. */
    void reconnected();
  }

  private void connectionChanged(ConnectionState now) {
    loop.execute(() -> {
      switch (now) {
        case SUSPENDED, READ_ONLY -> {
          lostAt = System.nanoTime();
          isSuspended = true;
        }
        case LOST -> {
          lostAt = System.nanoTime();
          isOver = true;
        }
        case RECONNECTED -> owner.reconnected();
        case CONNECTED -> {}
      }
      report();
    });
  }

  private void report() {
    owner.leaseChanged(state());
    settled.ask();
  }

  private void verifyAgain() {
    loop.after(
        interval().plus(MOMENT),
        () -> {
          owner.verify();
          verifyAgain();
        });
  }

  /** Reports the end of the lease at the moment when it ends. */
  private void awaitEnd() {
    loop.after(
        left().plus(MOMENT),
        () -> {
          if (left().isZero()) {
            isEndAwaited = false;
            report();
          } else {
            awaitEnd();
          }
        });
  }

  /** Done when the state of a publication is joined or final. */
  CompletableFuture<Boolean> settled(Publication publication) {
    return settled.when(() -> publication.isReplaced() || state() == Membership.State.JOINED);
  }

  void close() {
    client.getConnectionStateListenable().removeListener(connection);
  }

  private record Term(long begin, Duration length) {
    Duration left() {
      return length.minusNanos(System.nanoTime() - begin);
    }
  }

  /** The node was made in the present session: begins the lease, if it has not begun. */
  void begin() {
    if (term == null) {
      long now = System.nanoTime();
      verifiedAt = now;
      lostAt = now;
      start(now);
      verifyAgain();
    }
  }

  /**
   * The leader has answered after a request, and the node was found in place then, in the present
   * session.
   *
   * @param asked when the leader was asked, in {@link System#nanoTime}
   */
  void renew(long asked) {
    boolean isLater = (!isSuspended && !isOver) || asked - lostAt >= 0;
    if (isLater) {
      boolean isInterrupted = lostAt - verifiedAt > 0;
      if (isInterrupted || asked - verifiedAt >= interval().toNanos()) {
        start(isInterrupted ? lostAt : verifiedAt);
        verifiedAt = asked;
      }
      isOver = false;
      isSuspended = false;
    }
    report();
  }

  private void start(long begin) {
    term = new Term(begin, sessionTimeout());
    if (!isEndAwaited) {
      isEndAwaited = true;
      awaitEnd();
    }
  }

  private Duration interval() {
    return length().dividedBy(VERIFICATIONS);
  }

  private Duration sessionTimeout() {
    try {
      int agreed = client.getZookeeperClient().getZooKeeper().getSessionTimeout();
      if (agreed > 0) {
        return Duration.ofMillis(agreed);
      }
    } catch (Exception notConnected) {
      // Until the next renewal, which finds the session of the next connection.
    }
    Term last = term;
    return last == null ? SHORTEST : last.length;
  }

  /** The time until the lease ends, unless it is renewed; zero once it has ended. */
  private Duration left() {
    Term last = term;
    Duration left = last == null ? Duration.ZERO : last.left();
    return isOver || left.isNegative() ? Duration.ZERO : left;
  }

  /** The timeout of the session. */
  private Duration length() {
    Term last = term;
    return last == null ? Duration.ZERO : last.length;
  }

  /** Joined, suspended or lost; joined before the node was found for the first time. */
  Membership.State state() {
    if (term == null) {
      return Membership.State.JOINED;
    }
    if (left().isZero()) {
      return Membership.State.LOST;
    }
    return isSuspended ? Membership.State.SUSPENDED : Membership.State.JOINED;
  }
}
