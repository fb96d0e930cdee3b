// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The TCP connections that are open at both ends and whose peers answer, as the kernel lists them:
 * Linux only. A program otherwise learns that its peer has closed a connection only after it has
 * read all data before the end, which an endpoint that waits for a receive does not do; and that
 * the host of its peer is gone only when the kernel gives up, after a quarter of an hour.
 *
 * <p>A line of the list has hexadecimal fields, with each 32-bit word of an address in the byte
 * order of the machine:
 *
 * <pre>
 *   sl: local address:port  remote address:port  state  queues             timer        retransmits
 *    1: 0100007F:C2AE       0100007F:B04D        01     00000000:00000000  00:00000000  00000000
 * </pre>
 *
 * <p>Timer 01 runs while data is not acknowledged. The kernel counts how often it has sent the data
 * again, and counts from 0 again after each acknowledgement. A peer that does not read acknowledges
 * all the same, until its buffer is full; then another timer runs.
 */
final class EstablishedSockets {
  private static final List<Path> LISTS =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

  private static final String ESTABLISHED = "01";
  private static final String UNACKNOWLEDGED = "01:";
  private static final String NEVER = "00000000";

  /** The 96 bits before an IPv4 address of a socket for both protocols. */
  private static final byte[] MAPPED = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xFF, (byte) 0xFF};

  private final List<Path> lists;
  private final Set<String> open = new HashSet<>();
  private boolean isRead;

  /** Whether the system has such a list. */
  private boolean isKnown;

  EstablishedSockets() {
    this(LISTS);
  }

  /** Reads other lists, of the same form. */
  EstablishedSockets(List<Path> lists) {
    this.lists = lists;
  }

  /** Reads the lists again at the next question. */
  void forget() {
    isRead = false;
    open.clear();
  }

  /**
   * Returns false if the peer has closed or reset a connection, or does not acknowledge what was
   * sent again. A list that changes while it is read may lack a connection, and a packet may get
   * lost, so that one answer alone proves nothing.
   */
  boolean contains(SocketChannel channel) throws IOException {
    if (!isRead) {
      read();
    }
    return !isKnown
        || !(channel.getLocalAddress() instanceof InetSocketAddress local)
        || !(channel.getRemoteAddress() instanceof InetSocketAddress remote)
        || open.contains(key(local, remote, false))
        || open.contains(key(local, remote, true));
  }

  private void read() {
    isRead = true;
    isKnown = false;
    for (Path list : lists) {
      try (Stream<String> lines = Files.lines(list)) {
        lines.forEach(this::add);
        isKnown = true;
      } catch (IOException | RuntimeException absent) {
        // Another system, or a process that may not read it.
      }
    }
  }

  private void add(String line) {
    String[] fields = line.strip().split(" +", 8);
    if (fields.length == 8
        && fields[3].equals(ESTABLISHED)
        && (fields[6].equals(NEVER) || !fields[5].startsWith(UNACKNOWLEDGED))) {
      open.add(fields[1] + ' ' + fields[2]);
    }
  }

  private static String key(InetSocketAddress local, InetSocketAddress remote, boolean mapped) {
    return end(local, mapped) + ' ' + end(remote, mapped);
  }

  private static String end(InetSocketAddress address, boolean mapped) {
    InetAddress host = address.getAddress();
    byte[] bytes = host.getAddress();
    ByteBuffer words = ByteBuffer.allocate(16).order(ByteOrder.nativeOrder());
    if (mapped && bytes.length == 4) {
      words.put(MAPPED);
    }
    words.put(bytes).flip();
    StringBuilder text = new StringBuilder();
    while (words.hasRemaining()) {
      text.append("%08X".formatted(words.getInt()));
    }
    return text.append(":%04X".formatted(address.getPort())).toString();
  }
}
