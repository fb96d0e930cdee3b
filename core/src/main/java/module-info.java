/**
 * The address vector and what every provider shares; open to the providers of this project only.
 */
@org.jspecify.annotations.NullMarked
module org.ofi4j.core {
  requires transitive org.ofi4j.api;
  requires static org.jspecify;
}
