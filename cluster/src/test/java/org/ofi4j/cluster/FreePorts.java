// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers that stop and start again at the same port. They lie below the ports that the
 * kernel gives to connections, or a connection of another test, of this module or of one that is
 * tested at the same time, could have the port of a server that is down.
 */
final class FreePorts {
  private static final int LOWEST = 10_000;
  private static final int COUNT = 22_000;

  /** Each process begins elsewhere; within a process no two servers get the same port. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

  private FreePorts() {}

  /** Returns a port that no program uses at the moment. */
  static int find() {
    while (true) {
      int port = LOWEST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket probe = new ServerSocket(port)) {
        return probe.getLocalPort();
      } catch (IOException taken) {
        // The next one may be free.
        continue;
      }
    }
  }
}
