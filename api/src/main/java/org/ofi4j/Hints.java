// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;

/**
 * The hints of {@code fi_getinfo}: what an application needs. Everything but the version may stay
 * unsaid. Immutable; each {@code with} method gives a changed copy, in which what it says replaces
 * what was said before. Equal to hints with equal values.
 */
public final class Hints {
  private final Values values;

  private Hints(Values values) {
    this.values = values;
  }

  /**
   * {@return hints that say nothing but the version}
   *
   * @param version the version of the interface that the application is written against
   */
  public static Hints of(ApiVersion version) {
    return new Hints(new Values(Arguments.required(version, "version")));
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

  private Hints with(Consumer<Values> change) {
    Values copy = values.copy();
    change.accept(copy);
    return new Hints(copy);
  }

  /** {@return the version of the interface that the application is written against} */
  public ApiVersion version() {
    return values.version;
  }

  /**
   * {@return the edition of fi_av(3), which only version 1.0 leaves open; null if it does not
   * matter}
   */
  public @Nullable Profile profile() {
    return values.profile;
  }

  /** {@return the name of the one provider to ask; null for all} */
  public @Nullable String provider() {
    return values.provider;
  }

  /** {@return the name of the fabric; null for any} */
  public @Nullable String fabric() {
    return values.fabric;
  }

  /** {@return the name of the domain; null for any} */
  public @Nullable String domain() {
    return values.domain;
  }

  /** {@return what endpoints must promise} */
  public EndpointType endpointType() {
    return values.endpointType;
  }

  /** {@return the format of addresses} */
  public AddressFormat addressFormat() {
    return values.addressFormat;
  }

  /** {@return bits of {@link Capability} that are needed; 0 takes what a provider offers} */
  public long capabilities() {
    return values.capabilities;
  }

  /** {@return where the endpoint is to be; null if it does not matter} */
  public @Nullable AddressHint source() {
    return values.source;
  }

  /** {@return where its peer is; null if it does not matter} */
  public @Nullable AddressHint destination() {
    return values.destination;
  }

  /** {@return what resolves a node that is a name; null for the JDK's resolver} */
  public @Nullable AddressResolver resolver() {
    return values.resolver;
  }

  /** {@return the only vector type that will be opened} */
  public VectorType vectorType() {
    return values.vectorType;
  }

  /** {@return how much locking the provider must do} */
  public Threading threading() {
    return values.threading;
  }

  /** {@return who moves the data} */
  public Progress progress() {
    return values.progress;
  }

  /** {@return the largest peer group needed, 0 for none} */
  public int maxGroupId() {
    return values.maxGroupId;
  }

  /** {@return transmit contexts needed on one endpoint, 0 for one} */
  public int transmitContexts() {
    return values.transmitContexts;
  }

  /**
   * {@return receive contexts needed on one endpoint, 0 for one; {@link
   * FabricInfo.EndpointAttributes#SHARED_CONTEXT} for endpoints that share their receives}
   */
  public int receiveContexts() {
    return values.receiveContexts;
  }

  /** {@return how long messages are, and how many operations are under way} */
  public Limits limits() {
    return values.limits;
  }

  /** {@return which authorization keys endpoints are to have} */
  public AuthKeyHints authKeys() {
    return values.authKeys;
  }

  /** {@return bits of {@link MemoryRegionMode} that the application is prepared for} */
  public long memoryRegionModes() {
    return values.memoryRegionModes;
  }

  /**
   * {@return a copy for another edition}
   *
   * @param profile the edition of fi_av(3); only version 1.0 leaves a choice. Null if it does not
   *     matter
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
    return with(copy -> copy.endpointType = Arguments.required(endpointType, "endpointType"));
  }

  /**
   * {@return a copy with another address format}
   *
   * @param addressFormat format of addresses
   */
  public Hints withAddressFormat(AddressFormat addressFormat) {
    return with(copy -> copy.addressFormat = Arguments.required(addressFormat, "addressFormat"));
  }

  /**
   * {@return a copy with other capabilities}
   *
   * @param capabilities what is needed; none takes what a provider offers
   */
  public Hints withCapabilities(Capability... capabilities) {
    return with(copy -> copy.capabilities = Flag.maskOf(capabilities));
  }

  /**
   * {@return a copy with capabilities beside those that are needed already}
   *
   * @param more what is needed too
   */
  public Hints withMoreCapabilities(Capability... more) {
    return with(copy -> copy.capabilities |= Flag.maskOf(more));
  }

  /**
   * {@return a copy with another local address}
   *
   * @param source where the endpoint is to be: {@code src_addr}, or node and service with {@code
   *     FI_SOURCE}; null if it does not matter
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
   * @param destination where the endpoint's peer is: {@code dest_addr}, or node and service, which
   *     select the interface that leads there; null if it does not matter
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
    return with(copy -> copy.vectorType = Arguments.required(vectorType, "vectorType"));
  }

  /**
   * {@return a copy with other locking}
   *
   * @param threading how much locking the provider must do
   */
  public Hints withThreading(Threading threading) {
    return with(copy -> copy.threading = Arguments.required(threading, "threading"));
  }

  /**
   * {@return a copy with other progress}
   *
   * @param progress who moves the data
   */
  public Hints withProgress(Progress progress) {
    return with(copy -> copy.progress = Arguments.required(progress, "progress"));
  }

  /**
   * {@return a copy with another largest group}
   *
   * @param maxGroupId {@code max_group_id}: the largest peer group needed, 0 for none
   */
  public Hints withMaxGroupId(int maxGroupId) {
    return with(copy -> copy.maxGroupId = maxGroupId);
  }

  /**
   * {@return a copy with another number of transmit contexts}
   *
   * @param contexts {@code tx_ctx_cnt}: transmit contexts needed on one endpoint, 0 for one
   */
  public Hints withTransmitContexts(int contexts) {
    return with(copy -> copy.transmitContexts = contexts);
  }

  /**
   * {@return a copy with another number of receive contexts}
   *
   * @param contexts {@code rx_ctx_cnt}: receive contexts needed on one endpoint, 0 for one; or
   *     {@link FabricInfo.EndpointAttributes#SHARED_CONTEXT} for endpoints that share their
   *     receives
   */
  public Hints withReceiveContexts(int contexts) {
    return with(copy -> copy.receiveContexts = contexts);
  }

  /**
   * {@return a copy with other limits}
   *
   * @param limits how long messages are, and how many operations are under way
   */
  public Hints withLimits(Limits limits) {
    return with(copy -> copy.limits = Arguments.required(limits, "limits"));
  }

  /**
   * {@return a copy with other authorization keys}
   *
   * @param authKeys which authorization keys endpoints are to have
   */
  public Hints withAuthKeys(AuthKeyHints authKeys) {
    return with(copy -> copy.authKeys = Arguments.required(authKeys, "authKeys"));
  }

  /**
   * {@return a copy with other modes of memory}
   *
   * @param modes {@code mr_mode}: what the application is prepared for when it registers memory
   */
  public Hints withMemoryRegionModes(MemoryRegionMode... modes) {
    return with(copy -> copy.memoryRegionModes = Flag.maskOf(modes));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Hints that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns the version and what is said beside it. No byte of a key is shown. */
  @Override
  public String toString() {
    Map<String, @Nullable Object> unsaid = new Values(values.version).all();
    unsaid.remove("version");
    return values.text("Hints", unsaid);
  }

  private static final class Values extends Fields<Values> {
    final ApiVersion version;
    @Nullable Profile profile;
    @Nullable String provider;
    @Nullable String fabric;
    @Nullable String domain;
    EndpointType endpointType = EndpointType.UNSPECIFIED;
    AddressFormat addressFormat = AddressFormat.UNSPECIFIED;
    long capabilities;
    @Nullable AddressHint source;
    @Nullable AddressHint destination;
    @Nullable AddressResolver resolver;
    VectorType vectorType = VectorType.UNSPECIFIED;
    Threading threading = Threading.UNSPECIFIED;
    Progress progress = Progress.UNSPECIFIED;
    int maxGroupId;
    int transmitContexts;
    int receiveContexts;
    Limits limits = Limits.none();
    AuthKeyHints authKeys = AuthKeyHints.none();
    long memoryRegionModes;

    Values(ApiVersion version) {
      this.version = version;
    }

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("version", version);
      to.put("profile", profile);
      to.put("provider", provider);
      to.put("fabric", fabric);
      to.put("domain", domain);
      to.put("endpointType", endpointType);
      to.put("addressFormat", addressFormat);
      to.put("capabilities", Flag.names(Capability.class, capabilities));
      to.put("source", source);
      to.put("destination", destination);
      to.put("resolver", resolver);
      to.put("vectorType", vectorType);
      to.put("threading", threading);
      to.put("progress", progress);
      to.put("maxGroupId", maxGroupId);
      to.put("transmitContexts", transmitContexts);
      to.put("receiveContexts", receiveContexts);
      to.put("limits", limits);
      to.put("authKeys", authKeys);
      to.put("memoryRegionModes", Flag.names(MemoryRegionMode.class, memoryRegionModes));
    }
  }
}
