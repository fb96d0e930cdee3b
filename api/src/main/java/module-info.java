// SPDX-License-Identifier: Apache-2.0
/**
 * The fabric objects that an application names, and what a provider implements.
 *
 * <p>Needs nothing but {@code java.base}. Providers are found with {@link java.util.ServiceLoader}.
 */
@org.jspecify.annotations.NullMarked
module org.ofi4j.api {
  requires static org.jspecify;

  exports org.ofi4j;
  exports org.ofi4j.historic;
  exports org.ofi4j.spi;

  uses org.ofi4j.spi.FabricProvider;
}
