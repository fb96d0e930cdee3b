// SPDX-License-Identifier: Apache-2.0
/**
 * The yardstick: the same work on ofi4j and on the libfabric of this machine, {@link
 * org.ofi4j.benchmarks.vector.AvBenchmark}.
 */
@SuppressWarnings("requires-automatic") // HdrHistogram
@org.jspecify.annotations.NullMarked
module org.ofi4j.benchmarks {
  requires HdrHistogram;
  requires java.management;
  requires transitive org.ofi4j.api;
  requires static org.jspecify;

  exports org.ofi4j.benchmarks.cluster;
  exports org.ofi4j.benchmarks.figure;
  exports org.ofi4j.benchmarks.messaging;
  exports org.ofi4j.benchmarks.named;
  exports org.ofi4j.benchmarks.plot;
  exports org.ofi4j.benchmarks.process;
  exports org.ofi4j.benchmarks.vector;
}
