// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** What a report is about, and what the sizes of its rows and bars count. */
public enum Topic {
  /** Address vectors of one process: addresses. */
  VECTORS("peer"),
  /** Address vectors that processes share: addresses. */
  NAMED_VECTORS("peer"),
  /** Groups in ZooKeeper: members. */
  CLUSTER("member"),
  /** Costs of messages besides time: connections of a server. */
  COSTS("connection"),
  /** Messages between two processes: bytes of a message. */
  MESSAGES("byte");

  private final String size;

  Topic(String size) {
    this.size = size;
  }

  /** The name of the sizes for programs, which never changes. */
  public String sizes() {
    return size + "s";
  }

  /** The name of one for people. */
  public String size() {
    return size;
  }
}
