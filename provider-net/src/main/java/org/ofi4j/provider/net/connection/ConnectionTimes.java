// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.ofi4j.ConnectionOptions;

/**
 * How long connections may take, be silent and be idle, as an application has said it; in
 * nanoseconds.
 *
 * @param connect how long sends wait for a connection
 * @param peer how long a connection may go without a sign of life
 * @param idle how long a connection stays that nobody needs; {@link #NEVER} for ever
 */
public record ConnectionTimes(long connect, long peer, long idle) {
  static final long NEVER = Long.MAX_VALUE;

  /** The times that options say. */
  public static ConnectionTimes of(ConnectionOptions options) {
    Duration idle = options.idleTimeout();
    return new ConnectionTimes(
        nanoseconds(options.connectTimeout()),
        nanoseconds(options.peerTimeout()),
        idle == null ? NEVER : nanoseconds(idle));
  }

  /** A time in nanoseconds; what is longer makes no difference, and the sum with a time is one. */
  public static long nanoseconds(Duration time) {
    return Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 4);
  }
}
