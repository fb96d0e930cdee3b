package org.ofi4j.benchmarks;

/**
 * How many rounds each side does after warm-up; 0 for none at all.
 *
 * @param ofi4j rounds of this library
 * @param udp rounds of libfabric's udp provider
 * @param nanos after this time no further round begins; each side does one in any case
 */
record Effort(int ofi4j, int udp, long nanos) {
  /** For what no bar rests on: with few peers that is time enough for all rounds. */
  private static final long SHOWN_NANOS = 80_000_000;

  /** Work that bars compare. */
  static Effort compared(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.rounds(), Long.MAX_VALUE);
  }

  /** Work that bars of ofi4j alone rest on. */
  static Effort required(BenchmarkOptions options) {
    return new Effort(options.rounds(), 0, Long.MAX_VALUE);
  }

  /** Work that is shown, as often as there is time for. */
  static Effort shown(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.otherRounds(), SHOWN_NANOS);
  }

  /** Work of libfabric that is shown beside work of this library done at another time. */
  static Effort ofUdp(BenchmarkOptions options) {
    return new Effort(0, options.otherRounds(), SHOWN_NANOS);
  }

  int of(Side side) {
    return switch (side) {
      case OFI4J -> ofi4j;
      case UDP -> udp;
      case OFI4J_FIRST, TCP -> 0;
    };
  }
}
