// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Progress;

/** The fabrics that the stress test is for: all that libfabric offers on this machine. */
final class StressProviders {
  /**
   * One that libfabric deprecates, one that {@code net} alone replaces, and one whose {@code
   * fi_cq_read} may not return. The test runs over them if they are named.
   */
  private static final Set<String> LEFT_OUT =
      Set.of("sockets", "libfabric:net;ofi_rxm", "udp;ofi_rxd");

  private static final List<EndpointType> TYPES = List.of(EndpointType.RDM, EndpointType.DGRAM);

  private StressProviders() {}

  /** Their names, as hints have them. */
  static Set<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (EndpointType type : TYPES) {
      Hints hints = Hints.latest().withEndpointType(type);
      for (FabricInfo each : Fabrics.info(hints, List.of(new LibfabricProvider())).offers()) {
        names.add(each.fabric().provider());
      }
    }
    names.removeAll(LEFT_OUT);
    return names;
  }

  /** Actions that libfabric, or ofi4j over it, does not survive over a provider. */
  static Set<StressAction> leftOut(String provider) {
    Set<StressAction> all = EnumSet.of(StressAction.SHORT, StressAction.SEVERAL);
    switch (provider) {
      case "shm" ->
          all.addAll(
              EnumSet.of(
                  StressAction.WILDCARD,
                  StressAction.CLOSE,
                  StressAction.REOPEN,
                  StressAction.ACCESS,
                  StressAction.END,
                  StressAction.EXIT,
                  StressAction.KILL));
      case "tcp;ofi_rxm" ->
          all.addAll(
              EnumSet.of(
                  StressAction.CLOSE,
                  StressAction.REOPEN,
                  StressAction.REMOVE,
                  StressAction.EXIT,
                  StressAction.KILL));
      case "udp;ofi_rxd" ->
          all.addAll(
              EnumSet.of(
                  StressAction.MANY, StressAction.CLOSE, StressAction.REOPEN, StressAction.ACCESS));
      default -> {}
    }
    return all;
  }

  /** An offer of a provider, with what it has of some capabilities. */
  static FabricInfo offer(String provider, Progress progress, Random random) {
    boolean datagrams = provider.equals("libfabric:udp");
    Hints hints =
        (datagrams ? Hints.datagram() : Hints.reliable())
            .withProvider(provider)
            .withProgress(progress);
    if (!provider.equals("shm")) {
      hints = hints.withSource("127.0.0.1:0");
    }
    hints = hints.withCapabilities(Capability.MSG);
    if (!datagrams) {
      hints = hints.withMoreCapabilities(Capability.TAGGED);
    }
    for (Capability each : List.of(Capability.RMA, Capability.MULTI_RECEIVE, Capability.SOURCE)) {
      Hints more = hints.withMoreCapabilities(each);
      if (random.nextInt(4) > 0 && !Fabrics.info(more).offers().isEmpty()) {
        hints = more;
      }
    }
    return Fabrics.info(hints).best();
  }
}
