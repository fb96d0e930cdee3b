// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * Ports for those who leave a port and want to come back to it. The kernel gives a port that it has
 * picked itself to anybody else's connection in between; these it does not pick, because they lie
 * below those that it picks from.
 */
public final class FreePort {
  private static final Path PICKED = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final int FIRST = 10_000;
  private static final int LAST = 32_000;

  /**
   * Processes that were started one after the other take ports of different parts, as a port that a
   * test has left for a moment must not be found by a test in another process.
   */
  private static final int PARTS = 16;

  private static final long PID = ProcessHandle.current().pid();
  private static final Random RANDOM = new Random(PID);

  private FreePort() {}

  /** One that nobody uses, neither for TCP nor for UDP. */
  public static int find() throws IOException {
    int end = Math.min(LAST, firstPicked());
    // With an unusual setting there is no room below: then it can only be hoped for the best.
    int begin = end > FIRST + 1_000 ? FIRST : 1_024;
    int size = Math.max(end - begin, 1_000) / PARTS;
    int first = begin + (int) (PID % PARTS) * size;
    while (true) {
      int port = RANDOM.nextInt(first, first + size);
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
      try (ServerSocket stream = new ServerSocket();
          DatagramSocket datagrams = new DatagramSocket(null)) {
        stream.bind(address);
        datagrams.bind(address);
        return port;
      } catch (IOException taken) {
        // The next one, then.
      }
    }
  }

  /** The first port that the kernel picks from. */
  private static int firstPicked() throws IOException {
    return Files.isReadable(PICKED)
        ? Integer.parseInt(Files.readString(PICKED).trim().split("\\s+", -1)[0])
        : LAST;
  }
}
