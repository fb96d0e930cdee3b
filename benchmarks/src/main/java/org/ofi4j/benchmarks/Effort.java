package org.ofi4j.benchmarks;

/**
 * How many rounds each side does after warm-up; 0 for none at all.
 *
 * @param ofi4j rounds of this library
 * @param udp rounds of libfabric's udp provider
 * @param tcp rounds of its tcp provider, which is slow and which no bar is about
 */
record Effort(int ofi4j, int udp, int tcp) {
  /** Work that bars compare. */
  static Effort compared(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.rounds(), options.otherRounds());
  }

  /** Work that is shown beside libfabric's, and no more. */
  static Effort shown(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.otherRounds(), 0);
  }

  /** Work that bars compare, and of tcp the least that can be shown. */
  static Effort comparedWithUdp(BenchmarkOptions options) {
    return new Effort(options.rounds(), options.rounds(), 1);
  }

  /** Work that is shown beside the least of udp. */
  static Effort glimpsed(BenchmarkOptions options) {
    return new Effort(options.rounds(), 1, 0);
  }

  /** Work of this library alone. */
  static Effort alone(BenchmarkOptions options) {
    return new Effort(options.rounds(), 0, 0);
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
