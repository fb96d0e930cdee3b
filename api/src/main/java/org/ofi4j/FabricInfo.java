// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;
import org.ofi4j.spi.FabricProvider;

/**
 * {@code struct fi_info}: one way to communicate that fits the hints. Immutable.
 *
 * @param apiVersion the version that the application asked for
 * @param profile the edition of fi_av(3) that vectors follow
 * @param capabilities {@code caps}: bits of {@link Capability}
 * @param addressFormat {@code addr_format}: the format of all addresses
 * @param source {@code src_addr}: the local address, or null to let the network choose
 * @param destination {@code dest_addr}: the peer's address, or null
 * @param fabric attributes of the fabric
 * @param domain attributes of the domain
 * @param endpoint attributes of the endpoint
 * @param transmit attributes of sending
 * @param receive attributes of receiving
 * @param handle {@code handle}: the connection request that an endpoint opened with this
 *     information may accept, or null
 * @param offeredBy the provider that opens what is described here; null until {@link Fabrics#info}
 *     has collected the offer
 */
public record FabricInfo(
    ApiVersion apiVersion,
    Profile profile,
    long capabilities,
    AddressFormat addressFormat,
    @Nullable FabricAddress source,
    @Nullable FabricAddress destination,
    FabricAttributes fabric,
    DomainAttributes domain,
    EndpointAttributes endpoint,
    Transmit transmit,
    Receive receive,
    @Nullable ConnectionHandle handle,
    @Nullable FabricProvider offeredBy) {

  /**
   * An offer, as a provider makes it.
   *
   * @param apiVersion the version that the application asked for
   * @param profile the edition of fi_av(3) that vectors follow
   * @param capabilities bits of {@link Capability}
   * @param addressFormat the format of all addresses
   * @param source the local address, or null to let the network choose
   * @param destination the peer's address, or null
   * @param fabric attributes of the fabric
   * @param domain attributes of the domain
   * @param endpoint attributes of the endpoint
   * @param transmit attributes of sending
   * @param receive attributes of receiving
   */
  public FabricInfo(
      ApiVersion apiVersion,
      Profile profile,
      long capabilities,
      AddressFormat addressFormat,
      @Nullable FabricAddress source,
      @Nullable FabricAddress destination,
      FabricAttributes fabric,
      DomainAttributes domain,
      EndpointAttributes endpoint,
      Transmit transmit,
      Receive receive) {
    this(
        apiVersion,
        profile,
        capabilities,
        addressFormat,
        source,
        destination,
        fabric,
        domain,
        endpoint,
        transmit,
        receive,
        null,
        null);
  }

  /**
   * {@code struct fi_fabric_attr}.
   *
   * @param provider {@code prov_name}: the provider
   * @param name the fabric
   * @param providerVersion {@code prov_version}
   */
  public record FabricAttributes(String provider, String name, String providerVersion) {}

  /**
   * {@code struct fi_domain_attr}.
   *
   * @param name the domain
   * @param vectorType the only vector type that may be opened, or {@link VectorType#UNSPECIFIED}
   *     for both
   * @param capabilities {@code caps}: bits of {@link Capability} that hold for the whole domain
   * @param threading what the provider needs of the application
   * @param progress {@code data_progress} and {@code control_progress}
   * @param maxGroupId {@code max_group_id}: the largest peer group, 0 for none
   * @param authKeySize {@code auth_key_size}; all ones ({@code FI_AV_AUTH_KEY}) if keys are in the
   *     vector
   * @param maxEndpointAuthKeys {@code max_ep_auth_key}: how many keys an endpoint may have
   * @param maxEndpointTransmitContexts {@code max_ep_tx_ctx}
   * @param maxEndpointReceiveContexts {@code max_ep_rx_ctx}
   * @param memoryRegionModes {@code mr_mode}: bits of {@link MemoryRegionMode} that an application
   *     must observe
   * @param memoryRegionKeySize {@code mr_key_size}: bytes of a region's key, 0 if there are none
   * @param maxErrorData {@code max_err_data}: the most bytes of {@link
   *     Completion.Failure#errorData}
   */
  public record DomainAttributes(
      String name,
      VectorType vectorType,
      long capabilities,
      Threading threading,
      Progress progress,
      int maxGroupId,
      long authKeySize,
      int maxEndpointAuthKeys,
      int maxEndpointTransmitContexts,
      int maxEndpointReceiveContexts,
      long memoryRegionModes,
      int memoryRegionKeySize,
      int maxErrorData) {
    /**
     * {@code FI_AV_AUTH_KEY}: the value of {@code authKeySize} that says keys are in the vector.
     */
    public static final long KEYS_IN_VECTOR = -1L;
  }

  /**
   * {@code struct fi_ep_attr}.
   *
   * @param type what the endpoint promises
   * @param protocol the wire protocol in words
   * @param maxMessageSize {@code max_msg_size}: the longest message in bytes
   * @param transmitContexts {@code tx_ctx_cnt}: how many a {@link ScalableEndpoint} has
   * @param receiveContexts {@code rx_ctx_cnt}: how many a {@link ScalableEndpoint} has; or {@link
   *     #SHARED_CONTEXT}
   */
  public record EndpointAttributes(
      EndpointType type,
      String protocol,
      long maxMessageSize,
      int transmitContexts,
      int receiveContexts) {
    /**
     * {@code FI_SHARED_CONTEXT}: the number of receive contexts that says endpoints have none of
     * their own, but must be bound to a {@link SharedReceiveContext}.
     */
    public static final int SHARED_CONTEXT = -1;
  }

  /**
   * {@code struct fi_tx_attr}.
   *
   * @param injectSize {@code inject_size}: the longest message for {@link MessageSender#inject}
   * @param size how many sends may be posted
   * @param iovLimit {@code iov_limit}: how many pieces of memory a message may be gathered from
   * @param rmaIovLimit {@code rma_iov_limit}: how many places in remote memory one operation may
   *     reach, 0 if none
   */
  public record Transmit(long injectSize, int size, int iovLimit, int rmaIovLimit) {}

  /**
   * {@code struct fi_rx_attr}.
   *
   * @param size how many receives may be posted
   * @param iovLimit {@code iov_limit}: how many pieces of memory a message may be scattered over
   */
  public record Receive(int size, int iovLimit) {}

  /**
   * {@return whether the interface can do something}
   *
   * @param capability what it should be able to do
   */
  public boolean has(Capability capability) {
    return (capabilities & capability.mask()) != 0;
  }

  /**
   * {@return a copy with other capabilities}
   *
   * @param capabilities bits of {@link Capability}
   */
  public FabricInfo withCapabilities(long capabilities) {
    return with(capabilities, source, destination, transmit, receive, handle, offeredBy);
  }

  /**
   * {@return a copy with other attributes of sending and receiving}
   *
   * @param transmit attributes of sending
   * @param receive attributes of receiving
   */
  public FabricInfo withContexts(Transmit transmit, Receive receive) {
    return with(capabilities, source, destination, transmit, receive, handle, offeredBy);
  }

  /**
   * {@return a copy with another local address}
   *
   * @param source the address for an endpoint, or null to let the network choose
   */
  public FabricInfo withSource(@Nullable FabricAddress source) {
    return with(capabilities, source, destination, transmit, receive, handle, offeredBy);
  }

  /**
   * {@return a copy that stands for a connection request; providers make it for {@link
   * Event.ConnectionRequest}}
   *
   * @param request the request
   * @param peer where the connection comes from
   */
  public FabricInfo withRequest(ConnectionHandle request, FabricAddress peer) {
    return with(capabilities, source, peer, transmit, receive, request, offeredBy);
  }

  /** A copy that knows who made the offer. */
  FabricInfo withProvider(FabricProvider provider) {
    return with(capabilities, source, destination, transmit, receive, handle, provider);
  }

  private FabricInfo with(
      long newCaps,
      @Nullable FabricAddress newSource,
      @Nullable FabricAddress newDestination,
      Transmit newTransmit,
      Receive newReceive,
      @Nullable ConnectionHandle newHandle,
      @Nullable FabricProvider newOfferedBy) {
    return new FabricInfo(
        apiVersion,
        profile,
        newCaps,
        addressFormat,
        newSource,
        newDestination,
        fabric,
        domain,
        endpoint,
        newTransmit,
        newReceive,
        newHandle,
        newOfferedBy);
  }
}
