/** One test suite for every provider. */
@org.jspecify.annotations.NullMarked
module org.ofi4j.conformance {
  requires transitive org.ofi4j.api;
  requires org.assertj.core;
  requires org.junit.jupiter.api;
  requires org.junit.jupiter.params;
  requires org.junit.platform.launcher;
  requires static org.jspecify;
}
