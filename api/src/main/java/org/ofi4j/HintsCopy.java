// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.jspecify.annotations.Nullable;

/** What a copy of {@link Hints} is made of, until it is one. */
final class HintsCopy {
  ApiVersion version;
  @Nullable Profile profile;
  @Nullable String provider;
  @Nullable String fabric;
  @Nullable String domain;
  EndpointType endpointType = EndpointType.UNSPECIFIED;
  AddressFormat addressFormat = AddressFormat.UNSPECIFIED;
  long capabilities;
  @Nullable AddressHint source;
  @Nullable AddressHint destination;
  @Nullable AddressResolver resolver;
  VectorType vectorType = VectorType.UNSPECIFIED;
  Threading threading = Threading.UNSPECIFIED;
  Progress progress = Progress.UNSPECIFIED;
  int maxGroupId;
  int transmitContexts;
  int receiveContexts;
  Limits limits = Limits.none();
  AuthKeyHints authKeys = AuthKeyHints.none();
  long memoryRegionModes;

  /** Says nothing but the version. */
  HintsCopy(ApiVersion version) {
    this.version = version;
  }

  HintsCopy(Hints of) {
    version = of.version();
    profile = of.profile();
    provider = of.provider();
    fabric = of.fabric();
    domain = of.domain();
    endpointType = of.endpointType();
    addressFormat = of.addressFormat();
    capabilities = of.capabilities();
    source = of.source();
    destination = of.destination();
    resolver = of.resolver();
    vectorType = of.vectorType();
    threading = of.threading();
    progress = of.progress();
    maxGroupId = of.maxGroupId();
    transmitContexts = of.transmitContexts();
    receiveContexts = of.receiveContexts();
    limits = of.limits();
    authKeys = of.authKeys();
    memoryRegionModes = of.memoryRegionModes();
  }

  Hints hints() {
    return new Hints(
        version,
        profile,
        provider,
        fabric,
        domain,
        endpointType,
        addressFormat,
        capabilities,
        source,
        destination,
        resolver,
        vectorType,
        threading,
        progress,
        maxGroupId,
        transmitContexts,
        receiveContexts,
        limits,
        authKeys,
        memoryRegionModes);
  }
}
