package org.ofi4j.provider.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.spi.FabricProvider;

/**
 * Offers the networks of this host, IPv4 and IPv6: {@code udp} for datagrams, {@code tcp} for
 * reliable messages. Safe to use from any thread.
 */
public final class NetProvider implements FabricProvider {
  /** A provider; {@link java.util.ServiceLoader} calls this. */
  public NetProvider() {}

  @Override
  public List<String> names() {
    return Arrays.stream(Protocol.values()).map(Protocol::provider).toList();
  }

  @Override
  public InfoAnswer info(Hints hints) {
    List<FabricInfo> offers = new ArrayList<>();
    List<Refusal> refusals = new ArrayList<>();
    for (Protocol protocol : Protocol.values()) {
      String asked = hints.provider();
      if (asked == null || Protocol.of(asked) == null || protocol.provider().equals(asked)) {
        InfoAnswer answer = new Offers(protocol, hints).answer();
        offers.addAll(answer);
        refusals.addAll(answer.refusals());
      }
    }
    return new InfoAnswer(offers, refusals);
  }

  @Override
  public Fabric open(FabricInfo info) {
    return new NetFabric(info);
  }
}
