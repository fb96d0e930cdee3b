// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.PeerCache;
import org.ofi4j.provider.kit.Peers;

/**
 * From handles to the address objects that channels want, which are kept for later sends. A removed
 * entry is never reached through them: the vector counts the changes of its addresses, and is asked
 * again after one.
 *
 * <p>For one thread at a time: the endpoint's transmit lock guards it.
 */
public final class Destinations {
  /** The address of a peer, as three words and as an object. */
  private record Target(long high, long low, long scopeAndPort, InetSocketAddress address) {}

  private final Peers peers;
  private final TargetAddress target;
  private final PeerCache<Target> known = new PeerCache<>();

  /**
   * For one endpoint.
   *
   * @param ipv6 which family the endpoint's channel is of
   * @param dualStack whether an IPv6 channel also sends over IPv4
   * @param interfaceIndex scope of link-local addresses that have none
   */
  public Destinations(Peers peers, boolean ipv6, boolean dualStack, int interfaceIndex) {
    this.peers = peers;
    target = new TargetAddress(peers, ipv6, dualStack, interfaceIndex);
  }

  /** The address of a handle; throws if the handle has none that the endpoint can send to. */
  public InetSocketAddress of(long handle) {
    // Before the address is read.
    long changes = peers.addressChanges();
    Target present = known.get(handle, changes);
    if (present == null) {
      target.resolve(handle, "destination");
      present = resolved(known.last(handle));
      known.put(handle, changes, present);
    }
    return present.address;
  }

  /** Returns the address that was resolved, as the object that was made before if it is equal. */
  private Target resolved(@Nullable Target before) {
    long high = target.high();
    long low = target.low();
    long scopeAndPort = target.scopeAndPort();
    return before != null
            && before.high == high
            && before.low == low
            && before.scopeAndPort == scopeAndPort
        ? before
        : new Target(high, low, scopeAndPort, target.toSocketAddress());
  }
}
