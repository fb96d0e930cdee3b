// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.Hints;
import org.ofi4j.Profile;
import org.ofi4j.Refusal;

/**
 * Finds hints that came later than the API version that the application asked for: the part of
 * fi_getinfo(3) that is the same for all providers.
 */
public final class VersionCheck {
  /**
   * The provider that is asked.
   *
   * @param name its name, for refusals
   * @param groups whether it has peer groups
   * @param authKeys whether it has authorization keys
   */
  public record Provider(String name, boolean groups, boolean authKeys) {}

  private final Provider provider;
  private final Hints hints;
  private final List<Refusal> refusals = new ArrayList<>();

  private VersionCheck(Provider provider, Hints hints) {
    this.provider = provider;
    this.hints = hints;
  }

  /**
   * Returns the reasons why hints do not go with the version.
   *
   * @param provider the provider that is asked
   * @param hints the hints of the application
   * @return the refusals; none if all hints go with it
   */
  public static List<Refusal> refusals(Provider provider, Hints hints) {
    VersionCheck check = new VersionCheck(provider, hints);
    check.version();
    check.profile();
    AddressFormat format = hints.addressFormat();
    check.since(
        since(format),
        "address format " + format,
        format == AddressFormat.STR ? ", or for SOCKADDR_IN or SOCKADDR_IN6" : ", or for SOCKADDR");
    if (provider.groups() && hints.maxGroupId() > 0) {
      check.since(ApiVersion.V2_0, "max_group_id", "");
    }
    if (provider.authKeys() && hints.authKeys().keysInVector()) {
      check.since(ApiVersion.V1_20, "auth_key_size FI_AV_AUTH_KEY", "");
    }
    for (Capability capability : Capability.values()) {
      if ((hints.capabilities() & capability.mask()) != 0) {
        check.since(since(capability), "capability " + capability, "");
      }
    }
    return check.refusals;
  }

  /**
   * Returns the edition of the rules that holds.
   *
   * @param hints the hints of the application
   * @return the profile of the hints, or that of their version
   */
  public static Profile profile(Hints hints) {
    Profile asked = hints.profile();
    return asked == null ? Profile.of(hints.version()) : asked;
  }

  /**
   * Returns whether named vectors need a capability; before version 1.5 a name was enough.
   *
   * @param hints the hints of the application
   * @return true from version 1.5 on
   */
  public static boolean sharesByCapability(Hints hints) {
    return hints.version().isAtLeast(ApiVersion.V1_5);
  }

  /**
   * Returns the version that an address format came with.
   *
   * @param format the format
   * @return the first version that has it
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

  private void version() {
    if (!ApiVersion.LATEST.isAtLeast(hints.version())) {
      refuse(
          Errno.ENOSYS,
          "API version %s is newer than %s, the newest here"
              .formatted(hints.version(), ApiVersion.LATEST));
    }
  }

  private void profile() {
    ApiVersion version = hints.version();
    Profile asked = profile(hints);
    boolean finalRelease = version.equals(ApiVersion.V1_0) && asked == Profile.RELEASE_1_0;
    if (asked != Profile.of(version) && !finalRelease) {
      refuse(
          Errno.ENODATA,
          ("profile %s does not go with API version %s: only version 1.0 leaves a choice; this one"
                  + " has %s")
              .formatted(asked, version, Profile.of(version)));
    }
  }

  private void since(ApiVersion first, String what, String instead) {
    if (!hints.version().isAtLeast(first)) {
      refuse(
          Errno.ENODATA,
          "%s came with API version %s, but %s was asked for: ask for %s or newer%s"
              .formatted(what, first, hints.version(), first, instead));
    }
  }

  private void refuse(Errno errno, String reason) {
    refusals.add(new Refusal(provider.name(), errno, reason));
  }
}
