// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.VectorType;

/**
 * What a test needs of a domain.
 *
 * @param profile the edition of the man page, or null for the one that the version selects
 * @param format of addresses, or unspecified for those that the provider has: see {@link
 *     AddressTests}
 * @param caps bits of {@link Capability} to ask for
 * @param domainType the vector type that the domain is limited to
 * @param endpointType what endpoints are needed, if any
 */
public record Setup(
    ApiVersion version,
    @Nullable Profile profile,
    AddressFormat format,
    long caps,
    VectorType domainType,
    EndpointType endpointType,
    Progress progress) {

  /** The rules of the newest edition. */
  public static final Setup DEFAULT = of(ApiVersion.V2_1);

  /** The same with IPv4 addresses, for rules about them. */
  public static final Setup IPV4 = DEFAULT.format(AddressFormat.SOCKADDR_IN);

  /** 1.0 final, which numbers itself like its candidate. */
  public static final Setup FINAL_1_0 = of(ApiVersion.V1_0).profile(Profile.RELEASE_1_0);

  /** No format and no capabilities in particular. */
  public static Setup of(ApiVersion version) {
    return new Setup(
        version,
        null,
        AddressFormat.UNSPECIFIED,
        0,
        VectorType.UNSPECIFIED,
        EndpointType.UNSPECIFIED,
        Progress.UNSPECIFIED);
  }

  /** One setup for each profile, oldest first. */
  public static List<Setup> profiles() {
    return List.of(
        of(ApiVersion.V1_0), of(ApiVersion.V1_15), of(ApiVersion.V1_20), of(ApiVersion.V2_1));
  }

  public Setup profile(@Nullable Profile profile) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  public Setup format(AddressFormat format) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  /** A copy that asks for capabilities. */
  public Setup caps(Capability... capabilities) {
    return caps(Flag.maskOf(capabilities));
  }

  /** A copy that asks for more capabilities. */
  public Setup more(Capability... capabilities) {
    return caps(caps | Flag.maskOf(capabilities));
  }

  private Setup caps(long caps) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  /** A copy whose domain is limited to one vector type. */
  public Setup domainType(VectorType domainType) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  public Setup endpointType(EndpointType endpointType) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  /** A copy that says who moves the data. */
  public Setup progress(Progress progress) {
    return new Setup(version, profile, format, caps, domainType, endpointType, progress);
  }

  /** The profile in effect. */
  public Profile effectiveProfile() {
    return profile != null ? profile : Profile.of(version);
  }

  /** Whether the version has something that came with {@code other}. */
  public boolean isAtLeast(ApiVersion other) {
    return version.isAtLeast(other);
  }

  /** Whether the version has addresses of a format. */
  public boolean has(AddressFormat format) {
    return isAtLeast(
        switch (format) {
          case STR -> ApiVersion.V1_5;
          case SOCKADDR_IP -> ApiVersion.V2_3;
          default -> ApiVersion.V1_0;
        });
  }

  /** Whether indices only ever grow (AV-083). */
  public boolean isAppendOnly() {
    return effectiveProfile() == Profile.CANDIDATE_1_0;
  }

  /** Whether handles of MAP vectors say nothing (AV-082). */
  public boolean hasOpaqueMapHandles() {
    return effectiveProfile() != Profile.RELEASE_2_0;
  }

  /** The same as hints. */
  public Hints hints() {
    return Hints.of(version)
        .withProfile(profile)
        .withAddressFormat(format)
        .withCapabilities(
            Arrays.stream(Capability.values())
                .filter(each -> (caps & each.mask()) != 0)
                .toArray(Capability[]::new))
        .withVectorType(domainType)
        .withEndpointType(endpointType)
        .withProgress(progress);
  }

  /** The same as hints, with authorization keys in the vector. */
  public Hints hintsForKeys() {
    return hints().withAuthKeys(AuthKeyHints.inVector());
  }

  @Override
  public String toString() {
    return version
        + (profile == null ? "" : " as " + profile)
        + (format == AddressFormat.UNSPECIFIED ? "" : " " + format)
        + (domainType == VectorType.UNSPECIFIED ? "" : " " + domainType + " domain")
        + (endpointType == EndpointType.UNSPECIFIED ? "" : " " + endpointType)
        + (progress == Progress.UNSPECIFIED ? "" : " progress " + progress);
  }
}
