// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/**
 * The hints of {@code fi_getinfo}: what an application needs. Everything but the version may stay
 * unsaid. Immutable; each {@code with} method gives a changed copy.
 */
public final class Hints {
  private ApiVersion version;
  private @Nullable String node;
  private @Nullable String service;
  private @Nullable Profile profile;
  private @Nullable String provider;
  private @Nullable String fabric;
  private @Nullable String domain;
  private EndpointType endpointType = EndpointType.UNSPECIFIED;
  private AddressFormat addressFormat = AddressFormat.UNSPECIFIED;
  private long capabilities;
  private long flags;
  private @Nullable FabricAddress source;
  private @Nullable FabricAddress destination;
  private VectorType vectorType = VectorType.UNSPECIFIED;
  private Threading threading = Threading.UNSPECIFIED;
  private Progress progress = Progress.UNSPECIFIED;
  private int maxGroupId;
  private long authKeySize;
  private byte @Nullable [] authKey;
  private byte @Nullable [] endpointAuthKey;
  private int maxEndpointAuthKeys;
  private int transmitContexts;
  private int receiveContexts;
  private long maxMessageSize;
  private long injectSize;
  private int transmitSize;
  private int receiveSize;
  private long memoryRegionModes;
  private @Nullable AddressResolver resolver;

  private Hints(ApiVersion version) {
    this.version = version;
  }

  private Hints(Hints other) {
    version = other.version;
    node = other.node;
    service = other.service;
    profile = other.profile;
    provider = other.provider;
    fabric = other.fabric;
    domain = other.domain;
    endpointType = other.endpointType;
    addressFormat = other.addressFormat;
    capabilities = other.capabilities;
    flags = other.flags;
    source = other.source;
    destination = other.destination;
    vectorType = other.vectorType;
    threading = other.threading;
    progress = other.progress;
    maxGroupId = other.maxGroupId;
    authKeySize = other.authKeySize;
    authKey = other.authKey;
    endpointAuthKey = other.endpointAuthKey;
    maxEndpointAuthKeys = other.maxEndpointAuthKeys;
    transmitContexts = other.transmitContexts;
    receiveContexts = other.receiveContexts;
    maxMessageSize = other.maxMessageSize;
    injectSize = other.injectSize;
    transmitSize = other.transmitSize;
    receiveSize = other.receiveSize;
    memoryRegionModes = other.memoryRegionModes;
    resolver = other.resolver;
  }

  /**
   * {@return hints that say nothing but the version}
   *
   * @param version the version of the interface that the application is written against
   */
  public static Hints of(ApiVersion version) {
    return new Hints(Arguments.required(version, "version"));
  }

  /** {@return hints that say nothing but the newest version} */
  public static Hints latest() {
    return new Hints(ApiVersion.LATEST);
  }

  /** {@return the version of the interface} */
  public ApiVersion version() {
    return version;
  }

  /**
   * Adds node and service: the peer's, or with {@link InfoFlag#SOURCE} one's own.
   *
   * @param node a host name, numeric address (IPv4 in any form of {@code inet_aton}) or whole
   *     address as text; null for any
   * @param service a port number or service name; null for any
   * @return the changed copy
   */
  public Hints withAddress(@Nullable String node, @Nullable String service) {
    Hints copy = new Hints(this);
    copy.node = node;
    copy.service = service;
    return copy;
  }

  /** {@return the node that {@link #withAddress} set, or null} */
  public @Nullable String node() {
    return node;
  }

  /** {@return the service that {@link #withAddress} set, or null} */
  public @Nullable String service() {
    return service;
  }

  /**
   * Says which capabilities are needed, in place of those that were needed before.
   *
   * @param capabilities what is needed; none takes what a provider offers
   * @return the changed copy
   */
  public Hints withCapabilities(Capability... capabilities) {
    return withCapabilities(Flag.maskOf(capabilities));
  }

  /**
   * Says which capabilities are needed besides those that are needed already.
   *
   * @param capabilities what is needed too
   * @return the changed copy
   */
  public Hints withMoreCapabilities(Capability... capabilities) {
    return withCapabilities(this.capabilities | Flag.maskOf(capabilities));
  }

  /**
   * Says what node and service are, in place of what was said before.
   *
   * @param flags the flags
   * @return the changed copy
   */
  public Hints withFlags(InfoFlag... flags) {
    return withFlags(Flag.maskOf(flags));
  }

  /**
   * {@return a copy with another hint}
   *
   * @param profile the edition of fi_av(3); only version 1.0 leaves a choice, or null if it does
   *     not matter
   */
  public Hints withProfile(@Nullable Profile profile) {
    Hints copy = new Hints(this);
    copy.profile = profile;
    return copy;
  }

  /**
   * {@return the edition of fi_av(3); only version 1.0 leaves a choice, or null if it does not
   * matter}
   */
  public @Nullable Profile profile() {
    return profile;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param provider name of the one provider to ask, such as {@code udp} or {@code tcp}, or null if
   *     it does not matter
   */
  public Hints withProvider(@Nullable String provider) {
    Hints copy = new Hints(this);
    copy.provider = provider;
    return copy;
  }

  /** {@return name of the one provider to ask, or null if it does not matter} */
  public @Nullable String provider() {
    return provider;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param fabric name of the fabric, or null if it does not matter
   */
  public Hints withFabric(@Nullable String fabric) {
    Hints copy = new Hints(this);
    copy.fabric = fabric;
    return copy;
  }

  /** {@return name of the fabric, or null if it does not matter} */
  public @Nullable String fabric() {
    return fabric;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param domain name of the domain, or null if it does not matter
   */
  public Hints withDomain(@Nullable String domain) {
    Hints copy = new Hints(this);
    copy.domain = domain;
    return copy;
  }

  /** {@return name of the domain, or null if it does not matter} */
  public @Nullable String domain() {
    return domain;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param endpointType what endpoints must promise
   */
  public Hints withEndpointType(EndpointType endpointType) {
    Hints copy = new Hints(this);
    copy.endpointType = Arguments.required(endpointType, "endpointType");
    return copy;
  }

  /** {@return what endpoints must promise} */
  public EndpointType endpointType() {
    return endpointType;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param addressFormat format of addresses
   */
  public Hints withAddressFormat(AddressFormat addressFormat) {
    Hints copy = new Hints(this);
    copy.addressFormat = Arguments.required(addressFormat, "addressFormat");
    return copy;
  }

  /** {@return format of addresses} */
  public AddressFormat addressFormat() {
    return addressFormat;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param capabilities bits of {@link Capability} that are needed; 0 takes what a provider offers
   */
  public Hints withCapabilities(long capabilities) {
    Hints copy = new Hints(this);
    copy.capabilities = capabilities;
    return copy;
  }

  /** {@return bits of {@link Capability} that are needed; 0 takes what a provider offers} */
  public long capabilities() {
    return capabilities;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param flags bits of {@link InfoFlag}
   */
  public Hints withFlags(long flags) {
    Hints copy = new Hints(this);
    copy.flags = flags;
    return copy;
  }

  /** {@return bits of {@link InfoFlag}} */
  public long flags() {
    return flags;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param source {@code src_addr}: the local address, or null if it does not matter
   */
  public Hints withSource(@Nullable FabricAddress source) {
    Hints copy = new Hints(this);
    copy.source = source;
    return copy;
  }

  /** {@return {@code src_addr}: the local address, or null if it does not matter} */
  public @Nullable FabricAddress source() {
    return source;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param destination {@code dest_addr}: the peer's address, or null if it does not matter
   */
  public Hints withDestination(@Nullable FabricAddress destination) {
    Hints copy = new Hints(this);
    copy.destination = destination;
    return copy;
  }

  /** {@return {@code dest_addr}: the peer's address, or null if it does not matter} */
  public @Nullable FabricAddress destination() {
    return destination;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param vectorType the only vector type that will be opened
   */
  public Hints withVectorType(VectorType vectorType) {
    Hints copy = new Hints(this);
    copy.vectorType = Arguments.required(vectorType, "vectorType");
    return copy;
  }

  /** {@return the only vector type that will be opened} */
  public VectorType vectorType() {
    return vectorType;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param threading how much locking the provider must do
   */
  public Hints withThreading(Threading threading) {
    Hints copy = new Hints(this);
    copy.threading = Arguments.required(threading, "threading");
    return copy;
  }

  /** {@return how much locking the provider must do} */
  public Threading threading() {
    return threading;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param progress who moves the data
   */
  public Hints withProgress(Progress progress) {
    Hints copy = new Hints(this);
    copy.progress = Arguments.required(progress, "progress");
    return copy;
  }

  /** {@return who moves the data} */
  public Progress progress() {
    return progress;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param maxGroupId {@code max_group_id}: the largest peer group needed, 0 for none
   */
  public Hints withMaxGroupId(int maxGroupId) {
    Hints copy = new Hints(this);
    copy.maxGroupId = maxGroupId;
    return copy;
  }

  /** {@return {@code max_group_id}: the largest peer group needed, 0 for none} */
  public int maxGroupId() {
    return maxGroupId;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param authKeySize {@code auth_key_size}; {@link FabricInfo.DomainAttributes#KEYS_IN_VECTOR}
   *     for keys in the vector
   */
  public Hints withAuthKeySize(long authKeySize) {
    Hints copy = new Hints(this);
    copy.authKeySize = authKeySize;
    return copy;
  }

  /**
   * {@return {@code auth_key_size}; {@link FabricInfo.DomainAttributes#KEYS_IN_VECTOR} for keys in
   * the vector}
   */
  public long authKeySize() {
    return authKeySize;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param authKey the domain's {@code auth_key}, which keys in the vector exclude (AV-156); null
   *     for none
   */
  public Hints withAuthKey(byte @Nullable [] authKey) {
    Hints copy = new Hints(this);
    copy.authKey = authKey == null ? null : authKey.clone();
    return copy;
  }

  /** {@return the domain's {@code auth_key}, or null if there is none} */
  public byte @Nullable [] authKey() {
    return authKey == null ? null : authKey.clone();
  }

  /**
   * {@return a copy with another hint}
   *
   * @param endpointAuthKey the endpoint's {@code auth_key}, which keys in the vector exclude
   *     (AV-157); null for none
   */
  public Hints withEndpointAuthKey(byte @Nullable [] endpointAuthKey) {
    Hints copy = new Hints(this);
    copy.endpointAuthKey = endpointAuthKey == null ? null : endpointAuthKey.clone();
    return copy;
  }

  /** {@return the endpoint's {@code auth_key}, or null if there is none} */
  public byte @Nullable [] endpointAuthKey() {
    return endpointAuthKey == null ? null : endpointAuthKey.clone();
  }

  /**
   * {@return a copy with another hint}
   *
   * @param maxEndpointAuthKeys {@code max_ep_auth_key}: keys needed on one endpoint, which are as
   *     many as its vector may have; 0 for as many as the provider allows
   */
  public Hints withMaxEndpointAuthKeys(int maxEndpointAuthKeys) {
    Hints copy = new Hints(this);
    copy.maxEndpointAuthKeys = maxEndpointAuthKeys;
    return copy;
  }

  /** {@return {@code max_ep_auth_key}: keys needed on one endpoint, 0 for any number} */
  public int maxEndpointAuthKeys() {
    return maxEndpointAuthKeys;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param transmitContexts {@code tx_ctx_cnt}: transmit contexts needed on one endpoint, 0 for one
   */
  public Hints withTransmitContexts(int transmitContexts) {
    Hints copy = new Hints(this);
    copy.transmitContexts = transmitContexts;
    return copy;
  }

  /** {@return {@code tx_ctx_cnt}: transmit contexts needed on one endpoint, 0 for one} */
  public int transmitContexts() {
    return transmitContexts;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param receiveContexts {@code rx_ctx_cnt}: receive contexts needed on one endpoint, 0 for one;
   *     {@link FabricInfo.EndpointAttributes#SHARED_CONTEXT} for endpoints that share their
   *     receives
   */
  public Hints withReceiveContexts(int receiveContexts) {
    Hints copy = new Hints(this);
    copy.receiveContexts = receiveContexts;
    return copy;
  }

  /** {@return {@code rx_ctx_cnt}: receive contexts needed on one endpoint, 0 for one} */
  public int receiveContexts() {
    return receiveContexts;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param maxMessageSize {@code max_msg_size}: the longest message in bytes, 0 for any
   */
  public Hints withMaxMessageSize(long maxMessageSize) {
    Hints copy = new Hints(this);
    copy.maxMessageSize = maxMessageSize;
    return copy;
  }

  /** {@return {@code max_msg_size}: the longest message in bytes, 0 for any} */
  public long maxMessageSize() {
    return maxMessageSize;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param injectSize {@code inject_size}: the longest injected message in bytes, 0 for any
   */
  public Hints withInjectSize(long injectSize) {
    Hints copy = new Hints(this);
    copy.injectSize = injectSize;
    return copy;
  }

  /** {@return {@code inject_size}: the longest injected message in bytes, 0 for any} */
  public long injectSize() {
    return injectSize;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param transmitSize {@code tx_attr.size}: sends posted at a time, 0 for any
   */
  public Hints withTransmitSize(int transmitSize) {
    Hints copy = new Hints(this);
    copy.transmitSize = transmitSize;
    return copy;
  }

  /** {@return {@code tx_attr.size}: sends posted at a time, 0 for any} */
  public int transmitSize() {
    return transmitSize;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param receiveSize {@code rx_attr.size}: receives posted at a time, 0 for any
   */
  public Hints withReceiveSize(int receiveSize) {
    Hints copy = new Hints(this);
    copy.receiveSize = receiveSize;
    return copy;
  }

  /** {@return {@code rx_attr.size}: receives posted at a time, 0 for any} */
  public int receiveSize() {
    return receiveSize;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param modes {@code mr_mode}: what the application is prepared for when it registers memory
   */
  public Hints withMemoryRegionModes(MemoryRegionMode... modes) {
    return withMemoryRegionModes(Flag.maskOf(modes));
  }

  /**
   * {@return a copy with another hint}
   *
   * @param modes {@code mr_mode}: bits of {@link MemoryRegionMode} that the application is prepared
   *     for when it registers memory
   */
  public Hints withMemoryRegionModes(long modes) {
    Hints copy = new Hints(this);
    copy.memoryRegionModes = modes;
    return copy;
  }

  /** {@return bits of {@link MemoryRegionMode} that the application is prepared for} */
  public long memoryRegionModes() {
    return memoryRegionModes;
  }

  /**
   * {@return a copy with another hint}
   *
   * @param resolver what resolves a node that is a name, instead of the JDK's resolver, or null if
   *     it does not matter
   */
  public Hints withResolver(@Nullable AddressResolver resolver) {
    Hints copy = new Hints(this);
    copy.resolver = resolver;
    return copy;
  }

  /**
   * {@return what resolves a node that is a name, instead of the JDK's resolver, or null if it does
   * not matter}
   */
  public @Nullable AddressResolver resolver() {
    return resolver;
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

  /**
   * {@return a copy with another local address}
   *
   * @param source where the endpoint is to be
   */
  public Hints withSource(NodeService source) {
    Hints copy = withDestination(source);
    copy.flags |= InfoFlag.SOURCE.mask();
    return copy;
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
   * @param destination where the endpoint's peer is
   */
  public Hints withDestination(NodeService destination) {
    Hints copy = withAddress(destination.node(), destination.service());
    copy.flags &= ~InfoFlag.SOURCE.mask();
    return copy;
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
   * {@return a copy with other numbers of contexts}
   *
   * @param transmit transmit contexts needed on one endpoint, 0 for one
   * @param receive receive contexts needed on one endpoint, 0 for one; or {@link
   *     FabricInfo.EndpointAttributes#SHARED_CONTEXT}
   */
  public Hints withContexts(int transmit, int receive) {
    return withTransmitContexts(transmit).withReceiveContexts(receive);
  }

  /**
   * {@return a copy with other limits}
   *
   * @param limits how long messages are, and how many operations are under way
   */
  public Hints withLimits(Limits limits) {
    return withMaxMessageSize(limits.maxMessageSize())
        .withInjectSize(limits.injectSize())
        .withTransmitSize(limits.transmitSize())
        .withReceiveSize(limits.receiveSize());
  }

  /** {@return how long messages are, and how many operations are under way} */
  public Limits limits() {
    return new Limits(maxMessageSize, injectSize, transmitSize, receiveSize);
  }

  /**
   * {@return a copy with other authorization keys}
   *
   * @param authKeys which authorization keys endpoints are to have
   */
  public Hints withAuthKeys(AuthKeyHints authKeys) {
    return withAuthKeySize(authKeys.keysInVector() ? FabricInfo.DomainAttributes.KEYS_IN_VECTOR : 0)
        .withMaxEndpointAuthKeys(authKeys.maxEndpointKeys())
        .withAuthKey(authKeys.domainKey())
        .withEndpointAuthKey(authKeys.endpointKey());
  }

  /** {@return which authorization keys endpoints are to have} */
  public AuthKeyHints authKeys() {
    return new AuthKeyHints(
        authKeySize == FabricInfo.DomainAttributes.KEYS_IN_VECTOR,
        maxEndpointAuthKeys,
        authKey,
        endpointAuthKey);
  }
}
