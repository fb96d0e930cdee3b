// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Who does the work. */
public enum Side {
  /** This library. */
  OFI4J("ofi4j", "ofi4j"),
  /** This library in a JVM that has done nothing else yet. */
  OFI4J_FIRST("ofi4jFirst", "ofi4j, first call"),
  /** This library with {@code FI_THREAD_DOMAIN}. */
  OFI4J_DOMAIN("ofi4jDomain", "ofi4j, domain"),
  /** This library, where threads sleep while they read a queue. */
  OFI4J_BLOCKING("ofi4jBlocking", "ofi4j, blocking"),
  /** This library with automatic progress. */
  OFI4J_AUTO("ofi4jAuto", "ofi4j, auto"),
  /** libfabric's udp provider: what the bars are about. */
  UDP("udp", "libfabric udp"),
  /** libfabric's tcp provider. */
  TCP("tcp", "libfabric tcp"),
  /** The loads and stores that the work cannot do without, and nothing else, in C. */
  MEMORY("memory", "memory alone"),
  /** This library, where the vector is of one process. */
  PRIVATE("private", "private vector"),
  /** Netty's native transport. */
  NETTY_EPOLL("nettyEpoll", "Netty, epoll"),
  /** Netty over java.nio. */
  NETTY_NIO("nettyNio", "Netty, NIO"),
  /** A channel of the JDK. */
  CHANNEL("channel", "SocketChannel"),
  /** A channel of the JDK, several messages a write. */
  BATCHED_CHANNEL("batchedChannel", "channel, 16"),
  /** Aeron through shared memory. */
  AERON("aeron", "Aeron IPC");

  private final String id;
  private final String title;

  Side(String id, String title) {
    this.id = id;
    this.title = title;
  }

  /** The name for programs, which never changes. */
  public String id() {
    return id;
  }

  /** The name for people. */
  public String title() {
    return title;
  }

  /** Whether it is this library in a mode that is compared with other sides. */
  public boolean isMode() {
    return this == OFI4J || this == OFI4J_DOMAIN || this == OFI4J_BLOCKING || this == OFI4J_AUTO;
  }

  /** The provider's name in libfabric. */
  public String provider() {
    return switch (this) {
      case UDP -> "udp";
      case TCP -> "tcp";
      default -> throw new IllegalStateException(title + " is no provider of libfabric");
    };
  }
}
