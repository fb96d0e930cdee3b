// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Refusal;
import org.ofi4j.provider.kit.VersionCheck;

/**
 * Which hints a protocol cannot meet, whatever the network, and what it has instead; and what it
 * grants for those that it meets.
 */
final class HintCheck {
  private static final Set<AddressFormat> FORMATS =
      EnumSet.of(
          AddressFormat.SOCKADDR_IN,
          AddressFormat.SOCKADDR_IN6,
          AddressFormat.SOCKADDR,
          AddressFormat.SOCKADDR_IP,
          AddressFormat.STR);

  /** How remote memory can be used; what limits {@link Capability#RMA}. */
  private static final long REMOTE_ACCESS =
      Flag.maskOf(
          Capability.READ, Capability.WRITE, Capability.REMOTE_READ, Capability.REMOTE_WRITE);

  private final Protocol protocol;
  private final Hints hints;
  private final List<Refusal> refusals = new ArrayList<>();

  private HintCheck(Protocol protocol, Hints hints) {
    this.protocol = protocol;
    this.hints = hints;
  }

  /** What cannot be met; empty if everything can. */
  static List<Refusal> refusals(Protocol protocol, Hints hints) {
    HintCheck check = new HintCheck(protocol, hints);
    check.kind();
    check.capabilities();
    check.memoryRegions();
    check.counts();
    check.sizes();
    check.refusals.addAll(
        VersionCheck.refusals(
            new VersionCheck.Provider(
                protocol.provider(), protocol.hasGroups(), protocol.maxAuthKeys() > 0),
            hints));
    return check.refusals;
  }

  /**
   * What is granted: messages and remote access of every kind unless kinds are named, both ways
   * unless one way is asked for, what else was asked for, and reach. The source comes unasked only
   * with no capabilities at all, because finding it costs a lookup for each message; so do named
   * vectors, which versions before 1.5 have without any capability.
   */
  static long granted(Protocol protocol, Hints hints, boolean loopback) {
    long caps = hints.capabilities() | Capability.LOCAL_COMM.mask();
    long kinds = Flag.maskOf(Capability.MSG, Capability.TAGGED, Capability.RMA);
    if ((caps & kinds) == 0) {
      caps |= kinds & protocol.capabilities();
    }
    if (hints.capabilities() == 0) {
      caps |= Capability.SOURCE.mask() & protocol.capabilities();
      if (VersionCheck.sharesByCapability(hints)) {
        caps |= Capability.SHARED_AV.mask() & protocol.capabilities();
      }
    }
    long bothWays = Flag.maskOf(Capability.SEND, Capability.RECEIVE);
    if ((caps & bothWays) == 0) {
      caps |= bothWays;
    }
    if ((caps & Capability.RMA.mask()) != 0 && (caps & REMOTE_ACCESS) == 0) {
      caps |= REMOTE_ACCESS;
    }
    if (!loopback) {
      caps |= Capability.REMOTE_COMM.mask();
    }
    return caps;
  }

  private void kind() {
    String provider = hints.provider();
    if (provider != null && !provider.equals(protocol.provider())) {
      refuse("provider \"" + provider + "\" was asked for", "this one is " + protocol.provider());
    }
    if (hints.endpointType() != EndpointType.UNSPECIFIED
        && hints.endpointType() != protocol.type()) {
      refuse(
          "endpoint type " + hints.endpointType(),
          protocol.have() + " " + protocol.types() + " only");
    }
    if (hints.addressFormat() != AddressFormat.UNSPECIFIED
        && !FORMATS.contains(hints.addressFormat())) {
      refuse("address format " + hints.addressFormat(), "there are " + FORMATS);
    }
  }

  private void capabilities() {
    long beyond = hints.capabilities() & ~protocol.capabilities();
    if (beyond != 0) {
      refuse(
          "capabilities " + names(beyond), protocol.have() + " " + list(protocol.capabilities()));
    }
    if (asks(Capability.SOURCE_ERR) && !asks(Capability.SOURCE)) {
      refuse("capability SOURCE_ERR without SOURCE", "ask for both");
    }
    if ((hints.capabilities() & REMOTE_ACCESS & protocol.capabilities()) != 0
        && !asks(Capability.RMA)) {
      refuse(
          "capabilities " + names(hints.capabilities() & REMOTE_ACCESS) + " without RMA",
          "ask for both");
    }
  }

  /** Nothing is needed of applications, so it does not matter what they are prepared for. */
  private void memoryRegions() {
    if ((hints.memoryRegionModes() & MemoryRegionMode.BASIC.mask()) != 0) {
      refuse(
          "mr_mode BASIC",
          "peers name places in memory by offset, because not all memory here has an address");
    }
  }

  private void counts() {
    groups();
    authorizationKeys();
    contexts("tx_ctx_cnt", "transmit", hints.transmitContexts());
    if (hints.receiveContexts() != EndpointAttributes.SHARED_CONTEXT
        || !protocol.sharesReceives()) {
      contexts("rx_ctx_cnt", "receive", hints.receiveContexts());
    } else if (hints.authKeys().keysInVector()) {
      refuse(
          "rx_ctx_cnt SHARED_CONTEXT with authorization keys",
          "endpoints with keys share no receives: leave one of the two out");
    }
  }

  private void contexts(String hint, String which, int value) {
    int limit = protocol.maxContexts();
    if (value == EndpointAttributes.SHARED_CONTEXT) {
      refuse(hint + " SHARED_CONTEXT", protocol.have() + " no shared " + which + " contexts");
    } else if (limit == 1) {
      most(hint, value, 1, "an endpoint has one " + which + " context");
    } else {
      most(hint, value, limit, "an endpoint has up to " + limit + " " + which + " contexts");
    }
  }

  /** Keys are in the vector or there are none (AV-156, AV-221). No text shows one. */
  private void authorizationKeys() {
    AuthKeyHints keys = hints.authKeys();
    if (keys.keysInVector() && protocol.maxAuthKeys() > 0) {
      most(
          "max_ep_auth_key",
          keys.maxEndpointKeys(),
          protocol.maxAuthKeys(),
          "an endpoint has up to " + protocol.maxAuthKeys() + " keys");
    } else {
      String instead =
          protocol.maxAuthKeys() == 0
              ? " no keys: ask for none"
              : " keys in their address vector only (FI_AV_AUTH_KEY)";
      if (keys.keysInVector()) {
        refuse("auth_key_size FI_AV_AUTH_KEY", protocol.have() + instead);
      }
      none("max_ep_auth_key", keys.maxEndpointKeys(), protocol.have() + instead);
    }
    noOwnKey("domain", keys.domainKey());
    noOwnKey("endpoint", keys.endpointKey());
  }

  private void noOwnKey(String whose, byte @Nullable [] key) {
    if (key != null) {
      refuse(
          "auth_key of " + key.length + " bytes for the " + whose,
          protocol.maxAuthKeys() == 0
              ? protocol.have() + " no keys: leave it out"
              : "insert keys into the address vector (FI_AV_AUTH_KEY), and leave it out");
    }
  }

  /** How many keys a vector of the domain may have. */
  static int grantedKeys(Protocol protocol, Hints hints) {
    AuthKeyHints keys = hints.authKeys();
    if (!keys.keysInVector()) {
      return 0;
    }
    return keys.maxEndpointKeys() > 0 ? keys.maxEndpointKeys() : protocol.maxAuthKeys();
  }

  private void groups() {
    int most = hints.maxGroupId();
    if (!protocol.hasGroups()) {
      none("max_group_id", most, protocol.have() + " no peer groups: leave it 0");
    } else if (most < 0) {
      refuse("max_group_id " + most, "the largest group is " + Integer.MAX_VALUE);
    }
  }

  private void sizes() {
    Limits limits = hints.limits();
    most("max_msg_size", limits.maxMessageSize(), protocol.maxMessage(true), protocol.longest());
    most(
        "inject_size",
        limits.injectSize(),
        protocol.bounds().injectSize,
        "up to " + protocol.bounds().injectSize + " bytes are injected");
    String posted = "up to " + protocol.bounds().maxQueueSize + " can be posted at a time";
    most("tx_attr.size", limits.transmitSize(), protocol.bounds().maxQueueSize, posted);
    most("rx_attr.size", limits.receiveSize(), protocol.bounds().maxQueueSize, posted);
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
    return (hints.capabilities() & capability.mask()) != 0;
  }

  private void refuse(String asked, String instead) {
    refusals.add(refusal(protocol, asked, instead));
  }

  /** A hint that cannot be met, and what could be. */
  static Refusal refusal(Protocol protocol, String asked, String instead) {
    return new Refusal(protocol.provider(), Errno.ENODATA, asked + ": " + instead);
  }

  private static List<Capability> list(long caps) {
    return Arrays.stream(Capability.values()).filter(each -> (caps & each.mask()) != 0).toList();
  }

  private static String names(long caps) {
    return list(caps).stream().map(Capability::name).collect(Collectors.joining(", "));
  }
}
