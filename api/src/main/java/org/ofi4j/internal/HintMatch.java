// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressHint;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;

/**
 * Compares an offer with all hints that it was made for. Providers decide what they offer; {@link
 * Fabrics#info} drops each offer that does not keep a hint, so that an application has what it
 * asked for even if a provider overlooks a hint.
 */
public final class HintMatch {
  private static final String LAYERS = ";";
  private static final char BY_MEANS_OF = ':';

  private final Hints hints;
  private final FabricInfo offer;
  private final List<String> names;

  private HintMatch(Hints hints, FabricInfo offer, List<String> names) {
    this.hints = hints;
    this.offer = offer;
    this.names = names;
  }

  /**
   * Returns the first hint that an offer does not keep, and what the offer has; null if none.
   *
   * @param hints what was asked for
   * @param offer what a provider offers
   * @param names the {@linkplain org.ofi4j.spi.FabricProvider#names names} of that provider
   */
  public static @Nullable String unmet(Hints hints, FabricInfo offer, List<String> names) {
    HintMatch match = new HintMatch(hints, offer, names);
    String unmet = match.interfaceUnmet();
    if (unmet == null) {
      unmet = match.attributesUnmet();
    }
    return unmet == null ? match.sizesUnmet() : unmet;
  }

  private static @Nullable String unless(boolean kept, String hint, Object asked, Object offered) {
    return kept ? null : hint + " " + asked + ": the offer has " + offered;
  }

  private static @Nullable String first(@Nullable String... unmet) {
    return Arrays.stream(unmet).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /** Hints that say which interface it is, and what it can do. */
  private @Nullable String interfaceUnmet() {
    AddressFormat format = hints.addressFormat();
    EndpointType type = hints.endpointType();
    long missing = hints.capabilities() & ~offer.capabilities();
    return first(
        unless(
            offer.apiVersion().equals(hints.version()),
            "API version",
            hints.version(),
            offer.apiVersion()),
        unlessNamed("profile", hints.profile(), offer.profile()),
        unless(
            isOfProvider(hints.provider()),
            "provider",
            String.valueOf(hints.provider()),
            offer.fabric().provider()),
        unlessNamed("fabric", hints.fabric(), offer.fabric().name()),
        unlessNamed("domain", hints.domain(), offer.domain().name()),
        unless(
            type == EndpointType.UNSPECIFIED || type == offer.endpoint().type(),
            "endpoint type",
            type,
            offer.endpoint().type()),
        unless(
            format == AddressFormat.UNSPECIFIED || format.contains(offer.addressFormat()),
            "address format",
            format,
            offer.addressFormat()),
        unless(missing == 0, "capabilities", names(missing), "only " + names(offer.capabilities())),
        addressUnmet("source", hints.source(), offer.source()),
        addressUnmet("destination", hints.destination(), offer.destination()));
  }

  /** Nodes and services are names, which only the provider can compare with an address. */
  private static @Nullable String addressUnmet(
      String hint, @Nullable AddressHint asked, @Nullable FabricAddress offered) {
    boolean differs =
        asked instanceof FabricAddress address
            && offered != null
            && address.format() == offered.format()
            && !address.equals(offered);
    return unless(!differs, hint, String.valueOf(asked), String.valueOf(offered));
  }

  private static @Nullable String unlessNamed(String hint, @Nullable Object asked, Object offered) {
    return unless(asked == null || asked.equals(offered), hint, String.valueOf(asked), offered);
  }

  /**
   * Returns whether the offer is of the provider that was asked for. A name such as {@code a:b} is
   * provider {@code b} by means of {@code a}. A provider serves for itself and for the layers above
   * it, as {@code b;c} is, but only among offers of the provider that the name belongs to: {@code
   * b} and {@code a:b} are different providers.
   */
  private boolean isOfProvider(@Nullable String asked) {
    String offered = offer.fabric().provider();
    return asked == null
        || asked.equals(offered)
        || (belongs(asked) && layers(offered).containsAll(layers(asked)));
  }

  /** Returns whether a name, or the prefix of a name, is one of those that the provider lists. */
  private boolean belongs(String name) {
    String prefix = name.substring(0, name.indexOf(BY_MEANS_OF) + 1);
    return names.contains(name)
        || (!prefix.isEmpty() && names.stream().anyMatch(each -> each.startsWith(prefix)));
  }

  private static Set<String> layers(String name) {
    return Set.copyOf(Arrays.asList(name.substring(name.indexOf(BY_MEANS_OF) + 1).split(LAYERS)));
  }

  private static String names(long capabilities) {
    return Arrays.stream(Capability.values())
        .filter(each -> (capabilities & each.mask()) != 0)
        .map(Capability::name)
        .collect(Collectors.joining(", "));
  }

  /** Hints about how the domain works. */
  private @Nullable String attributesUnmet() {
    FabricInfo.DomainAttributes domain = offer.domain();
    AuthKeyHints keys = hints.authKeys();
    boolean keysInVector = domain.authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
    return first(
        unless(
            hints.vectorType() == VectorType.UNSPECIFIED
                || domain.vectorType() == VectorType.UNSPECIFIED
                || hints.vectorType() == domain.vectorType(),
            "vector type",
            hints.vectorType(),
            domain.vectorType()),
        unless(
            hints.threading() == Threading.UNSPECIFIED
                || domain.threading() == Threading.SAFE
                || hints.threading() == domain.threading(),
            "threading",
            hints.threading(),
            domain.threading()),
        unless(
            hints.progress() != Progress.AUTO || domain.progress() == Progress.AUTO,
            "progress",
            hints.progress(),
            domain.progress()),
        unless(
            !keys.keysInVector() || keysInVector,
            "auth_key_size",
            "FI_AV_AUTH_KEY",
            domain.authKeySize()),
        modesUnmet());
  }

  /**
   * The modes that an offer demands for registered memory must be among the accepted ones. Hints
   * that say nothing accept all but {@link MemoryRegionMode#UNPROTECTED}: {@link
   * MemoryRegion#place} and {@link MemoryRegion#key} hide the other modes.
   */
  private @Nullable String modesUnmet() {
    long accepted = hints.memoryRegionModes();
    long unprotected = MemoryRegionMode.UNPROTECTED.mask();
    long judged = (accepted & ~unprotected) == 0 ? unprotected : -1L;
    long demanded = offer.domain().memoryRegionModes() & judged & ~accepted;
    return unless(
        demanded == 0,
        "mr_mode",
        Flag.names(MemoryRegionMode.class, accepted),
        Flag.names(MemoryRegionMode.class, offer.domain().memoryRegionModes()));
  }

  /** Hints about lengths and numbers. */
  private @Nullable String sizesUnmet() {
    Limits limits = hints.limits();
    return first(
        atLeast("max_group_id", hints.maxGroupId(), offer.domain().maxGroupId()),
        atLeast("tx_ctx_cnt", hints.transmitContexts(), offer.endpoint().transmitContexts()),
        receiveContextsUnmet(),
        atLeast(
            "max_ep_auth_key",
            hints.authKeys().maxEndpointKeys(),
            offer.domain().maxEndpointAuthKeys()),
        atLeast("max_msg_size", limits.maxMessageSize(), offer.endpoint().maxMessageSize()),
        atLeast("inject_size", limits.injectSize(), offer.transmit().injectSize()),
        atLeast("tx_attr.size", limits.transmitSize(), offer.transmit().size()),
        atLeast("rx_attr.size", limits.receiveSize(), offer.receive().size()));
  }

  private @Nullable String receiveContextsUnmet() {
    int asked = hints.receiveContexts();
    int offered = offer.endpoint().receiveContexts();
    boolean shared = asked == FabricInfo.EndpointAttributes.SHARED_CONTEXT;
    return unless(shared ? asked == offered : asked <= offered, "rx_ctx_cnt", asked, offered);
  }

  private static @Nullable String atLeast(String hint, long asked, long offered) {
    return unless(asked <= offered, hint, asked, offered);
  }
}
