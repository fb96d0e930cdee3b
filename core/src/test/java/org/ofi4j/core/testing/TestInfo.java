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
    return new FabricInfo(
        version,
        profile == null ? Profile.of(version) : profile,
        caps,
        format,
        null,
        null,
        new FabricInfo.FabricAttributes("test", "test fabric", "1"),
        new FabricInfo.DomainAttributes(
            "test domain",
            vectorType,
            caps,
            Threading.SAFE,
            Progress.AUTO,
            maxGroup,
            authKeySize,
            maxKeys,
            1,
            1,
            0,
            0,
            0),
        new FabricInfo.EndpointAttributes(EndpointType.DGRAM, "test", 1024, 1, 1),
        new FabricInfo.Transmit(0, 1, 1, 0),
        new FabricInfo.Receive(1, 1));
  }
}
