// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.ofi4j.provider.net.Rig;

/** The kernel's list of TCP connections over IPv4, as {@code /proc/net/tcp} has it. */
final class TcpTable {
  private static final Path TABLE = Path.of("/proc/net/tcp");
  private static final String TIME_WAIT = "06";
  private static final String LISTENING = "0A";

  private TcpTable() {}

  /** Returns how many sockets of open connections have one of the ports. */
  static long open(int... ports) throws IOException {
    return count(false, ports);
  }

  /** Returns how many connections of the ports were closed in good order in the last minute. */
  static long closed(int... ports) throws IOException {
    return count(true, ports);
  }

  private static long count(boolean closed, int... ports) throws IOException {
    long count = 0;
    for (String line : Files.readAllLines(TABLE)) {
      String[] words = line.strip().split("\\s+");
      boolean over = words[3].equals(TIME_WAIT);
      for (int port : ports) {
        String end = ":%04X".formatted(port);
        if ((words[1].endsWith(end) || words[2].endsWith(end))
            && !words[3].equals(LISTENING)
            && over == closed) {
          count++;
        }
      }
    }
    return count;
  }

  /** Bytes that have come to a port and were not read. */
  static long unread(int port) throws IOException {
    return queued(1, port, 1);
  }

  /**
   * Waits until all is read that was sent to a port. Nothing that is unread may as well not have
   * come yet, so what is sent and not acknowledged is asked for first.
   */
  static void awaitRead(int port) throws Exception {
    while (queued(2, port, 0) > 0 || unread(port) > 0) {
      Thread.sleep(1);
    }
  }

  /** Bytes in the first or second queue of sockets that have a port as their first or second. */
  private static long queued(int end, int port, int queue) throws IOException {
    long bytes = 0;
    for (String line : Files.readAllLines(TABLE)) {
      String[] words = line.strip().split("\\s+");
      if (words[end].endsWith(":%04X".formatted(port)) && !words[3].equals(LISTENING)) {
        bytes += Long.parseLong(words[4].split(":")[queue], 16);
      }
    }
    return bytes;
  }

  /** Returns when there is no connection between two, on either side. */
  static void awaitClosed(Rig one, Rig other) throws Exception {
    while (open(one.port(), other.port()) > 0) {
      one.move(Duration.ZERO);
      other.move(Duration.ZERO);
      Thread.sleep(1);
    }
  }
}
