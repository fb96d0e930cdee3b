// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.provider.kit.DomainTransport;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.FabricTransport;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.provider.kit.PassiveTransport;
import org.ofi4j.provider.libfabric.connection.ListeningEndpoint;
import org.ofi4j.provider.libfabric.endpoint.LibfabricDomain;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.offer.NativeOffers;

/** A fabric of the installed libfabric. */
final class LibfabricFabric implements FabricTransport {
  private final Libfabric library;
  private final NativeFabric fabric;

  private LibfabricFabric(Libfabric library, NativeFabric fabric) {
    this.library = library;
    this.fabric = fabric;
  }

  static KitFabric open(Libfabric library, FabricInfo info) {
    try (NativeInfo found = NativeOffers.find(library, info)) {
      return new KitFabric(info, new LibfabricFabric(library, new NativeFabric(library, found)));
    }
  }

  @Override
  public DomainTransport openDomain(Fabric opened, FabricInfo info) {
    return LibfabricDomain.open(library, fabric, info);
  }

  @Override
  public PassiveTransport listen(
      Fabric opened,
      PassiveEndpoint endpoint,
      FabricInfo info,
      Events events,
      PassiveOptions options) {
    FabricAddress source = info.source();
    if (source != null) {
      NativeAddress.checkFormat(source, info.addressFormat(), "the information");
    }
    NativeInfo found = NativeOffers.find(library, info);
    return new ListeningEndpoint(library, found, info, endpoint, events, options);
  }

  @Override
  public void close() {
    fabric.close();
  }
}
