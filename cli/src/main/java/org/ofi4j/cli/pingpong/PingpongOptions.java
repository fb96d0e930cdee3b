// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EndpointType;

/**
 * What to measure and with whom.
 *
 * @param host the server, or null to be one
 * @param provider the provider's name, or null for the best
 * @param domain the domain's name, or null for any
 * @param fabric the fabric's name, or null for any
 * @param iterations round trips of each size
 * @param size the only size, or -1
 * @param allSizes every size instead of a few
 * @param verify check every byte
 * @param sourcePort our control port, 0 for the default
 * @param destinationPort the server's control port, 0 for the default
 * @param sourceAddress our address, or null for the one that the control connection has
 * @param ipv6 use IPv6
 * @param timeout how long to wait for a message
 */
public record PingpongOptions(
    @Nullable String host,
    @Nullable String provider,
    @Nullable String domain,
    @Nullable String fabric,
    EndpointType endpointType,
    boolean tagged,
    int iterations,
    int size,
    boolean allSizes,
    boolean verify,
    int sourcePort,
    int destinationPort,
    @Nullable String sourceAddress,
    boolean ipv6,
    Duration timeout) {
  boolean isClient() {
    return host != null;
  }

  int[] sizes(long longest) {
    if (size >= 0) {
      return new int[] {size};
    }
    return allSizes ? TestSizes.all(longest) : TestSizes.defaults(longest);
  }
}
