// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.opentest4j.TestAbortedException;

/**
 * Aborts a test that needs an API version, addresses of a format, or endpoints of a type, that the
 * provider has not, though it offers all else. Where the same test passes with others, its rules
 * are proven: fabrics have one format or a few, which not all versions know, and reliable endpoints
 * or datagrams, and the rules are the same for all.
 */
public final class VariantNotOffered extends TestAbortedException {
  private static final long serialVersionUID = 1;

  private VariantNotOffered(String asked, FabricInfo other, String has) {
    super("not offered: %s: %s has %s".formatted(asked, other.fabric().provider(), has));
  }

  /**
   * Nothing is offered to the version of hints.
   *
   * @param newer what is offered to the newest
   */
  static VariantNotOffered ofVersion(Hints hints, FabricInfo newer) {
    return new VariantNotOffered("API version " + hints.version(), newer, "newer ones only");
  }

  /**
   * Nothing is offered of the format or the type of hints.
   *
   * @param others what is offered to the same hints without format and type
   */
  static VariantNotOffered of(Hints hints, List<FabricInfo> others) {
    EndpointType type = hints.endpointType();
    AddressFormat format = hints.addressFormat();
    if (type != EndpointType.UNSPECIFIED
        && others.stream().noneMatch(offer -> offer.endpoint().type() == type)) {
      return of("endpoint type " + type, others, offer -> offer.endpoint().type());
    }
    return of("address format " + format, others, FabricInfo::addressFormat);
  }

  private static VariantNotOffered of(
      String asked, List<FabricInfo> others, Function<FabricInfo, ?> part) {
    return new VariantNotOffered(
        asked,
        others.getFirst(),
        others.stream()
            .map(offer -> part.apply(offer).toString())
            .distinct()
            .collect(Collectors.joining(", ")));
  }
}
