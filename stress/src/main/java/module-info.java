// SPDX-License-Identifier: Apache-2.0
/**
 * What processes that share a named vector leave when they are killed, {@link
 * org.ofi4j.stress.chaos.Chaos}. The tests of this module put the entries under threads.
 */
@org.jspecify.annotations.NullMarked
module org.ofi4j.stress {
  requires transitive org.ofi4j.benchmarks;
  requires static org.jspecify;

  exports org.ofi4j.stress.chaos;
}
