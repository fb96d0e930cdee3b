// SPDX-License-Identifier: Apache-2.0
/** The address vector, queues and counters of every provider, for the provider kit alone. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // the modules that may read it are compiled later
module org.ofi4j.core {
  requires transitive org.ofi4j.api;
  requires static jdk.jfr;
  requires static org.jspecify;

  exports org.ofi4j.core.address to
      org.ofi4j.provider.kit;
  exports org.ofi4j.core.av to
      org.ofi4j.provider.kit;
  exports org.ofi4j.core.object to
      org.ofi4j.provider.kit;
  exports org.ofi4j.core.queue to
      org.ofi4j.provider.kit;
}
