// SPDX-License-Identifier: Apache-2.0
/**
 * The parts of a provider that are the same for every transport: {@link org.ofi4j.provider.kit}.
 *
 * <p>A provider outside this project requires this module and {@code org.ofi4j.api} alone.
 */
@org.jspecify.annotations.NullMarked
module org.ofi4j.provider.kit {
  requires transitive org.ofi4j.api;
  requires org.ofi4j.core;
  requires static org.jspecify;

  exports org.ofi4j.provider.kit;
}
