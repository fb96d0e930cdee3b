// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.Progress;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** The fabrics that the stress test is for. */
final class StressProviders {
  /**
   * Others run if they are named: {@code tcp;ofi_rxm} before 2.7 ends the process when a peer ends,
   * and {@code fi_cq_read} of {@code udp;ofi_rxd} may not return.
   */
  private static final List<String> NAMES = List.of("shm", "net", "libfabric:tcp", "libfabric:udp");

  private static final Set<StressAction> ENDS_OF_PEERS =
      EnumSet.of(
          StressAction.CLOSE,
          StressAction.REOPEN,
          StressAction.REMOVE,
          StressAction.EXIT,
          StressAction.KILL);

  private static final Set<StressAction> NOTHING = EnumSet.noneOf(StressAction.class);

  private StressProviders() {}

  /** Returns the names of those that libfabric has on this machine, without a layer above. */
  static List<String> names() {
    return NAMES.stream().filter(StressProviders::isThere).toList();
  }

  private static boolean isThere(String name) {
    return Fabrics.info(hints(name)).offers().stream()
        .anyMatch(offer -> offer.fabric().provider().equals(name));
  }

  /** Returns the actions that libfabric does not survive over a provider. */
  static Set<StressAction> leftOut(String provider) {
    Libfabric library = Libfabric.present();
    return switch (provider) {
      case "shm" -> library.isBefore(1, 19) ? EnumSet.of(StressAction.WILDCARD) : NOTHING;
      case "tcp;ofi_rxm" -> library.isBefore(2, 7) ? ENDS_OF_PEERS : NOTHING;
      case "udp;ofi_rxd" ->
          EnumSet.of(
              StressAction.MANY, StressAction.CLOSE, StressAction.REOPEN, StressAction.ACCESS);
      default -> NOTHING;
    };
  }

  private static Hints hints(String provider) {
    return (isDatagrams(provider) ? Hints.datagram() : Hints.reliable()).withProvider(provider);
  }

  private static boolean isDatagrams(String provider) {
    return provider.equals("libfabric:udp");
  }

  /** An offer of a provider, with what it has of some capabilities. */
  static FabricInfo offer(String provider, Progress progress, Random random) {
    Hints hints = hints(provider).withProgress(progress);
    if (!provider.equals("shm")) {
      hints = hints.withSource("127.0.0.1:0");
    }
    hints = hints.withCapabilities(Capability.MSG);
    if (!isDatagrams(provider)) {
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
