// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.provider.net.endpoint.Required;

/** Checks how long an application lets a connection go without a sign of life. */
final class PeerTimeout {
  private PeerTimeout() {}

  /** The time in nanoseconds. */
  static long checked(Duration wanted) {
    Required.value(wanted, "timeout");
    // What is longer makes no difference, and the sum with a time must be one.
    long nanoseconds = Math.min(TimeUnit.NANOSECONDS.convert(wanted), Long.MAX_VALUE / 4);
    if (nanoseconds < TcpLimits.LEAST_PEER_TIMEOUT) {
      throw new FabricException(
          Errno.EINVAL,
          "timeout " + wanted + ": must be a second or more, or peers that live would be lost");
    }
    return nanoseconds;
  }

  static FabricException late(FabricObject endpoint) {
    return new FabricException(
        Errno.EINVAL, endpoint + " is enabled: say how long a peer may be silent before that");
  }
}
