// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.spi.FabricProvider;
import org.ofi4j.spi.VectorDomain;

/**
 * Offers the networks of this host, IPv4 and IPv6: {@code udp} for datagrams, {@code tcp} for
 * reliable messages. Safe to use from any thread. Two providers are equal, and so are equal offers
 * of theirs.
 */
public record NetProvider() implements FabricProvider {
  @Override
  public List<String> names() {
    return Arrays.stream(Protocol.values()).map(Protocol::provider).distinct().toList();
  }

  @Override
  public List<VectorDomain> vectorDomains() {
    return KitFabric.vectorDomains(names()::contains);
  }

  @Override
  public InfoAnswer info(Hints hints) {
    List<FabricInfo> offers = new ArrayList<>();
    List<Refusal> refusals = new ArrayList<>();
    for (Protocol protocol : Protocol.values()) {
      if (isAsked(protocol, hints)) {
        InfoAnswer answer = new Offers(protocol, hints).answer();
        offers.addAll(answer.offers());
        if (speaksFor(protocol, hints)) {
          refusals.addAll(answer.refusals());
        }
      }
    }
    return new InfoAnswer(offers, refusals);
  }

  private static boolean isAsked(Protocol protocol, Hints hints) {
    String provider = hints.provider();
    return (provider == null || !Protocol.isKnown(provider) || protocol.provider().equals(provider))
        && (speaksFor(protocol, hints) || hints.endpointType() == EndpointType.UNSPECIFIED);
  }

  /**
   * Whether what a protocol refuses is what its provider refuses: over TCP endpoints with many
   * peers can do all that those with one can, so the latter have a say only where they are asked
   * for.
   */
  private static boolean speaksFor(Protocol protocol, Hints hints) {
    boolean connected = hints.endpointType() == EndpointType.MSG;
    return switch (protocol) {
      case UDP -> true;
      case TCP -> !connected;
      case CONNECTED_TCP -> connected;
    };
  }

  @Override
  public Fabric open(FabricInfo info) {
    return new KitFabric(info, new NetFabric(info));
  }

  @Override
  public String toString() {
    return "provider of udp and tcp";
  }
}
