// SPDX-License-Identifier: Apache-2.0
/** Endpoints over UDP and TCP with the channels of the JDK. */
@org.jspecify.annotations.NullMarked
module org.ofi4j.provider.net {
  requires org.ofi4j.api;
  requires org.ofi4j.provider.kit;
  requires static jdk.jfr;
  requires static org.jspecify;

  provides org.ofi4j.spi.FabricProvider with
      org.ofi4j.provider.net.NetProvider;
}
