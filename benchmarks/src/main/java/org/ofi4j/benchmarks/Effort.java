package org.ofi4j.benchmarks;

/**
 * How many rounds each side does after warm-up; 0 for none at all.
 *
 * @param ofi4j rounds of this library
 * @param udp rounds of libfabric's udp provider
 * @param tcp rounds of its tcp provider, which is slow and which no bar is about
 * @param nanos after this time no further round begins; each side does one in any case
 */
record Effort(int ofi4j, int udp, int tcp, long nanos) {
  /** Work that bars compare. */
  static Effort compared(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.rounds(), options.otherRounds(), Long.MAX_VALUE);
  }

  /** Work that bars compare, and that costs tcp no more than other work does. */
  static Effort comparedWithUdp(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.rounds(), 0, Long.MAX_VALUE);
  }

  /** Work that bars of ofi4j alone rest on. */
  static Effort required(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.otherRounds(), 0, Long.MAX_VALUE);
  }

  /** Work that is shown, as often as there is time for. */
  static Effort shown(BenchmarkOptions options, Pace pace) {
    return new Effort(options.rounds(), options.otherRounds(), 0, pace.share());
  }

  /** Work of this library alone that is shown, as often as there is time for. */
  static Effort alone(BenchmarkOptions options, Pace pace) {
    return new Effort(options.rounds(), 0, 0, pace.share());
  }

  /** Whether bars rest on it. */
  boolean isRequired() {
    return nanos == Long.MAX_VALUE;
  }

  int of(Side side) {
    return switch (side) {
      case OFI4J -> ofi4j;
      case OFI4J_FIRST -> 0;
      case UDP -> udp;
      case TCP -> tcp;
    };
  }
}
