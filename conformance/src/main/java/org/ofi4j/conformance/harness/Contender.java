// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.spi.FabricProvider;

/**
 * Who is tested, and how patiently.
 *
 * @param providers whom to ask, in order of preference
 * @param name the provider name that offers must bear, or null for the first offer
 * @param patience how long a test waits for something that has to happen
 */
public record Contender(List<FabricProvider> providers, @Nullable String name, Duration patience) {
  /** System property or JUnit configuration parameter that names the provider. */
  public static final String PROVIDER_PROPERTY = "ofi4j.provider";

  /** How long a test waits unless told otherwise. */
  public static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final AddressFormat ANY_FORMAT = AddressFormat.UNSPECIFIED;

  /** Copies the list. */
  public Contender {
    providers = List.copyOf(providers);
  }

  /** The installed providers, with the name of one, or null for the first that serves a test. */
  public static Contender installed(@Nullable String name) {
    return new Contender(Fabrics.providers(), name, PATIENCE);
  }

  /** What it answers to hints. */
  InfoAnswer answer(Hints hints) {
    return Fabrics.info(name == null ? hints : hints.withProvider(name), providers);
  }

  /** The format of addresses where a test does not say one: IPv4, or else what there is. */
  AddressFormat format() {
    return info(Setup.DEFAULT.hints()).addressFormat();
  }

  /**
   * The best offer for hints; aborts the test if there is none, also if offers have another address
   * format, as one for IPv4 and one for IPv6 instead of one for both. Hints without a format are
   * for IPv4, or if there is none for the first format that the suite has addresses of.
   */
  FabricInfo info(Hints hints) {
    AddressFormat format = hints.addressFormat();
    if (format == ANY_FORMAT) {
      FabricInfo preferred = offer(hints, AddressFormat.SOCKADDR_IN);
      return preferred != null ? preferred : required(hints, offer(hints, ANY_FORMAT));
    }
    return required(hints, offer(hints, format));
  }

  private @Nullable FabricInfo offer(Hints hints, AddressFormat format) {
    for (FabricInfo offer : answer(hints.withAddressFormat(format)).offers()) {
      AddressFormat has = offer.addressFormat();
      if (format == ANY_FORMAT ? Addresses.areIn(has) : has == format) {
        return offer;
      }
    }
    return null;
  }

  private FabricInfo required(Hints hints, @Nullable FabricInfo offer) {
    if (offer != null) {
      return offer;
    }
    List<FabricInfo> newest = answer(Hints.latest()).offers();
    if (!newest.isEmpty() && answer(Hints.of(hints.version())).offers().isEmpty()) {
      throw VariantNotOffered.ofVersion(hints, newest.getFirst());
    }
    Hints others = hints.withAddressFormat(ANY_FORMAT).withEndpointType(EndpointType.UNSPECIFIED);
    List<FabricInfo> variants = answer(others).offers();
    if (variants.isEmpty()) {
      List<Refusal> refusals =
          answer(hints).refusals().stream()
              .filter(refusal -> name == null || refusal.provider().equals(name))
              .toList();
      Assumptions.abort(
          refusals.isEmpty()
              ? "there is no provider to test"
              : refusals.stream()
                  .map(Object::toString)
                  .collect(Collectors.joining("; ", "not offered: ", "")));
    }
    throw VariantNotOffered.of(hints, variants);
  }
}
