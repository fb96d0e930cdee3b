// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.Side;

/**
 * How many rounds each side does after warm-up; 0 for none at all.
 *
 * @param ofi4j rounds of this library
 * @param udp rounds of libfabric's udp provider
 * @param memory rounds of memory alone
 * @param nanos after this time no further round begins; each side does one in any case
 */
record Effort(int ofi4j, int udp, int memory, long nanos) {
  /** Of so many rounds one is memory's too. */
  private static final int MEMORY_SHARE = 6;

  /** For what no bar rests on: with few peers that is time enough for all rounds. */
  private static final long SHOWN_NANOS = 100_000_000;

  /** Work that bars compare. */
  static Effort compared(BenchmarkOptions options) {
    return new Effort(
        options.rounds(),
        options.rounds(),
        Math.ceilDiv(options.rounds(), MEMORY_SHARE),
        Long.MAX_VALUE);
  }

  /** Work that is shown, as often as there is time for unless more is asked for. */
  static Effort shown(BenchmarkOptions options) {
    long nanos = options.otherRounds() == 1 ? SHOWN_NANOS : Long.MAX_VALUE;
    return new Effort(options.rounds(), options.otherRounds(), 0, nanos);
  }

  int of(Side side) {
    return switch (side) {
      case OFI4J -> ofi4j;
      case UDP -> udp;
      case MEMORY -> memory;
      case OFI4J_FIRST, TCP, PRIVATE -> 0;
    };
  }
}
