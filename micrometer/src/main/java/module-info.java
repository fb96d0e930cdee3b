// SPDX-License-Identifier: Apache-2.0
/**
 * The statistics of vectors, endpoints and queues as meters of Micrometer: {@link
 * org.ofi4j.micrometer.FabricMetrics}.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer
@org.jspecify.annotations.NullMarked
module org.ofi4j.micrometer {
  requires transitive micrometer.core;
  requires transitive org.ofi4j.api;
  requires static org.jspecify;

  exports org.ofi4j.micrometer;
}
