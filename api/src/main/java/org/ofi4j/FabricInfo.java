// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.Fields;
import org.ofi4j.spi.FabricProvider;

/**
 * {@code struct fi_info}: one way to communicate that fits the hints. Immutable, and equal to
 * another one with equal values.
 */
@SuppressWarnings("SameNameButDifferent") // each class has its own Builder and Values
public final class FabricInfo {
  private final Values values;

  private FabricInfo(Values values) {
    this.values = values.copy();
  }

  /**
   * {@return a builder of an offer, for providers: it has no capabilities and no addresses, its
   * attributes are those of their builders}
   *
   * @param apiVersion the version that the application asked for
   * @param profile the edition of fi_av(3) that vectors follow
   */
  public static Builder builder(ApiVersion apiVersion, Profile profile) {
    return new Builder(
        new Values(
            Arguments.required(apiVersion, "apiVersion"), Arguments.required(profile, "profile")));
  }

  /** {@return a builder of a copy, with the values of this object} */
  public Builder toBuilder() {
    return new Builder(values.copy());
  }

  /** {@return the version that the application asked for} */
  public ApiVersion apiVersion() {
    return values.apiVersion;
  }

  /** {@return the edition of fi_av(3) that vectors follow} */
  public Profile profile() {
    return values.profile;
  }

  /** {@return {@code caps}: bits of {@link Capability}} */
  public long capabilities() {
    return values.capabilities;
  }

  /** {@return {@code addr_format}: the format of all addresses} */
  public AddressFormat addressFormat() {
    return values.addressFormat;
  }

  /** {@return {@code src_addr}: the local address, or null to let the network choose} */
  public @Nullable FabricAddress source() {
    return values.source;
  }

  /** {@return {@code dest_addr}: the peer's address, or null} */
  public @Nullable FabricAddress destination() {
    return values.destination;
  }

  /** {@return attributes of the fabric} */
  public FabricAttributes fabric() {
    return values.fabric;
  }

  /** {@return attributes of the domain} */
  public DomainAttributes domain() {
    return values.domain;
  }

  /** {@return attributes of the endpoint} */
  public EndpointAttributes endpoint() {
    return values.endpoint;
  }

  /** {@return attributes of sending} */
  public Transmit transmit() {
    return values.transmit;
  }

  /** {@return attributes of receiving} */
  public Receive receive() {
    return values.receive;
  }

  /**
   * {@return {@code handle}: the connection request that an endpoint opened with this information
   * may accept, or null}
   */
  public @Nullable ConnectionHandle handle() {
    return values.handle;
  }

  /**
   * {@return the provider that opens what is described here; null until {@link Fabrics#info} has
   * collected the offer}
   */
  public @Nullable FabricProvider offeredBy() {
    return values.offeredBy;
  }

  /**
   * {@return whether the interface can do something}
   *
   * @param capability what it should be able to do
   */
  public boolean has(Capability capability) {
    return (capabilities() & capability.mask()) != 0;
  }

  /**
   * {@return a copy with other capabilities}
   *
   * @param capabilities bits of {@link Capability}
   */
  public FabricInfo withCapabilities(long capabilities) {
    return toBuilder().capabilities(capabilities).build();
  }

  /**
   * {@return a copy with other attributes of sending and receiving}
   *
   * @param transmit attributes of sending
   * @param receive attributes of receiving
   */
  public FabricInfo withContexts(Transmit transmit, Receive receive) {
    return toBuilder().transmit(transmit).receive(receive).build();
  }

  /**
   * {@return a copy with another local address}
   *
   * @param source the address for an endpoint, or null to let the network choose
   */
  public FabricInfo withSource(@Nullable FabricAddress source) {
    return toBuilder().source(source).build();
  }

  /**
   * {@return a copy that stands for a connection request; providers make it for {@link
   * Event.ConnectionRequest}}
   *
   * @param request the request
   * @param peer where the connection comes from
   */
  public FabricInfo withRequest(ConnectionHandle request, FabricAddress peer) {
    return toBuilder().handle(request).destination(peer).build();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FabricInfo that && values.all().equals(that.values.all());
  }

  @Override
  public int hashCode() {
    return values.all().hashCode();
  }

  /** Returns all values. */
  @Override
  public String toString() {
    return values.text("FabricInfo");
  }

  /** {@code struct fi_fabric_attr}. Immutable, and equal to another one with equal values. */
  public static final class FabricAttributes {
    private final Values values;

    private FabricAttributes(Values values) {
      this.values = values.copy();
    }

    /** {@return a builder of attributes, for providers; all names are empty} */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return {@code prov_name}: the provider} */
    public String provider() {
      return values.provider;
    }

    /** {@return the fabric} */
    public String name() {
      return values.name;
    }

    /** {@return {@code prov_version}} */
    public String providerVersion() {
      return values.providerVersion;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof FabricAttributes that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("FabricAttributes");
    }

    /** Builds attributes of a fabric. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link FabricInfo.FabricAttributes#provider}.
       *
       * @param provider the name
       * @return this
       */
      public Builder provider(String provider) {
        values.provider = Arguments.required(provider, "provider");
        return this;
      }

      /**
       * Sets {@link FabricInfo.FabricAttributes#name}.
       *
       * @param name the name
       * @return this
       */
      public Builder name(String name) {
        values.name = Arguments.required(name, "name");
        return this;
      }

      /**
       * Sets {@link FabricInfo.FabricAttributes#providerVersion}.
       *
       * @param providerVersion the version
       * @return this
       */
      public Builder providerVersion(String providerVersion) {
        values.providerVersion = Arguments.required(providerVersion, "providerVersion");
        return this;
      }

      /**
       * {@return attributes of a fabric with the values that were set; the builder may build more}
       */
      public FabricAttributes build() {
        return new FabricAttributes(values);
      }

      /** Returns attributes of a fabric with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      String provider = "";
      String name = "";
      String providerVersion = "";

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("provider", provider);
        to.put("name", name);
        to.put("providerVersion", providerVersion);
      }
    }
  }

  /** {@code struct fi_domain_attr}. Immutable, and equal to another one with equal values. */
  public static final class DomainAttributes {
    /**
     * {@code FI_AV_AUTH_KEY}: the value of {@link #authKeySize} that says keys are in the vector.
     */
    public static final long KEYS_IN_VECTOR = -1L;

    private final Values values;

    private DomainAttributes(Values values) {
      this.values = values.copy();
    }

    /**
     * {@return a builder of attributes, for providers: the name is empty, an endpoint has one
     * transmit and one receive context, other numbers are 0, and nothing else is specified}
     */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return the domain} */
    public String name() {
      return values.name;
    }

    /**
     * {@return the only vector type that may be opened, or {@link VectorType#UNSPECIFIED} for both}
     */
    public VectorType vectorType() {
      return values.vectorType;
    }

    /** {@return {@code caps}: bits of {@link Capability} that hold for the whole domain} */
    public long capabilities() {
      return values.capabilities;
    }

    /** {@return what the provider needs of the application} */
    public Threading threading() {
      return values.threading;
    }

    /** {@return {@code data_progress} and {@code control_progress}} */
    public Progress progress() {
      return values.progress;
    }

    /** {@return {@code max_group_id}: the largest peer group, 0 for none} */
    public int maxGroupId() {
      return values.maxGroupId;
    }

    /** {@return {@code auth_key_size}; {@link #KEYS_IN_VECTOR} if keys are in the vector} */
    public long authKeySize() {
      return values.authKeySize;
    }

    /** {@return {@code max_ep_auth_key}: how many keys an endpoint may have} */
    public int maxEndpointAuthKeys() {
      return values.maxEndpointAuthKeys;
    }

    /** {@return {@code max_ep_tx_ctx}} */
    public int maxEndpointTransmitContexts() {
      return values.maxEndpointTransmitContexts;
    }

    /** {@return {@code max_ep_rx_ctx}} */
    public int maxEndpointReceiveContexts() {
      return values.maxEndpointReceiveContexts;
    }

    /**
     * {@return {@code mr_mode}: bits of {@link MemoryRegionMode} that an application must observe}
     */
    public long memoryRegionModes() {
      return values.memoryRegionModes;
    }

    /** {@return {@code mr_key_size}: bytes of a region's key, 0 if there are none} */
    public int memoryRegionKeySize() {
      return values.memoryRegionKeySize;
    }

    /** {@return {@code max_err_data}: the most bytes of {@link Completion.Failure#errorData}} */
    public int maxErrorData() {
      return values.maxErrorData;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof DomainAttributes that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("DomainAttributes");
    }

    /** Builds attributes of a domain. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#name}.
       *
       * @param name the name
       * @return this
       */
      public Builder name(String name) {
        values.name = Arguments.required(name, "name");
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#vectorType}.
       *
       * @param vectorType the type
       * @return this
       */
      public Builder vectorType(VectorType vectorType) {
        values.vectorType = Arguments.required(vectorType, "vectorType");
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#capabilities}.
       *
       * @param capabilities the bits
       * @return this
       */
      public Builder capabilities(long capabilities) {
        values.capabilities = capabilities;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#threading}.
       *
       * @param threading the threading
       * @return this
       */
      public Builder threading(Threading threading) {
        values.threading = Arguments.required(threading, "threading");
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#progress}.
       *
       * @param progress the progress
       * @return this
       */
      public Builder progress(Progress progress) {
        values.progress = Arguments.required(progress, "progress");
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#maxGroupId}.
       *
       * @param maxGroupId the group
       * @return this
       */
      public Builder maxGroupId(int maxGroupId) {
        values.maxGroupId = maxGroupId;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#authKeySize}.
       *
       * @param authKeySize the bytes
       * @return this
       */
      public Builder authKeySize(long authKeySize) {
        values.authKeySize = authKeySize;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#maxEndpointAuthKeys}.
       *
       * @param maxEndpointAuthKeys the number
       * @return this
       */
      public Builder maxEndpointAuthKeys(int maxEndpointAuthKeys) {
        values.maxEndpointAuthKeys = maxEndpointAuthKeys;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#maxEndpointTransmitContexts}.
       *
       * @param maxEndpointTransmitContexts the number
       * @return this
       */
      public Builder maxEndpointTransmitContexts(int maxEndpointTransmitContexts) {
        values.maxEndpointTransmitContexts = maxEndpointTransmitContexts;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#maxEndpointReceiveContexts}.
       *
       * @param maxEndpointReceiveContexts the number
       * @return this
       */
      public Builder maxEndpointReceiveContexts(int maxEndpointReceiveContexts) {
        values.maxEndpointReceiveContexts = maxEndpointReceiveContexts;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#memoryRegionModes}.
       *
       * @param memoryRegionModes the bits
       * @return this
       */
      public Builder memoryRegionModes(long memoryRegionModes) {
        values.memoryRegionModes = memoryRegionModes;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#memoryRegionKeySize}.
       *
       * @param memoryRegionKeySize the bytes
       * @return this
       */
      public Builder memoryRegionKeySize(int memoryRegionKeySize) {
        values.memoryRegionKeySize = memoryRegionKeySize;
        return this;
      }

      /**
       * Sets {@link FabricInfo.DomainAttributes#maxErrorData}.
       *
       * @param maxErrorData the bytes
       * @return this
       */
      public Builder maxErrorData(int maxErrorData) {
        values.maxErrorData = maxErrorData;
        return this;
      }

      /**
       * {@return attributes of a domain with the values that were set; the builder may build more}
       */
      public DomainAttributes build() {
        return new DomainAttributes(values);
      }

      /** Returns attributes of a domain with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      String name = "";
      VectorType vectorType = VectorType.UNSPECIFIED;
      long capabilities;
      Threading threading = Threading.UNSPECIFIED;
      Progress progress = Progress.UNSPECIFIED;
      int maxGroupId;
      long authKeySize;
      int maxEndpointAuthKeys;
      int maxEndpointTransmitContexts = 1;
      int maxEndpointReceiveContexts = 1;
      long memoryRegionModes;
      int memoryRegionKeySize;
      int maxErrorData;

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("name", name);
        to.put("vectorType", vectorType);
        to.put("capabilities", Flag.names(Capability.class, capabilities));
        to.put("threading", threading);
        to.put("progress", progress);
        to.put("maxGroupId", maxGroupId);
        to.put("authKeySize", authKeySize);
        to.put("maxEndpointAuthKeys", maxEndpointAuthKeys);
        to.put("maxEndpointTransmitContexts", maxEndpointTransmitContexts);
        to.put("maxEndpointReceiveContexts", maxEndpointReceiveContexts);
        to.put("memoryRegionModes", Flag.names(MemoryRegionMode.class, memoryRegionModes));
        to.put("memoryRegionKeySize", memoryRegionKeySize);
        to.put("maxErrorData", maxErrorData);
      }
    }
  }

  /** {@code struct fi_ep_attr}. Immutable, and equal to another one with equal values. */
  public static final class EndpointAttributes {
    /**
     * {@code FI_SHARED_CONTEXT}: the number of receive contexts that says endpoints have none of
     * their own, but must be bound to a {@link SharedReceiveContext}.
     */
    public static final int SHARED_CONTEXT = -1;

    private final Values values;

    private EndpointAttributes(Values values) {
      this.values = values.copy();
    }

    /**
     * {@return a builder of attributes, for providers: no type, no protocol, no bytes, one context
     * of each kind}
     */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return what the endpoint promises} */
    public EndpointType type() {
      return values.type;
    }

    /** {@return the wire protocol in words} */
    public String protocol() {
      return values.protocol;
    }

    /** {@return {@code max_msg_size}: the longest message in bytes} */
    public long maxMessageSize() {
      return values.maxMessageSize;
    }

    /** {@return {@code tx_ctx_cnt}: how many a {@link ScalableEndpoint} has} */
    public int transmitContexts() {
      return values.transmitContexts;
    }

    /**
     * {@return {@code rx_ctx_cnt}: how many a {@link ScalableEndpoint} has; or {@link
     * #SHARED_CONTEXT}}
     */
    public int receiveContexts() {
      return values.receiveContexts;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof EndpointAttributes that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("EndpointAttributes");
    }

    /** Builds attributes of an endpoint. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link FabricInfo.EndpointAttributes#type}.
       *
       * @param type the type
       * @return this
       */
      public Builder type(EndpointType type) {
        values.type = Arguments.required(type, "type");
        return this;
      }

      /**
       * Sets {@link FabricInfo.EndpointAttributes#protocol}.
       *
       * @param protocol the words
       * @return this
       */
      public Builder protocol(String protocol) {
        values.protocol = Arguments.required(protocol, "protocol");
        return this;
      }

      /**
       * Sets {@link FabricInfo.EndpointAttributes#maxMessageSize}.
       *
       * @param maxMessageSize the bytes
       * @return this
       */
      public Builder maxMessageSize(long maxMessageSize) {
        values.maxMessageSize = maxMessageSize;
        return this;
      }

      /**
       * Sets {@link FabricInfo.EndpointAttributes#transmitContexts}.
       *
       * @param transmitContexts the number
       * @return this
       */
      public Builder transmitContexts(int transmitContexts) {
        values.transmitContexts = transmitContexts;
        return this;
      }

      /**
       * Sets {@link FabricInfo.EndpointAttributes#receiveContexts}.
       *
       * @param receiveContexts the number
       * @return this
       */
      public Builder receiveContexts(int receiveContexts) {
        values.receiveContexts = receiveContexts;
        return this;
      }

      /**
       * {@return attributes of an endpoint with the values that were set; the builder may build
       * more}
       */
      public EndpointAttributes build() {
        return new EndpointAttributes(values);
      }

      /** Returns attributes of an endpoint with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      EndpointType type = EndpointType.UNSPECIFIED;
      String protocol = "";
      long maxMessageSize;
      int transmitContexts = 1;
      int receiveContexts = 1;

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("type", type);
        to.put("protocol", protocol);
        to.put("maxMessageSize", maxMessageSize);
        to.put("transmitContexts", transmitContexts);
        to.put("receiveContexts", receiveContexts);
      }
    }
  }

  /** {@code struct fi_tx_attr}. Immutable, and equal to another one with equal values. */
  public static final class Transmit {
    private final Values values;

    private Transmit(Values values) {
      this.values = values.copy();
    }

    /** {@return a builder of attributes, for providers: one piece of memory, other numbers 0} */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return {@code inject_size}: the longest message for {@link MessageSender#inject}} */
    public long injectSize() {
      return values.injectSize;
    }

    /** {@return how many sends may be posted} */
    public int size() {
      return values.size;
    }

    /** {@return {@code iov_limit}: how many pieces of memory a message may be gathered from} */
    public int iovLimit() {
      return values.iovLimit;
    }

    /**
     * {@return {@code rma_iov_limit}: how many places in remote memory one operation may reach, 0
     * if none}
     */
    public int rmaIovLimit() {
      return values.rmaIovLimit;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Transmit that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("Transmit");
    }

    /** Builds attributes of sending. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link FabricInfo.Transmit#injectSize}.
       *
       * @param injectSize the bytes
       * @return this
       */
      public Builder injectSize(long injectSize) {
        values.injectSize = injectSize;
        return this;
      }

      /**
       * Sets {@link FabricInfo.Transmit#size}.
       *
       * @param size the number
       * @return this
       */
      public Builder size(int size) {
        values.size = size;
        return this;
      }

      /**
       * Sets {@link FabricInfo.Transmit#iovLimit}.
       *
       * @param iovLimit the number
       * @return this
       */
      public Builder iovLimit(int iovLimit) {
        values.iovLimit = iovLimit;
        return this;
      }

      /**
       * Sets {@link FabricInfo.Transmit#rmaIovLimit}.
       *
       * @param rmaIovLimit the number
       * @return this
       */
      public Builder rmaIovLimit(int rmaIovLimit) {
        values.rmaIovLimit = rmaIovLimit;
        return this;
      }

      /**
       * {@return attributes of sending with the values that were set; the builder may build more}
       */
      public Transmit build() {
        return new Transmit(values);
      }

      /** Returns attributes of sending with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      long injectSize;
      int size;
      int iovLimit = 1;
      int rmaIovLimit;

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("injectSize", injectSize);
        to.put("size", size);
        to.put("iovLimit", iovLimit);
        to.put("rmaIovLimit", rmaIovLimit);
      }
    }
  }

  /** {@code struct fi_rx_attr}. Immutable, and equal to another one with equal values. */
  public static final class Receive {
    private final Values values;

    private Receive(Values values) {
      this.values = values.copy();
    }

    /** {@return a builder of attributes, for providers: one piece of memory, no receives} */
    public static Builder builder() {
      return new Builder(new Values());
    }

    /** {@return a builder of a copy, with the values of this object} */
    public Builder toBuilder() {
      return new Builder(values.copy());
    }

    /** {@return how many receives may be posted} */
    public int size() {
      return values.size;
    }

    /** {@return {@code iov_limit}: how many pieces of memory a message may be scattered over} */
    public int iovLimit() {
      return values.iovLimit;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Receive that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
      return values.all().hashCode();
    }

    /** Returns all values. */
    @Override
    public String toString() {
      return values.text("Receive");
    }

    /** Builds attributes of receiving. For one thread at a time. */
    public static final class Builder {
      private final Values values;

      private Builder(Values values) {
        this.values = values;
      }

      /**
       * Sets {@link FabricInfo.Receive#size}.
       *
       * @param size the number
       * @return this
       */
      public Builder size(int size) {
        values.size = size;
        return this;
      }

      /**
       * Sets {@link FabricInfo.Receive#iovLimit}.
       *
       * @param iovLimit the number
       * @return this
       */
      public Builder iovLimit(int iovLimit) {
        values.iovLimit = iovLimit;
        return this;
      }

      /**
       * {@return attributes of receiving with the values that were set; the builder may build more}
       */
      public Receive build() {
        return new Receive(values);
      }

      /** Returns attributes of receiving with the values set so far. */
      @Override
      public String toString() {
        return "Builder of " + build();
      }
    }

    private static final class Values extends Fields<Values> {
      int size;
      int iovLimit = 1;

      @Override
      protected void list(Map<String, @Nullable Object> to) {
        to.put("size", size);
        to.put("iovLimit", iovLimit);
      }
    }
  }

  /** Builds information. For one thread at a time. */
  public static final class Builder {
    private final Values values;

    private Builder(Values values) {
      this.values = values;
    }

    /**
     * Sets {@link FabricInfo#capabilities}.
     *
     * @param capabilities the bits
     * @return this
     */
    public Builder capabilities(long capabilities) {
      values.capabilities = capabilities;
      return this;
    }

    /**
     * Sets {@link FabricInfo#addressFormat}.
     *
     * @param addressFormat the format
     * @return this
     */
    public Builder addressFormat(AddressFormat addressFormat) {
      values.addressFormat = Arguments.required(addressFormat, "addressFormat");
      return this;
    }

    /**
     * Sets {@link FabricInfo#source}.
     *
     * @param source the address, or null
     * @return this
     */
    public Builder source(@Nullable FabricAddress source) {
      values.source = source;
      return this;
    }

    /**
     * Sets {@link FabricInfo#destination}.
     *
     * @param destination the address, or null
     * @return this
     */
    public Builder destination(@Nullable FabricAddress destination) {
      values.destination = destination;
      return this;
    }

    /**
     * Sets {@link FabricInfo#fabric}.
     *
     * @param fabric the attributes
     * @return this
     */
    public Builder fabric(FabricAttributes fabric) {
      values.fabric = Arguments.required(fabric, "fabric");
      return this;
    }

    /**
     * Sets {@link FabricInfo#domain}.
     *
     * @param domain the attributes
     * @return this
     */
    public Builder domain(DomainAttributes domain) {
      values.domain = Arguments.required(domain, "domain");
      return this;
    }

    /**
     * Sets {@link FabricInfo#endpoint}.
     *
     * @param endpoint the attributes
     * @return this
     */
    public Builder endpoint(EndpointAttributes endpoint) {
      values.endpoint = Arguments.required(endpoint, "endpoint");
      return this;
    }

    /**
     * Sets {@link FabricInfo#transmit}.
     *
     * @param transmit the attributes
     * @return this
     */
    public Builder transmit(Transmit transmit) {
      values.transmit = Arguments.required(transmit, "transmit");
      return this;
    }

    /**
     * Sets {@link FabricInfo#receive}.
     *
     * @param receive the attributes
     * @return this
     */
    public Builder receive(Receive receive) {
      values.receive = Arguments.required(receive, "receive");
      return this;
    }

    /**
     * Sets {@link FabricInfo#handle}.
     *
     * @param handle the request, or null
     * @return this
     */
    public Builder handle(@Nullable ConnectionHandle handle) {
      values.handle = handle;
      return this;
    }

    /**
     * Sets {@link FabricInfo#offeredBy}.
     *
     * @param offeredBy the provider, or null
     * @return this
     */
    public Builder offeredBy(@Nullable FabricProvider offeredBy) {
      values.offeredBy = offeredBy;
      return this;
    }

    /** {@return information with the values that were set; the builder may build more} */
    public FabricInfo build() {
      return new FabricInfo(values);
    }

    /** Returns information with the values set so far. */
    @Override
    public String toString() {
      return "Builder of " + build();
    }
  }

  private static final class Values extends Fields<Values> {
    final ApiVersion apiVersion;
    final Profile profile;
    long capabilities;
    AddressFormat addressFormat = AddressFormat.UNSPECIFIED;
    @Nullable FabricAddress source;
    @Nullable FabricAddress destination;
    FabricAttributes fabric = FabricAttributes.builder().build();
    DomainAttributes domain = DomainAttributes.builder().build();
    EndpointAttributes endpoint = EndpointAttributes.builder().build();
    Transmit transmit = Transmit.builder().build();
    Receive receive = Receive.builder().build();
    @Nullable ConnectionHandle handle;
    @Nullable FabricProvider offeredBy;

    Values(ApiVersion apiVersion, Profile profile) {
      this.apiVersion = apiVersion;
      this.profile = profile;
    }

    @Override
    protected void list(Map<String, @Nullable Object> to) {
      to.put("apiVersion", apiVersion);
      to.put("profile", profile);
      to.put("capabilities", Flag.names(Capability.class, capabilities));
      to.put("addressFormat", addressFormat);
      to.put("source", source);
      to.put("destination", destination);
      to.put("fabric", fabric);
      to.put("domain", domain);
      to.put("endpoint", endpoint);
      to.put("transmit", transmit);
      to.put("receive", receive);
      to.put("handle", handle);
      to.put("offeredBy", offeredBy);
    }
  }
}
