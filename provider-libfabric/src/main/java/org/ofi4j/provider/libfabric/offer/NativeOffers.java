// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.offer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressHint;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.Refusal;
import org.ofi4j.Threading;
import org.ofi4j.provider.kit.HintCheck;
import org.ofi4j.provider.libfabric.fault.KnownFaults;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.InfoQuery;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.SharedMemorySpace;

/**
 * Answers one set of hints with what libfabric has. Each offer is judged by the provider that it
 * names, so that names such as {@code libfabric:shm}, and hints without a name, get the same
 * answer.
 */
public final class NativeOffers {
  /** The capabilities of our vector in front of libfabric's, whatever the fabric. */
  private static final long OURS = Flag.maskOf(Capability.AV_USER_ID, Capability.SHARED_AV);

  /** The capabilities of directed receives; libfabric knows the first in all releases. */
  private static final long DIRECTED =
      Flag.maskOf(
          Capability.DIRECTED_RECEIVE,
          Capability.TAGGED_DIRECTED_RECEIVE,
          Capability.EXACT_DIRECTED_RECEIVE);

  /** What is passed on from libfabric. */
  private static final long NATIVE =
      Flag.maskOf(
          Capability.MSG,
          Capability.TAGGED,
          Capability.RMA,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE,
          Capability.MULTI_RECEIVE,
          Capability.SOURCE,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM);

  /** Why named vectors name no sources. */
  public static final String SHARED_SOURCES =
      "libfabric names the source of a message only if this process has inserted it, and a named"
          + " vector has entries of others";

  /** Why receives do not name entries of named vectors. */
  public static final String SHARED_DIRECTED =
      "a receive ends with the entry that it names, and nobody says when another process removes"
          + " one from a named vector";

  /** Providers that are never offered, as libfabric calls them, and why. */
  private static final Map<String, String> REFUSED =
      Map.of(
          "sm2",
          "libfabric gives messages for a closed endpoint to the endpoint that has its place in the"
              + " host next, also of another process: ask for shm",
          "sockets",
          "libfabric has deprecated it, loses the sources of its messages, and from 2.0 on refuses"
              + " sends after a peer was restarted: ask for libfabric:tcp or net");

  private static final EndpointType ANY_TYPE = EndpointType.UNSPECIFIED;
  private static final AddressFormat ANY = AddressFormat.UNSPECIFIED;

  /** What messages may be copied for, whatever the fabric injects. */
  static final int INJECT_SIZE = 4_096;

  /** The modes of memory that are passed on from libfabric. */
  private static final long MODES =
      Flag.maskOf(MemoryRegionMode.VIRTUAL_ADDRESS, MemoryRegionMode.PROVIDER_KEY);

  /** The largest number of operations that may be under way in one direction of an endpoint. */
  public static final int MAX_QUEUE_SIZE = 1 << 16;

  /** The largest number of pieces of memory of one operation, which are copied together. */
  private static final int MOST_PIECES = 16;

  /** The largest number of places in the memory of a peer that an operation reaches. */
  public static final int MOST_PLACES = 4;

  private static final int QUEUE_SIZE = 1_024;

  /** Returns the capabilities that libfabric is asked for; it knows one for directed receives. */
  public static long toNative(long capabilities) {
    long others = capabilities & ~OURS & ~DIRECTED;
    return (capabilities & DIRECTED) == 0 ? others : others | Capability.DIRECTED_RECEIVE.mask();
  }

  private static String names(long capabilities) {
    return Flag.names(Capability.class, capabilities);
  }

  /** The same hints without one of them. */
  private record Less(String hint, Hints others) {}

  private final Libfabric library;
  private final Hints hints;
  private final String shown;
  private final HintCheck check;
  private final List<Refusal> refusals = new ArrayList<>();

  /** Why an offer that libfabric has made cannot be passed on. */
  private @Nullable Refusal withheld;

  /**
   * Creates the answer to hints.
   *
   * @param hints of this provider
   */
  public NativeOffers(Libfabric library, Hints hints) {
    this.library = library;
    this.hints = hints;
    shown = hints.provider() == null ? "libfabric" : hints.provider();
    check =
        new HintCheck(hints, most())
            .subject("endpoints over libfabric have")
            .grantedUnasked(NATIVE);
  }

  /** Returns the offers, or the reasons why there are none. */
  public InfoAnswer answer() {
    check();
    if (!refusals.isEmpty()) {
      return new InfoAnswer(List.of(), refusals);
    }
    List<FabricInfo> offers = List.of();
    try {
      offers = offers();
      if (offers.isEmpty()) {
        refuse();
      }
    } catch (FabricException failed) {
      refuse("fi_getinfo", String.valueOf(failed.getMessage()));
    }
    return new InfoAnswer(offers, refusals);
  }

  /**
   * What libfabric offers: first what has the very name, then what is layered above it, and what
   * connects last.
   */
  private List<FabricInfo> offers() {
    Set<FabricInfo> offers = new LinkedHashSet<>();
    InfoQuery query =
        new InfoQuery(
            ProviderNames.toNative(hints.provider()), hints, toNative(hints.capabilities()));
    for (NativeInfo each : query.ask(library)) {
      try (each) {
        FabricInfo offer = offer(each);
        if (offer != null) {
          offers.add(offer);
        }
      }
    }
    return offers.stream().sorted(Comparator.comparingInt(this::place)).toList();
  }

  private int place(FabricInfo offer) {
    boolean named = offer.fabric().provider().equals(hints.provider());
    return offer.endpoint().type() == EndpointType.MSG ? 2 : named ? 0 : 1;
  }

  /** Says which hint it is that libfabric has nothing for, if it is one. */
  private void refuse() {
    if (withheld != null) {
      refusals.add(withheld);
      return;
    }
    String lacking = lackingSpace();
    if (lacking != null) {
      refusals.add(new Refusal(shown, Errno.ENODATA, lacking));
      return;
    }
    String found =
        Stream.of(
                new Less("endpoint type " + hints.endpointType(), hints.withEndpointType(ANY_TYPE)),
                new Less("address format " + hints.addressFormat(), hints.withAddressFormat(ANY)),
                new Less("capabilities " + names(hints.capabilities()), hints.withCapabilities()),
                new Less("fabric or domain", hints.withFabric(null).withDomain(null)),
                new Less(
                    "source or destination",
                    hints.withSource((AddressHint) null).withDestination((AddressHint) null)))
            .filter(each -> !each.others.equals(hints))
            .filter(each -> !new NativeOffers(library, each.others).offers().isEmpty())
            .map(Less::hint)
            .findFirst()
            .orElse(null);
    refuse(
        found == null ? "these hints" : found,
        "libfabric %s has nothing that meets %s; \"fi_info -p %s\" lists what it has"
            .formatted(
                library.versionText(),
                found == null ? "them" : "it",
                ProviderNames.toNative(shown)));
  }

  private @Nullable String lackingSpace() {
    return "shm".equals(ProviderNames.toNative(hints.provider()))
        ? SharedMemorySpace.lackingForOffers(
            hints.limits().transmitSize(), hints.limits().receiveSize(), library)
        : null;
  }

  // Hints that cannot be met, whatever libfabric has.

  /** Returns the most that any fabric can have. */
  private FabricInfo most() {
    return HintCheck.describe(hints)
        .capabilities(NATIVE | OURS | DIRECTED)
        .fabric(FabricInfo.FabricAttributes.builder().provider(shown).build())
        .domain(
            FabricInfo.DomainAttributes.builder()
                .threading(Threading.SAFE)
                .progress(Progress.AUTO)
                .memoryRegionModes(Flag.maskOf(MemoryRegionMode.BASIC, MemoryRegionMode.SCALABLE))
                .build())
        .endpoint(FabricInfo.EndpointAttributes.builder().maxMessageSize(Long.MAX_VALUE).build())
        .transmit(
            FabricInfo.Transmit.builder().injectSize(Long.MAX_VALUE).size(MAX_QUEUE_SIZE).build())
        .receive(FabricInfo.Receive.builder().size(MAX_QUEUE_SIZE).build())
        .build();
  }

  private void check() {
    refusals.addAll(check.refusals());
    String provider = ProviderNames.toNative(hints.provider());
    if (provider != null && REFUSED.containsKey(provider)) {
      refuse("provider " + shown, REFUSED.get(provider));
    }
    long directed = hints.capabilities() & DIRECTED;
    String asking = "capabilities " + names(directed);
    String fault = KnownFaults.ofDirectedReceives(provider, library);
    if (directed != 0 && fault != null) {
      refuse(asking, "%s of libfabric %s %s".formatted(shown, library.versionText(), fault));
    }
    if (asks(Capability.SHARED_AV) && directed != 0) {
      refuse(asking + ", SHARED_AV", SHARED_DIRECTED + ": ask for one of them");
    }
    if (asks(Capability.SHARED_AV) && asks(Capability.SOURCE)) {
      refuse("capabilities SOURCE, SHARED_AV", SHARED_SOURCES + ": ask for one of them");
    }
    Refusal broken = provider == null ? null : fault(provider, shown);
    if (broken != null) {
      refusals.add(broken);
    }
    if (hints.endpointType() == EndpointType.MSG && ofManyPeers() != 0) {
      refuse(
          "capability " + names(ofManyPeers()),
          "an endpoint of type MSG has one peer: leave it out");
    }
  }

  /** Returns the capabilities in the hints that only endpoints with many peers have. */
  private long ofManyPeers() {
    return hints.capabilities() & (DIRECTED | Capability.SOURCE.mask());
  }

  private boolean asks(Capability capability) {
    return (hints.capabilities() & capability.mask()) != 0;
  }

  private void refuse(String asked, String instead) {
    refusals.add(check.refusal(asked, instead));
  }

  // What of its answer is offered.

  /** An offer; null if it is none that this provider can open. */
  private @Nullable FabricInfo offer(NativeInfo info) {
    EndpointType type = type(info);
    AddressFormat format = AddressFormat.of(info.addressFormat());
    String provider = ProviderNames.fromNative(info.providerName());
    long demanded = info.mode() & ~(Constants.CONTEXT | Constants.CONTEXT2);
    if (REFUSED.containsKey(info.providerName())
        || type == null
        || format == null
        || demanded != 0
        || (type == EndpointType.MSG && ofManyPeers() != 0)
        || !directs(info)) {
      return null;
    }
    Refusal fault = fault(info.providerName(), provider);
    if (fault != null) {
      withheld = fault;
      return null;
    }
    if (!hints.version().isAtLeast(HintCheck.since(format))) {
      withheld =
          check.refusal(
              "API version " + hints.version(),
              "%s has addresses of format %s, which came with API version %s: ask for that or newer"
                  .formatted(shown, format, HintCheck.since(format)));
      return null;
    }
    return check.granted(
        HintCheck.describe(hints)
            .capabilities(capabilities(info))
            .addressFormat(format)
            .source(address(format, info.source()))
            .destination(address(format, info.destination()))
            .fabric(
                FabricInfo.FabricAttributes.builder()
                    .provider(provider)
                    .name(info.fabricName())
                    .providerVersion(info.providerVersion())
                    .build())
            .domain(
                FabricInfo.DomainAttributes.builder()
                    .name(info.domainName())
                    .threading(isOneAtATime() ? Threading.DOMAIN : Threading.SAFE)
                    .memoryRegionModes(
                        (info.memoryRegionModes() & MODES) | modes(info.providerName()))
                    .memoryRegionKeySize(info.memoryRegionKeySize())
                    .build())
            .endpoint(
                FabricInfo.EndpointAttributes.builder()
                    .type(type)
                    .protocol(NativeProtocol.name(info.protocol()))
                    .maxMessageSize(info.maxMessageSize())
                    .build())
            .transmit(
                FabricInfo.Transmit.builder()
                    .injectSize(Math.max(INJECT_SIZE, hints.limits().injectSize()))
                    .size(queueSize(info.transmitSize()))
                    .iovLimit(MOST_PIECES)
                    .rmaIovLimit((int) Math.min(MOST_PLACES, info.remotePieces()))
                    .build())
            .receive(
                FabricInfo.Receive.builder()
                    .size(queueSize(info.receiveSize()))
                    .iovLimit(MOST_PIECES)
                    .build())
            .build());
  }

  /** Whether receives can name their source, if they are to. */
  private boolean directs(NativeInfo info) {
    return (hints.capabilities() & DIRECTED) == 0
        || ((info.capabilities() & Capability.DIRECTED_RECEIVE.mask()) != 0
            && KnownFaults.ofDirectedReceives(info.providerName(), library) == null);
  }

  private static @Nullable EndpointType type(NativeInfo info) {
    return Stream.of(EndpointType.RDM, EndpointType.DGRAM, EndpointType.MSG)
        .filter(each -> each.number() == info.endpointType())
        .findFirst()
        .orElse(null);
  }

  private static @Nullable FabricAddress address(AddressFormat format, byte @Nullable [] packed) {
    return packed == null ? null : NativeAddress.of(format, packed);
  }

  /** Whether the application promises one call at a time, and no other thread moves data. */
  private boolean isOneAtATime() {
    return hints.threading() == Threading.DOMAIN && hints.progress() != Progress.AUTO;
  }

  /**
   * Returns the capabilities of a fabric and of our vector. Sources come only where they are asked
   * for, because the fabric must then know every peer before a message comes from it.
   */
  private long capabilities(NativeInfo info) {
    long unasked = asks(Capability.SOURCE) ? 0 : Capability.SOURCE.mask();
    return (info.capabilities() & NATIVE & ~unasked & ~withheld(info.providerName()))
        | OURS
        | DIRECTED;
  }

  private static int queueSize(long nativeSize) {
    return nativeSize <= 0 ? QUEUE_SIZE : (int) Math.min(nativeSize, MAX_QUEUE_SIZE);
  }

  // Capabilities that libfabric offers and does not keep.

  /**
   * Returns why an offer does not keep what the hints ask for, or cannot be used safely; null if it
   * can.
   *
   * @param nativeName the name that libfabric has for the provider
   * @param provider the name that hints ask for the provider by
   */
  private @Nullable Refusal fault(@Nullable String nativeName, String provider) {
    String sources = KnownFaults.ofSources(nativeName, library);
    if (asks(Capability.SOURCE) && sources != null) {
      return refusal(provider, "capability SOURCE", sources, "put the sender into the message");
    }
    String unreserved = SharedMemorySpace.unreserved(nativeName, library);
    if (unreserved != null) {
      String variable = SharedMemorySpace.MESSAGES_IN_FILES;
      return refusal(provider, "variable " + variable, unreserved, "unset " + variable);
    }
    String unsafe = KnownFaults.ofUnsafeLayers(nativeName, hints.provider(), library);
    if (unsafe != null) {
      return refusal(
          provider,
          "provider " + provider,
          unsafe,
          "take another provider, or name %s in the hints if all of its network is trusted"
              .formatted(provider));
    }
    long access = hints.capabilities() & withheld(nativeName);
    String protection = KnownFaults.ofProtection(nativeName);
    if (access != 0 && protection != null) {
      return refusal(
          provider,
          "capabilities " + Flag.names(Capability.class, access),
          protection,
          "take another provider, or accept MemoryRegionMode.UNPROTECTED in the hints if all"
              + " processes that can reach the memory are trusted");
    }
    return null;
  }

  /** Returns the capabilities that a provider is not offered with. */
  private long withheld(@Nullable String nativeName) {
    boolean accepted =
        (hints.memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask()) != 0
            || KnownFaults.ofProtection(nativeName) == null;
    return accepted ? 0 : KnownFaults.ACCESS;
  }

  /** Returns the modes of memory that an application accepts with offers of a provider. */
  private long modes(String nativeName) {
    return KnownFaults.ofProtection(nativeName) == null
        ? 0
        : hints.memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask();
  }

  private Refusal refusal(String provider, String asked, String fault, String instead) {
    String reason =
        "%s: %s of libfabric %s %s: %s"
            .formatted(asked, provider, library.versionText(), fault, instead);
    String named = hints.provider();
    return new Refusal(named == null ? provider : named, Errno.ENODATA, reason);
  }

  // An offer that is opened.

  /**
   * Asks libfabric again for an offer.
   *
   * @return the caller's to close
   * @throws FabricException with {@link Errno#ENODATA} if there is no such interface any more
   */
  public static NativeInfo find(Libfabric library, FabricInfo offer) {
    return find(library, offer, 0);
  }

  private static NativeInfo find(Libfabric library, FabricInfo info, long more) {
    Hints hints =
        Hints.latest()
            .withFabric(info.fabric().name())
            .withDomain(info.domain().name())
            .withEndpointType(info.endpoint().type())
            .withAddressFormat(info.addressFormat())
            .withSource(info.source())
            .withLimits(
                Limits.none()
                    .withTransmitSize(info.transmit().size())
                    .withReceiveSize(info.receive().size()));
    InfoQuery query =
        new InfoQuery(
            ProviderNames.toNative(info.fabric().provider()),
            hints,
            toNative(info.capabilities()) | more);
    NativeInfo found = null;
    for (NativeInfo each : query.ask(library)) {
      // A name may stand for layers above it too, such as net for net;ofi_rxm.
      if (found == null && Objects.equals(each.providerName(), query.provider())) {
        found = each;
      } else {
        each.close();
      }
    }
    if (found == null) {
      throw new FabricException(
          Errno.ENODATA,
          "libfabric offers %s %s no longer: ask for information again"
              .formatted(info.fabric().provider(), info.domain().name()));
    }
    return found;
  }

  /**
   * Returns whether libfabric has an interface with more capabilities than an offer names.
   *
   * @param capabilities as libfabric numbers them
   */
  public static boolean grants(Libfabric library, FabricInfo offer, long capabilities) {
    try (NativeInfo found = find(library, offer, capabilities)) {
      return (found.capabilities() & capabilities) == capabilities;
    } catch (FabricException refused) {
      if (refused.errno() == Errno.ENODATA) {
        return false;
      }
      throw refused;
    }
  }
}
