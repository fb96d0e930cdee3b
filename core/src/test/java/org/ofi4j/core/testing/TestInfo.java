// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;

/** Information for tests: the newest version, IPv4, and whatever is changed. */
public final class TestInfo {
  private ApiVersion version = ApiVersion.LATEST;
  private @Nullable Profile profile;
  private AddressFormat format = AddressFormat.SOCKADDR_IN;
  private VectorType vectorType = VectorType.UNSPECIFIED;
  private long caps = Flag.maskOf(Capability.MSG, Capability.SOURCE);
  private int maxGroup;
  private long authKeySize;
  private int maxKeys;

  private TestInfo() {}

  public static TestInfo defaults() {
    return new TestInfo();
  }

  public TestInfo version(ApiVersion value) {
    version = value;
    return this;
  }

  public TestInfo version(int major, int minor) {
    return version(new ApiVersion(major, minor));
  }

  public TestInfo profile(Profile value) {
    profile = value;
    return this;
  }

  public TestInfo format(AddressFormat value) {
    format = value;
    return this;
  }

  public TestInfo vectorType(VectorType value) {
    vectorType = value;
    return this;
  }

  public TestInfo capabilities(Capability... more) {
    caps |= Flag.maskOf(more);
    return this;
  }

  public TestInfo maxGroup(int value) {
    maxGroup = value;
    return this;
  }

  public TestInfo authKeySize(long value) {
    authKeySize = value;
    return this;
  }

  /** Keys in vectors, so many at most. */
  public TestInfo keysInVector(int most) {
    maxKeys = most;
    return authKeySize(FabricInfo.DomainAttributes.KEYS_IN_VECTOR);
  }

  public FabricInfo build() {
    return FabricInfo.builder(version, profile == null ? Profile.of(version) : profile)
        .capabilities(caps)
        .addressFormat(format)
        .fabric(
            FabricInfo.FabricAttributes.builder()
                .provider("test")
                .name("test fabric")
                .providerVersion("1")
                .build())
        .domain(
            FabricInfo.DomainAttributes.builder()
                .name("test domain")
                .vectorType(vectorType)
                .capabilities(caps)
                .threading(Threading.SAFE)
                .progress(Progress.AUTO)
                .maxGroupId(maxGroup)
                .authKeySize(authKeySize)
                .maxEndpointAuthKeys(maxKeys)
                .build())
        .endpoint(
            FabricInfo.EndpointAttributes.builder()
                .type(EndpointType.DGRAM)
                .protocol("test")
                .maxMessageSize(1024)
                .build())
        .transmit(FabricInfo.Transmit.builder().size(1).build())
        .receive(FabricInfo.Receive.builder().size(1).build())
        .build();
  }
}
