// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * How long connections may take, be silent and be idle, as an application has said it before it
 * enables the endpoint; in nanoseconds.
 *
 * @param connect how long sends wait for a connection
 * @param peer how long a connection may go without a sign of life
 * @param idle how long a connection stays that nobody needs; {@link #NEVER} for ever
 */
public record ConnectionTimes(long connect, long peer, long idle) {
  static final long NEVER = Long.MAX_VALUE;

  /** What holds unless the application says otherwise. */
  public static final ConnectionTimes DEFAULTS =
      new ConnectionTimes(TcpLimits.CONNECT_TIMEOUT, TcpLimits.PEER_TIMEOUT, NEVER);

  public ConnectionTimes withConnect(Duration wanted) {
    return new ConnectionTimes(
        checked(wanted, 1, "must be more than nothing, or no peer is reached"), peer, idle);
  }

  public ConnectionTimes withPeer(Duration wanted) {
    long least = TcpLimits.LEAST_PEER_TIMEOUT;
    return new ConnectionTimes(
        connect,
        checked(wanted, least, "must be a second or more, or peers that live would be lost"),
        idle);
  }

  public ConnectionTimes withIdle(Duration wanted) {
    long least = TcpLimits.LEAST_IDLE_TIMEOUT;
    return new ConnectionTimes(
        connect,
        peer,
        checked(wanted, least, "must be a millisecond or more, which connections are worth"));
  }

  /**
   * A time in nanoseconds.
   *
   * @param wanted as an application has said it
   * @param least how long it is at least
   * @param rule what is said of less
   */
  public static long checked(Duration wanted, long least, String rule) {
    // What is longer makes no difference, and the sum with a time must be one.
    long nanoseconds =
        Math.min(TimeUnit.NANOSECONDS.convert(required(wanted, "timeout")), Long.MAX_VALUE / 4);
    if (nanoseconds < least) {
      throw invalid("timeout " + wanted + ": " + rule);
    }
    return nanoseconds;
  }
}
