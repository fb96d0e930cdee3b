// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** What a report is about, and what the sizes of its rows and bars count. */
public enum Topic {
  /** Address vectors of one process: addresses. */
  VECTORS("peers", "peer"),
  /** Address vectors that processes share: addresses. */
  NAMED_VECTORS("peers", "peer"),
  /** Messages between two processes: bytes of a message. */
  MESSAGES("bytes", "byte");

  private final String sizes;
  private final String size;

  Topic(String sizes, String size) {
    this.sizes = sizes;
    this.size = size;
  }

  /** The name of the sizes for programs, which never changes. */
  public String sizes() {
    return sizes;
  }

  /** The name of one for people. */
  public String size() {
    return size;
  }
}
