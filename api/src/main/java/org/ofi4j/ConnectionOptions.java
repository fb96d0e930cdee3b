// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * How an endpoint gets on with its connections. An endpoint refuses with {@link Errno#ENOSYS} what
 * is not for its kind: datagrams have no connections, and an endpoint with one peer keeps its
 * connection.
 *
 * @param connectTimeout how long sends wait for a connection to their peer. A peer that cannot be
 *     reached is tried again and again for so long, counted from the first send that waits; then
 *     all that wait fail, with {@link Errno#ECONNREFUSED}, {@link Errno#ETIMEDOUT} or what else the
 *     network says. Of an endpoint with one peer, how long that has to answer; there is one
 *     attempt. More than nothing; ten seconds by default
 * @param peerTimeout how long a connection may go without a sign of life from the peer, a second or
 *     more. Then it is lost: sends of which something is out fail with {@link Errno#ECONNRESET},
 *     others wait for a new connection, and {@link Event.PeerLost} is reported. Peers on ofi4j say
 *     several times within that time that they live, also while their application makes no
 *     progress. C programs do not: a connection to one is lost when it owes an acknowledgement or
 *     the answer to a read, and nothing has come or gone for so long; so it is with {@link
 *     ConnectedEndpoint}. Thirty seconds by default
 * @param idleTimeout when connections are closed that nobody needs, a millisecond or more; null for
 *     never, which is the default. Closed is one over which for so long no message, read, write or
 *     acknowledgement has gone either way, while nothing is under way. Nobody notices: what is sent
 *     next, by either side, opens a new one, nothing is lost or overtaken, and no event is
 *     reported. But no more is heard of a peer without a connection, so nor that it is gone.
 *     Connections stay to C programs, to whom nobody can say that one is to be closed; to peers to
 *     whom none can be opened; and while early messages of the peer wait for receives. They are
 *     closed as progress is made, within one and a half times the time as a rule
 * @param earlyMessages what becomes of messages that come before a receive is posted for them. Of
 *     endpoints that share a receive context the one that is opened last says how much is kept for
 *     all of them
 * @param security who we are and whom we trust, if connections are encrypted; null if not, which is
 *     the default. Peers need the same: one that has it and one that has not do not connect. An
 *     endpoint that accepts a connection has what the passive endpoint has
 */
public record ConnectionOptions(
    Duration connectTimeout,
    Duration peerTimeout,
    @Nullable Duration idleTimeout,
    EarlyMessages earlyMessages,
    @Nullable TransportSecurity security) {
  /** The shortest {@link #peerTimeout}. */
  public static final Duration LEAST_PEER_TIMEOUT = Duration.ofSeconds(1);

  private static final Duration LEAST_IDLE = Duration.ofMillis(1);
  private static final ConnectionOptions DEFAULTS =
      new ConnectionOptions(
          Duration.ofSeconds(10), Duration.ofSeconds(30), null, EarlyMessages.defaults(), null);

  /** Checks the times, with {@link Errno#EINVAL}. */
  public ConnectionOptions {
    Arguments.required(connectTimeout, "connectTimeout");
    Arguments.required(peerTimeout, "peerTimeout");
    Arguments.required(earlyMessages, "earlyMessages");
    if (!connectTimeout.isPositive()) {
      throw refused("connectTimeout", connectTimeout, "more than nothing");
    }
    if (peerTimeout.compareTo(LEAST_PEER_TIMEOUT) < 0) {
      throw refused("peerTimeout", peerTimeout, "a second or more");
    }
    if (idleTimeout != null && idleTimeout.compareTo(LEAST_IDLE) < 0) {
      throw refused("idleTimeout", idleTimeout, "a millisecond or more");
    }
  }

  private static FabricException refused(String what, Duration given, String wanted) {
    return new FabricException(Errno.EINVAL, what + " " + given + ": give " + wanted);
  }

  /** {@return what holds unless the application says otherwise} */
  public static ConnectionOptions defaults() {
    return DEFAULTS;
  }

  /**
   * {@return a copy with another time for connecting}
   *
   * @param timeout more than nothing
   */
  public ConnectionOptions withConnectTimeout(Duration timeout) {
    return new ConnectionOptions(timeout, peerTimeout, idleTimeout, earlyMessages, security);
  }

  /**
   * {@return a copy with another time without a sign of life}
   *
   * @param timeout a second or more
   */
  public ConnectionOptions withPeerTimeout(Duration timeout) {
    return new ConnectionOptions(connectTimeout, timeout, idleTimeout, earlyMessages, security);
  }

  /**
   * {@return a copy that closes connections which nobody needs}
   *
   * @param timeout a millisecond or more
   */
  public ConnectionOptions withIdleTimeout(Duration timeout) {
    return new ConnectionOptions(connectTimeout, peerTimeout, timeout, earlyMessages, security);
  }

  /**
   * {@return a copy with other bounds for early messages}
   *
   * @param bounds how much is kept
   */
  public ConnectionOptions withEarlyMessages(EarlyMessages bounds) {
    return new ConnectionOptions(connectTimeout, peerTimeout, idleTimeout, bounds, security);
  }

  /**
   * {@return a copy that encrypts connections}
   *
   * @param tls who we are, and whom we trust
   */
  public ConnectionOptions withSecurity(TransportSecurity tls) {
    return new ConnectionOptions(connectTimeout, peerTimeout, idleTimeout, earlyMessages, tls);
  }
}
