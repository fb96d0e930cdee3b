// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * The hints of {@code fi_getinfo}: what an application needs. Everything but the version may stay
 * unsaid. Immutable; each {@code with} method gives a changed copy, in which what it says replaces
 * what was said before.
 *
 * @param version the version of the interface that the application is written against
 * @param profile the edition of fi_av(3); only version 1.0 leaves a choice. Null if it does not
 *     matter
 * @param provider name of the one provider to ask, such as {@code udp} or {@code tcp}; null for all
 * @param fabric name of the fabric; null for any
 * @param domain name of the domain; null for any
 * @param endpointType what endpoints must promise
 * @param addressFormat format of addresses
 * @param capabilities bits of {@link Capability} that are needed; 0 takes what a provider offers
 * @param source where the endpoint is to be: {@code src_addr}, or node and service with {@code
 *     FI_SOURCE}; null if it does not matter
 * @param destination where its peer is: {@code dest_addr}, or node and service, which select the
 *     interface that leads there; null if it does not matter
 * @param resolver what resolves a node that is a name; null for the JDK's resolver
 * @param vectorType the only vector type that will be opened
 * @param threading how much locking the provider must do
 * @param progress who moves the data
 * @param maxGroupId {@code max_group_id}: the largest peer group needed, 0 for none
 * @param transmitContexts {@code tx_ctx_cnt}: transmit contexts needed on one endpoint, 0 for one
 * @param receiveContexts {@code rx_ctx_cnt}: receive contexts needed on one endpoint, 0 for one;
 *     {@link FabricInfo.EndpointAttributes#SHARED_CONTEXT} for endpoints that share their receives
 * @param limits how long messages are, and how many operations are under way
 * @param authKeys which authorization keys endpoints are to have
 * @param memoryRegionModes {@code mr_mode}: bits of {@link MemoryRegionMode} that the application
 *     is prepared for when it registers memory
 */
public record Hints(
    ApiVersion version,
    @Nullable Profile profile,
    @Nullable String provider,
    @Nullable String fabric,
    @Nullable String domain,
    EndpointType endpointType,
    AddressFormat addressFormat,
    long capabilities,
    @Nullable AddressHint source,
    @Nullable AddressHint destination,
    @Nullable AddressResolver resolver,
    VectorType vectorType,
    Threading threading,
    Progress progress,
    int maxGroupId,
    int transmitContexts,
    int receiveContexts,
    Limits limits,
    AuthKeyHints authKeys,
    long memoryRegionModes) {
  /** Refuses nulls; what is said is judged by providers. */
  public Hints {
    Arguments.required(version, "version");
    Arguments.required(endpointType, "endpointType");
    Arguments.required(addressFormat, "addressFormat");
    Arguments.required(vectorType, "vectorType");
    Arguments.required(threading, "threading");
    Arguments.required(progress, "progress");
    Arguments.required(limits, "limits");
    Arguments.required(authKeys, "authKeys");
  }

  /**
   * {@return hints that say nothing but the version}
   *
   * @param version the version of the interface that the application is written against
   */
  public static Hints of(ApiVersion version) {
    return new HintsCopy(version).hints();
  }

  /** {@return hints that say nothing but the newest version} */
  public static Hints latest() {
    return of(ApiVersion.LATEST);
  }

  /** {@return hints for endpoints of type DGRAM, in the newest version} */
  public static Hints datagram() {
    return latest().withEndpointType(EndpointType.DGRAM);
  }

  /** {@return hints for endpoints of type RDM, in the newest version} */
  public static Hints reliable() {
    return latest().withEndpointType(EndpointType.RDM);
  }

  /** {@return hints for endpoints of type MSG, with one peer each, in the newest version} */
  public static Hints connected() {
    return latest().withEndpointType(EndpointType.MSG);
  }

  private Hints with(Consumer<HintsCopy> change) {
    HintsCopy copy = new HintsCopy(this);
    change.accept(copy);
    return copy.hints();
  }

  /**
   * {@return a copy for another edition}
   *
   * @param profile the edition of fi_av(3); null if it does not matter
   */
  public Hints withProfile(@Nullable Profile profile) {
    return with(copy -> copy.profile = profile);
  }

  /**
   * {@return a copy for another provider}
   *
   * @param provider name of the one provider to ask, such as {@code udp} or {@code tcp}; null for
   *     all
   */
  public Hints withProvider(@Nullable String provider) {
    return with(copy -> copy.provider = provider);
  }

  /**
   * {@return a copy for another fabric}
   *
   * @param fabric name of the fabric; null for any
   */
  public Hints withFabric(@Nullable String fabric) {
    return with(copy -> copy.fabric = fabric);
  }

  /**
   * {@return a copy for another domain}
   *
   * @param domain name of the domain; null for any
   */
  public Hints withDomain(@Nullable String domain) {
    return with(copy -> copy.domain = domain);
  }

  /**
   * {@return a copy for another endpoint type}
   *
   * @param endpointType what endpoints must promise
   */
  public Hints withEndpointType(EndpointType endpointType) {
    return with(copy -> copy.endpointType = endpointType);
  }

  /**
   * {@return a copy with another address format}
   *
   * @param addressFormat format of addresses
   */
  public Hints withAddressFormat(AddressFormat addressFormat) {
    return with(copy -> copy.addressFormat = addressFormat);
  }

  /**
   * {@return a copy with other capabilities}
   *
   * @param capabilities what is needed; none takes what a provider offers
   */
  public Hints withCapabilities(Capability... capabilities) {
    return withCapabilities(Flag.maskOf(capabilities));
  }

  /**
   * {@return a copy with other capabilities}
   *
   * @param capabilities bits of {@link Capability}; 0 takes what a provider offers
   */
  public Hints withCapabilities(long capabilities) {
    return with(copy -> copy.capabilities = capabilities);
  }

  /**
   * {@return a copy with capabilities beside those that are needed already}
   *
   * @param more what is needed too
   */
  public Hints withMoreCapabilities(Capability... more) {
    return withCapabilities(capabilities | Flag.maskOf(more));
  }

  /**
   * {@return a copy with another local address}
   *
   * @param source where the endpoint is to be; null if it does not matter
   */
  public Hints withSource(@Nullable AddressHint source) {
    return with(copy -> copy.source = source);
  }

  /**
   * {@return a copy with another local address, given as text}
   *
   * @param text as {@link NodeService#parse} takes it, such as {@code 127.0.0.1:0}
   * @throws FabricException as {@link NodeService#parse}
   */
  public Hints withSource(String text) {
    return withSource(NodeService.parse(text));
  }

  /**
   * {@return a copy with another peer}
   *
   * @param destination where the endpoint's peer is; null if it does not matter
   */
  public Hints withDestination(@Nullable AddressHint destination) {
    return with(copy -> copy.destination = destination);
  }

  /**
   * {@return a copy with another peer, given as text}
   *
   * @param text as {@link NodeService#parse} takes it, such as {@code myhost:5000}
   * @throws FabricException as {@link NodeService#parse}
   */
  public Hints withDestination(String text) {
    return withDestination(NodeService.parse(text));
  }

  /**
   * {@return a copy with another resolver}
   *
   * @param resolver what resolves a node that is a name; null for the JDK's resolver
   */
  public Hints withResolver(@Nullable AddressResolver resolver) {
    return with(copy -> copy.resolver = resolver);
  }

  /**
   * {@return a copy with another vector type}
   *
   * @param vectorType the only vector type that will be opened
   */
  public Hints withVectorType(VectorType vectorType) {
    return with(copy -> copy.vectorType = vectorType);
  }

  /**
   * {@return a copy with other locking}
   *
   * @param threading how much locking the provider must do
   */
  public Hints withThreading(Threading threading) {
    return with(copy -> copy.threading = threading);
  }

  /**
   * {@return a copy with other progress}
   *
   * @param progress who moves the data
   */
  public Hints withProgress(Progress progress) {
    return with(copy -> copy.progress = progress);
  }

  /**
   * {@return a copy with another largest group}
   *
   * @param maxGroupId the largest peer group needed, 0 for none
   */
  public Hints withMaxGroupId(int maxGroupId) {
    return with(copy -> copy.maxGroupId = maxGroupId);
  }

  /**
   * {@return a copy with other numbers of contexts}
   *
   * @param transmit transmit contexts needed on one endpoint, 0 for one
   * @param receive receive contexts needed on one endpoint, 0 for one; or {@link
   *     FabricInfo.EndpointAttributes#SHARED_CONTEXT}
   */
  public Hints withContexts(int transmit, int receive) {
    return with(copy -> {
      copy.transmitContexts = transmit;
      copy.receiveContexts = receive;
    });
  }

  /**
   * {@return a copy with other limits}
   *
   * @param limits how long messages are, and how many operations are under way
   */
  public Hints withLimits(Limits limits) {
    return with(copy -> copy.limits = limits);
  }

  /**
   * {@return a copy with other authorization keys}
   *
   * @param authKeys which authorization keys endpoints are to have
   */
  public Hints withAuthKeys(AuthKeyHints authKeys) {
    return with(copy -> copy.authKeys = authKeys);
  }

  /**
   * {@return a copy with other modes of memory}
   *
   * @param modes what the application is prepared for
   */
  public Hints withMemoryRegionModes(MemoryRegionMode... modes) {
    return withMemoryRegionModes(Flag.maskOf(modes));
  }

  /**
   * {@return a copy with other modes of memory}
   *
   * @param modes bits of {@link MemoryRegionMode} that the application is prepared for
   */
  public Hints withMemoryRegionModes(long modes) {
    return with(copy -> copy.memoryRegionModes = modes);
  }

  /** What is said; what is not is left out. No byte of a key is shown. */
  @Override
  public String toString() {
    Hints unsaid = of(version);
    StringJoiner said = new StringJoiner(", ", "Hints[", "]");
    said.add("version=" + version);
    add(said, "profile", profile, unsaid.profile);
    add(said, "provider", provider, unsaid.provider);
    add(said, "fabric", fabric, unsaid.fabric);
    add(said, "domain", domain, unsaid.domain);
    add(said, "endpointType", endpointType, unsaid.endpointType);
    add(said, "addressFormat", addressFormat, unsaid.addressFormat);
    add(said, "capabilities", Flag.names(Capability.class, capabilities), "0");
    add(said, "source", source, unsaid.source);
    add(said, "destination", destination, unsaid.destination);
    add(said, "resolver", resolver, unsaid.resolver);
    add(said, "vectorType", vectorType, unsaid.vectorType);
    add(said, "threading", threading, unsaid.threading);
    add(said, "progress", progress, unsaid.progress);
    add(said, "maxGroupId", maxGroupId, unsaid.maxGroupId);
    add(said, "transmitContexts", transmitContexts, unsaid.transmitContexts);
    add(said, "receiveContexts", receiveContexts, unsaid.receiveContexts);
    add(said, "limits", limits, unsaid.limits);
    add(said, "authKeys", authKeys, unsaid.authKeys);
    add(said, "memoryRegionModes", Flag.names(MemoryRegionMode.class, memoryRegionModes), "0");
    return said.toString();
  }

  private static void add(
      StringJoiner said, String name, @Nullable Object value, @Nullable Object unsaid) {
    if (!Objects.equals(value, unsaid)) {
      said.add(name + "=" + value);
    }
  }
}
