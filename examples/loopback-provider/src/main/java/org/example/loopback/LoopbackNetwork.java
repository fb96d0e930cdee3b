// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;

/**
 * The open endpoints of this JVM by their addresses. As with TCP and UDP, reliable endpoints and
 * datagram endpoints do not share ports. Any thread may call; finding an endpoint takes no lock.
 */
final class LoopbackNetwork {
  static final LoopbackNetwork RELIABLE = new LoopbackNetwork(true);
  static final LoopbackNetwork OF_DATAGRAMS = new LoopbackNetwork(false);

  /** The length of a packed address. */
  static final int PACKED_SIZE = 16;

  private static final int LOCALHOST = 0x7f00_0001;
  private static final int LAST_PORT = 65_535;
  private static final int FIRST_FREE_PORT = 32_768;

  private final boolean reliable;
  private final Map<Long, LoopbackEndpoint> endpoints = new ConcurrentHashMap<>();

  // Ports are given in turn, so that late messages do not reach the next owner of a port. Guarded
  // by the monitor of this object.
  private int lastGiven = LAST_PORT;

  private LoopbackNetwork(boolean reliable) {
    this.reliable = reliable;
  }

  /** Returns whether messages arrive once, whole and in order, or may be lost. */
  boolean isReliable() {
    return reliable;
  }

  /**
   * Adds an endpoint.
   *
   * @param wanted its address; null for any one, and port 0 for any port
   * @param opening makes the endpoint, from its address
   */
  synchronized LoopbackEndpoint join(
      FabricAddress wanted, Function<SocketAddress4, LoopbackEndpoint> opening) {
    SocketAddress4 asked = wanted == null ? new SocketAddress4(0, 0) : (SocketAddress4) wanted;
    int host = asked.address() == 0 ? LOCALHOST : asked.address();
    if (host >>> 24 != LOCALHOST >>> 24) {
      throw new FabricException(
          Errno.EADDRNOTAVAIL, asked + " is no address of the loopback network: take 127.0.0.1");
    }
    int port = asked.port() == 0 ? freePort(host) : asked.port();
    SocketAddress4 name = new SocketAddress4(host, port);
    if (endpoints.containsKey(key(name))) {
      throw new FabricException(Errno.EADDRINUSE, "an endpoint is open at " + name);
    }
    LoopbackEndpoint opened = opening.apply(name);
    endpoints.put(key(name), opened);
    return opened;
  }

  private int freePort(int host) {
    for (int tries = FIRST_FREE_PORT; tries <= LAST_PORT; tries++) {
      lastGiven = lastGiven == LAST_PORT ? FIRST_FREE_PORT : lastGiven + 1;
      if (!endpoints.containsKey(key(new SocketAddress4(host, lastGiven)))) {
        return lastGiven;
      }
    }
    throw new FabricException(Errno.EADDRINUSE, "all ports are taken: close endpoints");
  }

  /** Removes an endpoint that is being closed. */
  void leave(LoopbackEndpoint endpoint) {
    endpoints.remove(key(endpoint.name()));
  }

  /**
   * Returns the endpoint at an address.
   *
   * @param key {@code address << 16 | port}
   * @return null if none is open there
   */
  LoopbackEndpoint find(long key) {
    return endpoints.get(key);
  }

  private static long key(SocketAddress4 name) {
    return (name.address() & 0xFFFF_FFFFL) << 16 | name.port();
  }
}
