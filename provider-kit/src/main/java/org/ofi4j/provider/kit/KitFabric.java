// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.av.CoreSharedVectors;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.spi.FabricProvider;
import org.ofi4j.spi.VectorDomain;

/**
 * A fabric as applications call it: its event queues are the kit's, and the rest goes to a {@link
 * FabricTransport}.
 */
public final class KitFabric extends CoreObject implements Fabric {
  private final FabricInfo info;
  private final FabricTransport transport;

  /**
   * Opens a fabric.
   *
   * @param info an offer of the provider
   * @param transport the fabric as the provider implements it; closed with this
   */
  public KitFabric(FabricInfo info, FabricTransport transport) {
    this.info = info;
    this.transport = transport;
  }

  /**
   * Returns the domains of a provider that have named vectors with files, offered now or not, for
   * {@link FabricProvider#vectorDomains}.
   *
   * @param names returns whether a name is that of a provider whose domains are wanted
   * @return the domains
   */
  public static List<VectorDomain> vectorDomains(Predicate<String> names) {
    return CoreSharedVectors.domains(names);
  }

  FabricTransport transport() {
    return transport;
  }

  @Override
  protected void release() {
    transport.close();
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public Domain openDomain(FabricInfo domainInfo, @Nullable Object context) {
    checkFits(domainInfo);
    return new KitDomain(this, domainInfo, transport.openDomain(this, domainInfo), context);
  }

  @Override
  public PassiveEndpoint openPassiveEndpoint(FabricInfo endpointInfo, PassiveOptions options) {
    checkFits(endpointInfo);
    if (endpointInfo.endpoint().type() != EndpointType.MSG) {
      throw unsupported(
          "endpoints of type "
              + endpointInfo.endpoint().type()
              + " do not connect: ask for information with type MSG");
    }
    return KitPassiveEndpoint.open(this, endpointInfo, required(options, "options"));
  }

  private void checkFits(FabricInfo given) {
    lifetime.checkOpen();
    if (!required(given, "info").fabric().equals(info.fabric())) {
      throw invalid("information of " + given.fabric() + " does not fit " + this);
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
