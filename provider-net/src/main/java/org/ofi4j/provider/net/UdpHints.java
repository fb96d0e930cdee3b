package org.ofi4j.provider.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.Profile;
import org.ofi4j.Refusal;

/**
 * Which hints datagrams over UDP cannot meet, whatever the network, and what they have instead; and
 * what they grant for those that they meet.
 */
final class UdpHints {
  /** All that may be asked for; the rest of {@link Capability} is beyond datagrams. */
  static final Set<Capability> CAPABILITIES =
      EnumSet.of(
          Capability.MSG,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.SOURCE,
          Capability.SOURCE_ERR,
          Capability.AV_USER_ID,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM);

  private static final Set<AddressFormat> FORMATS =
      EnumSet.of(
          AddressFormat.SOCKADDR_IN,
          AddressFormat.SOCKADDR_IN6,
          AddressFormat.SOCKADDR,
          AddressFormat.SOCKADDR_IP,
          AddressFormat.STR);

  private final Hints hints;
  private final List<Refusal> refusals = new ArrayList<>();

  private UdpHints(Hints hints) {
    this.hints = hints;
  }

  /** What cannot be met; empty if everything can. */
  static List<Refusal> refusals(Hints hints) {
    UdpHints check = new UdpHints(hints);
    check.versions();
    check.kind();
    check.capabilities();
    check.counts();
    check.sizes();
    return check.refusals;
  }

  /** Which edition of the rules holds. */
  static Profile profile(Hints hints) {
    Profile asked = hints.profile();
    return asked == null ? Profile.of(hints.version()) : asked;
  }

  /**
   * What is granted: messages both ways unless one way is asked for, what else was asked for, and
   * reach. The source comes unasked only with no capabilities at all, because finding it costs a
   * lookup for each message.
   */
  static long granted(Hints hints, boolean loopback) {
    long caps = hints.caps() | Capability.MSG.mask() | Capability.LOCAL_COMM.mask();
    if (hints.caps() == 0) {
      caps |= Capability.SOURCE.mask();
    }
    long bothWays = Flag.maskOf(Capability.SEND, Capability.RECEIVE);
    if ((caps & bothWays) == 0) {
      caps |= bothWays;
    }
    if (!loopback) {
      caps |= Capability.REMOTE_COMM.mask();
    }
    return caps;
  }

  private void versions() {
    ApiVersion version = hints.version();
    if (!ApiVersion.LATEST.isAtLeast(version)) {
      refusals.add(
          new Refusal(
              UdpOffers.PROVIDER,
              Errno.ENOSYS,
              "API version "
                  + version
                  + " is newer than "
                  + ApiVersion.LATEST
                  + ", the newest here"));
    }
    Profile asked = hints.profile();
    if (asked != null && asked != Profile.of(version)) {
      boolean finalRelease = version.equals(ApiVersion.V1_0) && asked == Profile.RELEASE_1_0;
      if (!finalRelease) {
        refuse(
            "profile " + asked + " does not go with API version " + version,
            "only version 1.0 leaves a choice; this one has " + Profile.of(version));
      }
    }
    if (hints.addressFormat() == AddressFormat.STR && !version.isAtLeast(ApiVersion.V1_5)) {
      refuse(
          "address format STR came with API version 1.5, but " + version + " was asked for",
          "ask for 1.5 or newer, or for SOCKADDR_IN or SOCKADDR_IN6");
    }
    if (hints.addressFormat() == AddressFormat.SOCKADDR_IP && !version.isAtLeast(ApiVersion.V2_3)) {
      refuse(
          "address format SOCKADDR_IP came with API version 2.3, but " + version + " was asked for",
          "ask for 2.3 or newer, or for SOCKADDR");
    }
  }

  private void kind() {
    String provider = hints.provider();
    if (provider != null && !provider.equals(UdpOffers.PROVIDER)) {
      refuse("provider \"" + provider + "\" was asked for", "this one is udp");
    }
    if (hints.endpointType() != EndpointType.UNSPECIFIED
        && hints.endpointType() != EndpointType.DGRAM) {
      refuse("endpoint type " + hints.endpointType(), "datagrams have DGRAM only");
    }
    if (hints.addressFormat() != AddressFormat.UNSPECIFIED
        && !FORMATS.contains(hints.addressFormat())) {
      refuse("address format " + hints.addressFormat(), "there are " + FORMATS);
    }
    long known = Flag.maskOf(InfoFlag.values());
    if ((hints.flags() & ~known) != 0) {
      refuse(
          "flags " + hex(hints.flags() & ~known),
          "there are " + Arrays.toString(InfoFlag.values()));
    }
  }

  private void capabilities() {
    long beyond = hints.caps() & ~Flag.maskOf(CAPABILITIES.toArray(Capability[]::new));
    if (beyond != 0) {
      refuse("capabilities " + names(beyond), "datagrams have " + CAPABILITIES);
    }
    if (asks(Capability.SOURCE_ERR)) {
      if (!asks(Capability.SOURCE)) {
        refuse("capability SOURCE_ERR without SOURCE", "ask for both");
      }
      newer(Capability.SOURCE_ERR, ApiVersion.V1_5);
    }
    if (asks(Capability.AV_USER_ID)) {
      newer(Capability.AV_USER_ID, ApiVersion.V1_16);
    }
  }

  private void newer(Capability capability, ApiVersion since) {
    if (!hints.version().isAtLeast(since)) {
      refuse(
          "capability "
              + capability
              + " came with API version "
              + since
              + ", but "
              + hints.version()
              + " was asked for",
          "ask for " + since + " or newer");
    }
  }

  private void counts() {
    none("max_group_id", hints.maxGroupId(), "datagrams carry no peer group: leave it 0");
    none("auth_key_size", hints.authKeySize(), "datagrams carry no key: leave it 0");
    none("max_ep_auth_key", hints.maxEndpointAuthKeys(), "datagrams carry no key: leave it 0");
    most("tx_ctx_cnt", hints.transmitContexts(), 1, "an endpoint has one transmit context");
    most("rx_ctx_cnt", hints.receiveContexts(), 1, "an endpoint has one receive context");
  }

  private void sizes() {
    String length = "the longest datagram has " + UdpLimits.MAX_MESSAGE_IPV6 + " bytes over IPv6";
    most("max_msg_size", hints.maxMessageSize(), UdpLimits.MAX_MESSAGE_IPV6, length);
    most(
        "inject_size",
        hints.injectSize(),
        UdpLimits.INJECT_SIZE,
        "up to " + UdpLimits.INJECT_SIZE + " bytes are injected");
    String posted = "up to " + UdpLimits.MAX_QUEUE_SIZE + " can be posted at a time";
    most("tx_attr.size", hints.transmitSize(), UdpLimits.MAX_QUEUE_SIZE, posted);
    most("rx_attr.size", hints.receiveSize(), UdpLimits.MAX_QUEUE_SIZE, posted);
  }

  private void none(String hint, long value, String instead) {
    if (value != 0) {
      refuse(hint + " " + value, instead);
    }
  }

  private void most(String hint, long value, long limit, String instead) {
    if (value < 0 || value > limit) {
      refuse(hint + " " + value, instead);
    }
  }

  private boolean asks(Capability capability) {
    return (hints.caps() & capability.mask()) != 0;
  }

  private void refuse(String asked, String instead) {
    refusals.add(refusal(asked, instead));
  }

  /** A hint that cannot be met, and what could be. */
  static Refusal refusal(String asked, String instead) {
    return new Refusal(UdpOffers.PROVIDER, Errno.ENODATA, asked + ": " + instead);
  }

  private static String names(long caps) {
    List<Capability> named =
        Arrays.stream(Capability.values()).filter(each -> (caps & each.mask()) != 0).toList();
    long unnamed = caps & ~Flag.maskOf(Capability.values());
    String text = named.stream().map(Capability::name).collect(Collectors.joining(", "));
    return unnamed == 0 ? text : text + (text.isEmpty() ? "" : ", ") + hex(unnamed);
  }

  private static String hex(long bits) {
    return "0x" + Long.toHexString(bits);
  }
}
