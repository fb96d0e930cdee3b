// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Connections or requests that wait, the oldest first, and how many of them each host has. If their
 * number is bounded, one of the host with the most makes space, so that no host keeps others out. A
 * host may have all IPv6 addresses of a network of 64 bits, which count as one host. For one thread
 * at a time.
 *
 * @param <E> what waits
 */
public final class WaitingByHost<E> {
  private static final int NETWORK_BYTES = 8;

  private final SequencedMap<E, InetAddress> all = new LinkedHashMap<>();
  private final Map<InetAddress, SequencedSet<E>> byHost = new HashMap<>();

  /** Adds one that is younger than all others. */
  public void add(E one, InetAddress address) {
    InetAddress host = host(address);
    all.putLast(one, host);
    byHost.computeIfAbsent(host, _ -> new LinkedHashSet<>()).addLast(one);
  }

  /** Returns the address that stands for a host. */
  private static InetAddress host(InetAddress address) {
    if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
      return address;
    }
    byte[] network = Arrays.copyOf(Arrays.copyOf(address.getAddress(), NETWORK_BYTES), 16);
    try {
      return InetAddress.getByAddress(network);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** Removes one; returns false if it does not wait. */
  public boolean remove(E one) {
    InetAddress host = all.remove(one);
    if (host == null) {
      return false;
    }
    SequencedSet<E> its = byHost.get(host);
    if (its != null) {
      its.remove(one);
      if (its.isEmpty()) {
        byHost.remove(host);
      }
    }
    return true;
  }

  /** Makes one the youngest; returns false if it does not wait. */
  public boolean renew(E one) {
    InetAddress host = all.get(one);
    if (host == null) {
      return false;
    }
    remove(one);
    add(one, host);
    return true;
  }

  public int size() {
    return all.size();
  }

  /** Returns the number of those of one host. */
  public int size(InetAddress address) {
    SequencedSet<E> its = byHost.get(host(address));
    return its == null ? 0 : its.size();
  }

  /** Returns all, the oldest first. */
  public SequencedSet<E> all() {
    return Collections.unmodifiableSequencedSet(all.sequencedKeySet());
  }

  /** Returns the one that has waited longest; null if none waits. */
  public @Nullable E oldest() {
    return all.isEmpty() ? null : all.firstEntry().getKey();
  }

  /** Returns the one of a host that has waited longest; null if none waits. */
  public @Nullable E oldest(InetAddress address) {
    SequencedSet<E> its = byHost.get(host(address));
    return its == null ? null : its.getFirst();
  }

  /** Returns a host of which no other one has more; null if none waits. */
  public @Nullable InetAddress largestHost() {
    InetAddress largest = null;
    int most = 0;
    for (Map.Entry<InetAddress, SequencedSet<E>> each : byHost.entrySet()) {
      if (each.getValue().size() > most) {
        largest = each.getKey();
        most = each.getValue().size();
      }
    }
    return largest;
  }

  public void clear() {
    all.clear();
    byHost.clear();
  }
}
