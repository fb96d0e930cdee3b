// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;

/** What one line of a peer list says. */
sealed interface PeerLine {
  /** A blank line or a comment. */
  record Nothing() implements PeerLine {}

  /** One peer at a numeric address. */
  record Single(FabricAddress address) implements PeerLine {}

  /** One peer by name: its host, its service or both have to be looked up. */
  record Named(String node, String service) implements PeerLine {}

  /**
   * Consecutive services on consecutive nodes.
   *
   * @param node the first node
   * @param service the first service
   * @param serviceCount how many services on each node
   */
  record Symmetric(String node, int nodeCount, String service, int serviceCount)
      implements PeerLine {
    long peers() {
      return (long) nodeCount * serviceCount;
    }
  }

  /** A line that says nothing sensible; the errno is 0 if it is not even an address. */
  record Malformed(int errno, String reason) implements PeerLine {}

  /** The host that has to be looked up before the line can be inserted, or null. */
  default @Nullable String host() {
    return this instanceof Named named && Character.isLetter(named.node.charAt(0))
        ? named.node
        : null;
  }
}
