// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressHint;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.DomainAttributes;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.Refusal;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;

/**
 * The answer of fi_getinfo(3): compares all hints of an application with the most that an interface
 * of a provider can do, and grants what the hints ask for. For one thread at a time.
 *
 * <p>A provider describes the most by a {@link FabricInfo}, in which some values have a meaning of
 * their own:
 *
 * <ul>
 *   <li>An unspecified {@linkplain FabricInfo#addressFormat format}, {@linkplain
 *       EndpointAttributes#type endpoint type} or {@linkplain DomainAttributes#vectorType vector
 *       type}, and an empty name of the fabric or domain, go with all hints.
 *   <li>{@link Progress#AUTO} stands for manual progress too, and {@link Threading#SAFE} for all
 *       kinds of threading.
 *   <li>{@link EndpointAttributes#SHARED_CONTEXT} as the number of receive contexts says that
 *       endpoints can share receives.
 *   <li>{@link DomainAttributes#KEYS_IN_VECTOR} as the size of authorization keys says that vectors
 *       can have keys. {@link HintCheck} refuses other keys.
 *   <li>{@link MemoryRegionMode#BASIC} and {@link MemoryRegionMode#SCALABLE} may be asked for;
 *       other modes are demanded of applications.
 *   <li>The sizes of queues are those that hints get which ask for less, see {@link #mostPosted}.
 * </ul>
 *
 * A provider with one interface answers all hints by this:
 *
 * {@snippet :
 * public InfoAnswer info(Hints hints) {
 *   FabricInfo most =
 *       HintCheck.describe(hints)
 *           .capabilities(Flag.maskOf(Capability.MSG, Capability.SEND, Capability.RECEIVE))
 *           .addressFormat(AddressFormat.STR)
 *           .fabric(FabricAttributes.builder().provider("loop").name("memory").build())
 *           .domain(DomainAttributes.builder().name("heap").threading(Threading.SAFE).build())
 *           .endpoint(
 *               EndpointAttributes.builder().type(EndpointType.RDM).maxMessageSize(4_096).build())
 *           .transmit(FabricInfo.Transmit.builder().injectSize(64).size(256).build())
 *           .receive(FabricInfo.Receive.builder().size(256).build())
 *           .build();
 *   return new HintCheck(hints, most).answer();
 * }
 * }
 */
public final class HintCheck {
  private static final long KINDS = Flag.maskOf(Capability.MSG, Capability.TAGGED, Capability.RMA);
  private static final long DIRECTIONS = Flag.maskOf(Capability.SEND, Capability.RECEIVE);

  /** The ways to use remote memory, which limit {@link Capability#RMA}. */
  private static final long ACCESS =
      Flag.maskOf(
          Capability.READ, Capability.WRITE, Capability.REMOTE_READ, Capability.REMOTE_WRITE);

  private static final long REACH = Flag.maskOf(Capability.LOCAL_COMM, Capability.REMOTE_COMM);
  private static final long OF_DOMAINS =
      REACH | Flag.maskOf(Capability.AV_USER_ID, Capability.SHARED_AV);

  /** Modes of memory that applications ask for, and that no provider demands. */
  private static final long ASKED_MODES =
      Flag.maskOf(MemoryRegionMode.BASIC, MemoryRegionMode.SCALABLE);

  private final Hints hints;
  private final FabricInfo most;
  private final List<Refusal> refusals = new ArrayList<>();
  private String subject;
  private @Nullable String types;
  private int mostPosted;
  private long unasked = REACH;

  /**
   * Creates a check of hints.
   *
   * @param hints the hints of the application
   * @param most the most that the interface can do, from {@link #describe}; the name of the
   *     provider is the one that hints may ask for
   */
  public HintCheck(Hints hints, FabricInfo most) {
    this.hints = hints;
    this.most = most;
    subject = "provider " + most.fabric().provider() + " has";
  }

  /**
   * Returns a builder of a description, with the version and the profile that the hints ask for.
   *
   * @param hints the hints of the application
   * @return the builder, in which nothing else is set
   */
  public static FabricInfo.Builder describe(Hints hints) {
    return FabricInfo.builder(hints.version(), profile(hints));
  }

  /**
   * Sets the beginning of sentences that say what there is.
   *
   * @param words subject and verb, such as {@code datagrams have}; without this call the provider
   *     is the subject
   * @return this
   */
  public HintCheck subject(String words) {
    subject = words;
    return this;
  }

  /**
   * Sets the endpoint types that the provider has by all its descriptions.
   *
   * @param words the types, such as {@code RDM and MSG}; without this call the type in the
   *     description
   * @return this
   */
  public HintCheck types(String words) {
    types = words;
    return this;
  }

  /**
   * Sets the largest size of transmit and receive queues.
   *
   * @param operations the number of operations; without this call the size in the description
   * @return this
   */
  public HintCheck mostPosted(int operations) {
    mostPosted = operations;
    return this;
  }

  /**
   * Sets the capabilities that are granted with hints that ask for others. They are {@linkplain
   * Capability#isSecondary secondary}, or another library has already chosen those that it grants.
   *
   * @param capabilities bits of {@link Capability}; without this call {@link Capability#LOCAL_COMM}
   *     and {@link Capability#REMOTE_COMM}
   * @return this
   */
  public HintCheck grantedUnasked(long capabilities) {
    unasked = capabilities;
    return this;
  }

  /**
   * Returns the answer of a provider with one interface. Addresses in hints must have the format of
   * the description; the offer has them as its source and destination.
   *
   * @return one offer, or all refusals
   */
  public InfoAnswer answer() {
    check();
    FabricInfo.Builder offer =
        most.toBuilder()
            .source(address("source", hints.source()))
            .destination(address("destination", hints.destination()));
    return refusals.isEmpty()
        ? new InfoAnswer(List.of(granted(offer.build())), List.of())
        : new InfoAnswer(List.of(), refusals);
  }

  /**
   * Returns the refusals of all hints that the description does not meet. Hints about source and
   * destination are left to the caller.
   *
   * @return a refusal for each hint; none if the interface can be offered
   */
  public List<Refusal> refusals() {
    check();
    return List.copyOf(refusals);
  }

  /**
   * Returns an offer with what hints ask for that are not refused. Messages and remote access of
   * each kind are granted unless hints name kinds, and both directions unless they name one. Hints
   * without any capability are granted the source of messages and named vectors too; others are
   * not, because to find a source costs a lookup for each message.
   *
   * @param offer the most that the offered interface can do: the description, or a copy for one of
   *     several interfaces
   * @return the offer, with the addresses and the names of the argument
   */
  public FabricInfo granted(FabricInfo offer) {
    AuthKeyHints keys = hints.authKeys();
    DomainAttributes domain = offer.domain();
    long caps = capabilities(offer.capabilities());
    int mostKeys =
        keys.maxEndpointKeys() > 0 ? keys.maxEndpointKeys() : domain.maxEndpointAuthKeys();
    return offer.toBuilder()
        .capabilities(caps)
        .domain(
            domain.toBuilder()
                .vectorType(
                    domain.vectorType() == VectorType.UNSPECIFIED
                        ? hints.vectorType()
                        : domain.vectorType())
                .capabilities(caps & OF_DOMAINS)
                .progress(hints.progress() == Progress.AUTO ? Progress.AUTO : Progress.MANUAL)
                .maxGroupId(hints.maxGroupId())
                .authKeySize(keys.keysInVector() ? DomainAttributes.KEYS_IN_VECTOR : 0)
                .maxEndpointAuthKeys(keys.keysInVector() ? mostKeys : 0)
                .memoryRegionModes(
                    domain.memoryRegionModes() & (hints.memoryRegionModes() | ~ASKED_MODES))
                .build())
        .endpoint(
            offer.endpoint().toBuilder()
                .transmitContexts(oneUnlessAsked(hints.transmitContexts()))
                .receiveContexts(oneUnlessAsked(hints.receiveContexts()))
                .build())
        .transmit(
            offer.transmit().toBuilder()
                .size(Math.max(hints.limits().transmitSize(), offer.transmit().size()))
                .build())
        .receive(
            offer.receive().toBuilder()
                .size(Math.max(hints.limits().receiveSize(), offer.receive().size()))
                .build())
        .build();
  }

  /**
   * Returns a refusal in the form of those of {@link #refusals}.
   *
   * @param asked the hint and its value
   * @param instead what there is, or what to do
   * @return the refusal, with {@link Errno#ENODATA}
   */
  public Refusal refusal(String asked, String instead) {
    return new Refusal(most.fabric().provider(), Errno.ENODATA, asked + ": " + instead);
  }

  /**
   * Returns the version that an address format came with.
   *
   * @param format the format
   * @return the first version of the interface that has it
   */
  public static ApiVersion since(AddressFormat format) {
    return switch (format) {
      case STR -> ApiVersion.V1_5;
      case SOCKADDR_IP -> ApiVersion.V2_3;
      default -> ApiVersion.V1_0;
    };
  }

  private static ApiVersion since(Capability capability) {
    return switch (capability) {
      case SOURCE_ERR, SHARED_AV -> ApiVersion.V1_5;
      case AV_USER_ID -> ApiVersion.V1_16;
      case TAGGED_DIRECTED_RECEIVE, EXACT_DIRECTED_RECEIVE -> ApiVersion.V2_0;
      default -> ApiVersion.V1_0;
    };
  }

  private static Profile profile(Hints hints) {
    Profile asked = hints.profile();
    return asked == null ? Profile.of(hints.version()) : asked;
  }

  private static int oneUnlessAsked(int contexts) {
    return contexts == 0 ? 1 : contexts;
  }

  private long capabilities(long available) {
    long caps = (hints.capabilities() | unasked) & available;
    if ((caps & KINDS) == 0) {
      caps |= KINDS & available;
    }
    if ((caps & DIRECTIONS) == 0) {
      caps |= DIRECTIONS & available;
    }
    if ((caps & Capability.RMA.mask()) != 0 && (caps & ACCESS) == 0) {
      caps |= ACCESS & available;
    }
    if (hints.capabilities() == 0) {
      caps |= Capability.SOURCE.mask() & available;
      // Before, named vectors need no capability.
      if (hints.version().isAtLeast(since(Capability.SHARED_AV))) {
        caps |= Capability.SHARED_AV.mask() & available;
      }
    }
    return caps;
  }

  private void check() {
    refusals.clear();
    checkVersion();
    checkNames();
    checkCapabilities();
    checkDomain();
    checkMemoryRegionModes();
    checkAuthKeys();
    checkContexts();
    checkLimits();
  }

  private void checkVersion() {
    ApiVersion version = hints.version();
    if (!ApiVersion.LATEST.isAtLeast(version)) {
      refusals.add(
          new Refusal(
              most.fabric().provider(),
              Errno.ENOSYS,
              "API version %s is newer than %s, the newest here"
                  .formatted(version, ApiVersion.LATEST)));
    }
    Profile asked = profile(hints);
    boolean finalRelease = version.equals(ApiVersion.V1_0) && asked == Profile.RELEASE_1_0;
    if (asked != Profile.of(version) && !finalRelease) {
      refuse(
          "profile " + asked,
          "only version 1.0 leaves a choice; version %s has %s"
              .formatted(version, Profile.of(version)));
    }
    AddressFormat format = hints.addressFormat();
    checkSince(
        since(format),
        "address format " + format,
        format == AddressFormat.STR ? ", or for SOCKADDR_IN or SOCKADDR_IN6" : ", or for SOCKADDR");
    if (most.domain().maxGroupId() > 0 && hints.maxGroupId() > 0) {
      checkSince(ApiVersion.V2_0, "max_group_id", "");
    }
    if (hasKeys() && hints.authKeys().keysInVector()) {
      checkSince(ApiVersion.V1_20, "auth_key_size FI_AV_AUTH_KEY", "");
    }
    for (Capability capability : Capability.values()) {
      if (asks(capability)) {
        checkSince(since(capability), "capability " + capability, "");
      }
    }
  }

  private void checkSince(ApiVersion first, String asked, String instead) {
    if (!hints.version().isAtLeast(first)) {
      refuse(
          asked,
          "came with API version %s, but %s was asked for: ask for %s or newer%s"
              .formatted(first, hints.version(), first, instead));
    }
  }

  private void checkNames() {
    checkName("provider", hints.provider(), most.fabric().provider());
    checkName("fabric", hints.fabric(), most.fabric().name());
    checkName("domain", hints.domain(), most.domain().name());
    EndpointType type = most.endpoint().type();
    String words = types == null ? type.name() : types;
    checkChoice("endpoint type", hints.endpointType(), type, EndpointType.UNSPECIFIED, words);
    AddressFormat format = hints.addressFormat();
    if (format != AddressFormat.UNSPECIFIED
        && most.addressFormat() != AddressFormat.UNSPECIFIED
        && !format.contains(most.addressFormat())) {
      refuse("address format " + format, subject + " " + most.addressFormat() + " only");
    }
  }

  private <E extends Enum<E>> void checkChoice(
      String hint, E asked, E offered, E any, String words) {
    if (asked != any && offered != any && asked != offered) {
      refuse(hint + " " + asked, subject + " " + words + " only");
    }
  }

  private void checkName(String hint, @Nullable String asked, String offered) {
    if (asked != null && !offered.isEmpty() && !asked.equals(offered)) {
      refuse(hint + " \"" + asked + "\"", "this one is " + offered);
    }
  }

  private void checkCapabilities() {
    long beyond = hints.capabilities() & ~most.capabilities();
    if (beyond != 0) {
      refuse("capabilities " + names(beyond), subject + " [" + names(most.capabilities()) + "]");
    }
    if (asks(Capability.SOURCE_ERR)
        && most.has(Capability.SOURCE_ERR)
        && !asks(Capability.SOURCE)) {
      refuse("capability SOURCE_ERR without SOURCE", "ask for both");
    }
    long access = hints.capabilities() & ACCESS & most.capabilities();
    if (access != 0 && !asks(Capability.RMA)) {
      refuse("capabilities " + names(access) + " without RMA", "ask for both");
    }
  }

  private void checkDomain() {
    DomainAttributes domain = most.domain();
    VectorType vector = domain.vectorType();
    checkChoice("vector type", hints.vectorType(), vector, VectorType.UNSPECIFIED, vector.name());
    Threading threading = domain.threading();
    if (threading != Threading.SAFE) {
      checkChoice(
          "threading", hints.threading(), threading, Threading.UNSPECIFIED, threading.name());
    }
    if (hints.progress() == Progress.AUTO && domain.progress() != Progress.AUTO) {
      refuse("progress AUTO", subject + " MANUAL only");
    }
    int groups = domain.maxGroupId();
    checkMost(
        "max_group_id",
        hints.maxGroupId(),
        groups,
        groups == 0 ? subject + " no peer groups: leave it 0" : "the largest group is " + groups);
  }

  /** Hints that name no mode are prepared for all but {@link MemoryRegionMode#UNPROTECTED}. */
  private void checkMemoryRegionModes() {
    long prepared = hints.memoryRegionModes();
    long offered = most.domain().memoryRegionModes();
    long unprotected = MemoryRegionMode.UNPROTECTED.mask();
    long judged = (prepared & ~unprotected) == 0 ? unprotected : ~ASKED_MODES;
    long demanded = offered & judged & ~prepared;
    if (demanded != 0) {
      refuse("mr_mode " + modes(prepared), "applications must be prepared for " + modes(demanded));
    }
    if ((prepared & ~offered & MemoryRegionMode.BASIC.mask()) != 0) {
      refuse("mr_mode BASIC", "peers name places in memory by offset, not by virtual address");
    }
  }

  private boolean hasKeys() {
    return most.domain().authKeySize() == DomainAttributes.KEYS_IN_VECTOR;
  }

  /** Keys are in the vector or there are none (AV-156, AV-221). No text shows one. */
  private void checkAuthKeys() {
    AuthKeyHints keys = hints.authKeys();
    int limit = most.domain().maxEndpointAuthKeys();
    String instead =
        subject
            + (hasKeys()
                ? " keys in their address vector only (FI_AV_AUTH_KEY)"
                : " no keys: set the authorization keys to none");
    if (!keys.keysInVector()) {
      checkMost("max_ep_auth_key", keys.maxEndpointKeys(), 0, instead);
    } else if (hasKeys()) {
      String up = "an endpoint has up to " + limit + " keys";
      checkMost("max_ep_auth_key", keys.maxEndpointKeys(), limit, up);
    } else {
      refuse("auth_key_size FI_AV_AUTH_KEY", instead);
    }
    checkNoKey("domain", keys.domainKey(), instead);
    checkNoKey("endpoint", keys.endpointKey(), instead);
  }

  private void checkNoKey(String whose, byte @Nullable [] key, String instead) {
    if (key != null) {
      refuse("auth_key of " + key.length + " bytes for the " + whose, instead);
    }
  }

  private void checkContexts() {
    DomainAttributes domain = most.domain();
    checkContexts(
        "tx_ctx_cnt", "transmit", hints.transmitContexts(), domain.maxEndpointTransmitContexts());
    boolean shares = most.endpoint().receiveContexts() == EndpointAttributes.SHARED_CONTEXT;
    if (!shares || hints.receiveContexts() != EndpointAttributes.SHARED_CONTEXT) {
      checkContexts(
          "rx_ctx_cnt", "receive", hints.receiveContexts(), domain.maxEndpointReceiveContexts());
    }
  }

  private void checkContexts(String hint, String kind, int asked, int limit) {
    if (asked == EndpointAttributes.SHARED_CONTEXT) {
      refuse(hint + " SHARED_CONTEXT", subject + " no shared " + kind + " contexts");
    } else {
      checkMost(
          hint,
          asked,
          limit,
          subject
              + (limit == 1
                  ? " one context of each kind"
                  : " up to " + limit + " " + kind + " contexts"));
    }
  }

  private void checkLimits() {
    Limits limits = hints.limits();
    long longest = most.endpoint().maxMessageSize();
    long injected = most.transmit().injectSize();
    checkMost(
        "max_msg_size",
        limits.maxMessageSize(),
        longest,
        "the longest message has " + longest + " bytes");
    checkMost(
        "inject_size", limits.injectSize(), injected, "up to " + injected + " bytes are injected");
    checkPosted("tx_attr.size", limits.transmitSize(), most.transmit().size());
    checkPosted("rx_attr.size", limits.receiveSize(), most.receive().size());
  }

  private void checkPosted(String hint, int asked, int size) {
    int limit = Math.max(mostPosted, size);
    checkMost(hint, asked, limit, "up to " + limit + " can be posted at a time");
  }

  private void checkMost(String hint, long asked, long limit, String instead) {
    if (asked < 0 || asked > limit) {
      refuse(hint + " " + asked, instead);
    }
  }

  private @Nullable FabricAddress address(String hint, @Nullable AddressHint asked) {
    if (asked == null) {
      return null;
    }
    FabricAddress address = asked instanceof FabricAddress given ? given : parsed(asked);
    if (address == null || address.format() != most.addressFormat()) {
      refuse(hint + " " + asked, subject + " addresses of format " + most.addressFormat());
    }
    return address;
  }

  /** Returns the address in a text; null if it has none, as the name of a node. */
  private static @Nullable FabricAddress parsed(AddressHint text) {
    try {
      return FabricAddress.parse(text.toString());
    } catch (FabricException name) {
      return null;
    }
  }

  private boolean asks(Capability capability) {
    return (hints.capabilities() & capability.mask()) != 0;
  }

  private void refuse(String asked, String instead) {
    refusals.add(refusal(asked, instead));
  }

  private static String names(long capabilities) {
    return Flag.names(Capability.class, capabilities).replace("|", ", ");
  }

  private static String modes(long modes) {
    return Flag.names(MemoryRegionMode.class, modes);
  }
}
