// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Addresses of the loopback network that nobody else has, and those that have become free. */
final class Addresses {
  private static final int PORT = 9_000;

  private final String network;
  private final List<String> free = new ArrayList<>();
  private int given;

  Addresses() {
    // Two referees on one machine do not meet.
    long process = ProcessHandle.current().pid();
    network = "fi_sockaddr_in://127." + (1 + process / 254 % 254) + "." + (1 + process % 254) + ".";
  }

  /** An address that nobody has had. */
  synchronized String fresh() {
    given++;
    return network + (1 + given % 250) + ":" + (PORT + given / 250);
  }

  /** One that somebody else has had and nobody has now; a fresh one if there is none. */
  synchronized String used(SplittableRandom random) {
    return free.isEmpty() ? fresh() : free.remove(random.nextInt(free.size()));
  }

  /** An address that nobody has any more. */
  synchronized void release(String address) {
    free.add(address);
  }
}
