// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Who does the work. */
public enum Side {
  /** This library. */
  OFI4J("ofi4j", "ofi4j"),
  /** This library in a JVM that has done nothing else yet. */
  OFI4J_FIRST("ofi4jFirst", "ofi4j, first call"),
  /** libfabric's udp provider: what the bars are about. */
  UDP("udp", "libfabric udp"),
  /** libfabric's tcp provider. */
  TCP("tcp", "libfabric tcp"),
  /** The loads and stores that the work cannot do without, and nothing else, in C. */
  MEMORY("memory", "memory alone"),
  /** This library, where the vector is of one process. */
  PRIVATE("private", "private vector");

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

  /** The provider's name in libfabric. */
  public String provider() {
    return switch (this) {
      case OFI4J, OFI4J_FIRST, MEMORY, PRIVATE ->
          throw new IllegalStateException(title + " is no provider of libfabric");
      case UDP -> "udp";
      case TCP -> "tcp";
    };
  }
}
