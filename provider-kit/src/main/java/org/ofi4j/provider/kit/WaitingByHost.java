// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connections or requests that wait, the oldest first, and how many of them each host has. If their
 * number is bounded, one of the host with the most makes space, so that no host keeps others out. A
 * host is named by an {@link InetAddress}, or by any other object that is equal for the same host.
 * A host may have all IPv6 addresses of a network of 64 bits, which count as one host. For one
 * thread at a time.
 *
 * @param <E> what waits
 */
public final class WaitingByHost<E> {
  /** The number of hosts that share a bound, at least: one host has no larger part. */
  private static final int HOSTS_AT_LEAST = 4;

  /** How many of one host may wait, however small the bound. */
  private static final int LEAST_OF_HOST = 16;

  private static final int NETWORK_BYTES = 8;

  private final SequencedMap<E, Object> all = new LinkedHashMap<>();
  private final Map<Object, SequencedSet<E>> byHost = new HashMap<>();

  /** Creates an empty queue. */
  public WaitingByHost() {}

  /**
   * Adds one that is younger than all others.
   *
   * @param one the one that waits
   * @param address its host
   */
  public void add(E one, Object address) {
    Object host = host(address);
    all.putLast(one, host);
    byHost.computeIfAbsent(host, _ -> new LinkedHashSet<>()).addLast(one);
  }

  /** Returns the object that stands for a host. */
  private static Object host(Object address) {
    if (!(address instanceof Inet6Address ip) || ip.isLoopbackAddress()) {
      return address;
    }
    return ByteBuffer.wrap(ip.getAddress(), 0, NETWORK_BYTES);
  }

  /**
   * Makes space for another one of a host: gives up the oldest one of the host if it has its share,
   * or of the host with the most if the bound is reached.
   *
   * @param address the host
   * @param bound the number of all that may wait
   * @param giveUp gives one up, and removes it from here
   * @return false if there is no space
   */
  public boolean makeSpace(Object address, int bound, Consumer<E> giveUp) {
    int its = size(address);
    @Nullable Object giving = null;
    if (its >= Math.max(bound / HOSTS_AT_LEAST, LEAST_OF_HOST)) {
      giving = address;
    } else if (all.size() >= bound) {
      giving = largestHost();
      // With one more the host would have as many as the one that gives way, which would displace
      // it again.
      if (giving == null || size(giving) <= its + 1) {
        return false;
      }
    }
    E oldest = giving == null ? null : oldest(giving);
    if (oldest != null) {
      giveUp.accept(oldest);
    }
    return true;
  }

  /**
   * Removes one.
   *
   * @param one the one that waits
   * @return false if it does not wait
   */
  public boolean remove(E one) {
    Object host = all.remove(one);
    if (host == null) {
      return false;
    }
    byHost.computeIfPresent(host, (_, its) -> its.remove(one) && its.isEmpty() ? null : its);
    return true;
  }

  /**
   * Makes one the youngest.
   *
   * @param one the one that waits
   * @return false if it does not wait
   */
  public boolean renew(E one) {
    Object host = all.get(one);
    if (host != null) {
      remove(one);
      add(one, host);
    }
    return host != null;
  }

  /**
   * Returns the number of all.
   *
   * @return the number
   */
  public int size() {
    return all.size();
  }

  /**
   * Returns the number of those of one host.
   *
   * @param address the host
   * @return the number
   */
  public int size(Object address) {
    SequencedSet<E> its = byHost.get(host(address));
    return its == null ? 0 : its.size();
  }

  /**
   * Returns all, the oldest first.
   *
   * @return a view that cannot be changed
   */
  public SequencedSet<E> all() {
    return Collections.unmodifiableSequencedSet(all.sequencedKeySet());
  }

  /**
   * Returns the one that has waited longest.
   *
   * @return the oldest; null if none waits
   */
  public @Nullable E oldest() {
    return all.isEmpty() ? null : all.firstEntry().getKey();
  }

  /**
   * Returns the one of a host that has waited longest.
   *
   * @param address the host
   * @return the oldest of the host; null if none waits
   */
  public @Nullable E oldest(Object address) {
    SequencedSet<E> its = byHost.get(host(address));
    return its == null ? null : its.getFirst();
  }

  /**
   * Returns a host than which no other has more.
   *
   * @return the host; null if none waits
   */
  public @Nullable Object largestHost() {
    return byHost.keySet().stream().max(Comparator.comparingInt(this::size)).orElse(null);
  }

  /** Removes all. */
  public void clear() {
    all.clear();
    byHost.clear();
  }
}
