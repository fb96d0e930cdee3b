// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** What the sizes count that a run measures at. */
public enum SizeUnit {
  /** Addresses in a vector. */
  PEERS("peers", "peer"),
  /** Bytes of a message. */
  BYTES("bytes", "byte");

  private final String id;
  private final String one;

  SizeUnit(String id, String one) {
    this.id = id;
    this.one = one;
  }

  /**
   * The name for programs, which never changes.
   *
   * @return such as {@code peers}
   */
  public String id() {
    return id;
  }

  /**
   * The name of one for people.
   *
   * @return such as {@code peer}
   */
  public String one() {
    return one;
  }
}
