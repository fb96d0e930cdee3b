// SPDX-License-Identifier: Apache-2.0
/**
 * One test suite for every provider: {@link org.ofi4j.conformance.ConformanceSuite} runs it and
 * says, rule by rule, what holds.
 */
@org.jspecify.annotations.NullMarked
module org.ofi4j.conformance {
  requires transitive org.ofi4j.api;
  requires java.management;
  requires org.assertj.core;
  requires org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.junit.platform.launcher;
  requires static org.jspecify;

  exports org.ofi4j.conformance;

  opens org.ofi4j.conformance.harness to
      org.junit.platform.commons;
  opens org.ofi4j.conformance.rules to
      org.junit.platform.commons;
}
