// SPDX-License-Identifier: Apache-2.0
/** The installed libfabric under the same API, through the foreign function interface. */
@org.jspecify.annotations.NullMarked
module org.ofi4j.provider.libfabric {
  requires org.ofi4j.api;
  requires org.ofi4j.provider.kit;
  requires static org.jspecify;

  provides org.ofi4j.spi.FabricProvider with
      org.ofi4j.provider.libfabric.LibfabricProvider;
}
