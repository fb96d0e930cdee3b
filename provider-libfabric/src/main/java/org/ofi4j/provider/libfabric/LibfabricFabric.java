// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.libfabric.connection.ListeningEndpoint;
import org.ofi4j.provider.libfabric.endpoint.DomainResources;
import org.ofi4j.provider.libfabric.fault.RegionProtection;
import org.ofi4j.provider.libfabric.library.InfoQuery;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;

/** One fabric of libfabric's. */
final class LibfabricFabric extends CoreObject implements Fabric {
  private final Libfabric library;
  private final FabricInfo info;
  private final NativeFabric fabric;

  private LibfabricFabric(Libfabric library, FabricInfo info, NativeFabric fabric) {
    this.library = library;
    this.info = info;
    this.fabric = fabric;
  }

  static LibfabricFabric open(Libfabric library, FabricInfo info) {
    try (NativeInfo found = find(library, info)) {
      return new LibfabricFabric(library, info, NativeFabric.open(library, found));
    }
  }

  /** Asks libfabric once more for an offer; it is the caller's to close. */
  static NativeInfo find(Libfabric library, FabricInfo info) {
    return find(library, info, 0);
  }

  private static NativeInfo find(Libfabric library, FabricInfo info, long more) {
    long caps = NativeOffers.toNative(info.capabilities());
    InfoQuery query =
        new InfoQuery(
            ProviderNames.toNative(info.fabric().provider()),
            info.fabric().name(),
            info.domain().name(),
            info.endpoint().type().number(),
            info.addressFormat().number(),
            caps | more,
            info.source() == null ? null : info.source().toBytes(),
            null,
            null,
            null,
            0,
            new InfoQuery.Sizes(0, info.transmit().size(), info.receive().size()));
    NativeInfo found = null;
    for (NativeInfo each : query.ask(library)) {
      // A name may stand for layers above it too, such as net for net;ofi_rxm.
      if (found == null && Objects.equals(each.providerName(), query.provider())) {
        found = each;
      } else {
        each.close();
      }
    }
    if (found == null) {
      throw new FabricException(
          Errno.ENODATA,
          "libfabric offers %s %s no longer: ask for information again"
              .formatted(info.fabric().provider(), info.domain().name()));
    }
    return found;
  }

  /** Whether libfabric has an interface with more capabilities than an offer names. */
  boolean grants(FabricInfo offer, long capabilities) {
    try (NativeInfo found = find(library, offer, capabilities)) {
      return (found.capabilities() & capabilities) == capabilities;
    } catch (FabricException refused) {
      if (refused.errno() == Errno.ENODATA) {
        return false;
      }
      throw refused;
    }
  }

  @Override
  protected void release() {
    fabric.close();
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public Domain openDomain(FabricInfo domainInfo, @Nullable Object context) {
    lifetime.checkOpen();
    required(domainInfo, "info");
    checkFits(domainInfo);
    RegionProtection.check(ProviderNames.toNative(info.fabric().provider()), domainInfo);
    NativeInfo found = find(library, domainInfo);
    DomainResources resources;
    try {
      resources =
          new DomainResources(
              library,
              fabric,
              found,
              domainInfo.has(Capability.SOURCE),
              DirectedReceives.of(domainInfo).any());
    } catch (RuntimeException | Error refused) {
      found.close();
      throw refused;
    }
    try {
      return new LibfabricDomain(this, domainInfo, resources, context);
    } catch (RuntimeException | Error refused) {
      resources.close();
      throw refused;
    }
  }

  private void checkFits(FabricInfo given) {
    if (!given.fabric().equals(info.fabric())) {
      throw invalid("information of " + given.fabric() + " does not fit " + this);
    }
  }

  @Override
  public PassiveEndpoint openPassiveEndpoint(FabricInfo endpointInfo, PassiveOptions options) {
    lifetime.checkOpen();
    required(options, "options");
    checkFits(required(endpointInfo, "info"));
    if (endpointInfo.endpoint().type() != EndpointType.MSG) {
      throw unsupported(
          "endpoints of type "
              + endpointInfo.endpoint().type()
              + " do not connect: ask for information with type MSG");
    }
    FabricAddress address = options.address();
    if (address != null) {
      NativeAddress.checkFormat(address, endpointInfo.addressFormat(), "the information");
    }
    FabricInfo own = address == null ? endpointInfo : endpointInfo.withSource(address);
    NativeInfo found = find(library, own);
    try {
      return ListeningEndpoint.open(this, library, found, own, options);
    } catch (RuntimeException | Error refused) {
      found.close();
      throw refused;
    }
  }

  @Override
  public EventQueue openEventQueue(EventQueueOptions options) {
    lifetime.checkOpen();
    return new CoreEventQueue(this, lifetime, required(options, "options"));
  }

  @Override
  public String toString() {
    return "fabric " + info.fabric().provider() + " " + info.fabric().name();
  }
}
