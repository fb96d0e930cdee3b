// SPDX-License-Identifier: Apache-2.0
/** A provider within one JVM, which shows how a provider is written. */
module org.example.loopback {
  requires org.ofi4j.api;
  requires org.ofi4j.provider.kit;

  provides org.ofi4j.spi.FabricProvider with
      org.example.loopback.LoopbackProvider;

  exports org.example.loopback;
}
