package org.ofi4j.provider.net;

import java.util.List;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.spi.FabricProvider;

/**
 * Offers the networks of this host: {@code udp}, datagrams over IPv4 and IPv6. Safe to use from any
 * thread.
 */
public final class NetProvider implements FabricProvider {
  /** A provider; {@link java.util.ServiceLoader} calls this. */
  public NetProvider() {}

  @Override
  public List<String> names() {
    return List.of(UdpOffers.PROVIDER);
  }

  @Override
  public InfoAnswer info(Hints hints) {
    return new UdpOffers(hints).answer();
  }

  @Override
  public Fabric open(FabricInfo info) {
    return new NetFabric(info);
  }
}
