// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** What a report is about. */
public enum Topic {
  /** Address vectors of one process. */
  VECTORS(SizeUnit.PEERS),
  /** Address vectors that processes share. */
  NAMED_VECTORS(SizeUnit.PEERS),
  /** Messages between two processes. */
  MESSAGES(SizeUnit.BYTES);

  private final SizeUnit sizes;

  Topic(SizeUnit sizes) {
    this.sizes = sizes;
  }

  SizeUnit sizes() {
    return sizes;
  }
}
