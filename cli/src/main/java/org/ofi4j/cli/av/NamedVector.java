// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Hints;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.peers.VectorSession;
import org.ofi4j.spi.VectorDomain;

/** Opens the vector that {@code ofi4j av --name} names: as it is if it is there, else as asked. */
record NamedVector(
    String name,
    @Nullable VectorType type,
    @Nullable DuplicatePolicy duplicates,
    @Nullable AddressFormat format,
    boolean readOnly) {

  VectorSession open(Hints hints, VectorOptions options) {
    List<SharedVectorSearch.Found> found =
        SharedVectorSearch.find(hints.provider(), hints.domain(), name).stream()
            .filter(NamedVector::isInUse)
            .toList();
    if (found.size() > 1) {
      throw new CommandException(
          ExitCode.USAGE,
          "there are several vectors \"%s\", in %s: choose with -p or --domain"
              .formatted(
                  name,
                  found.stream()
                      .map(each -> domain(each.where()))
                      .collect(Collectors.joining(", "))));
    }
    SharedVectorStatus there = found.isEmpty() ? null : found.getFirst().status();
    VectorOptions named = options.withName(name).withFlags(readOnly ? VectorFlag.READ.mask() : 0);
    if (there == null) {
      return VectorSession.open(
          VectorSession.forFormat(hints, format == null ? AddressFormat.UNSPECIFIED : format),
          named
              .withType(type == null ? VectorType.TABLE : type)
              .withDuplicates(duplicates == null ? DuplicatePolicy.REJECT : duplicates));
    }
    VectorDomain its = found.getFirst().where();
    Hints same =
        Hints.of(there.apiVersion())
            .withProvider(its.provider())
            .withFabric(its.fabric())
            .withDomain(its.domain())
            .withMaxGroupId((int) there.maxGroup())
            .withAddressFormat(format == null ? there.format() : format);
    return VectorSession.open(
        there.apiVersion().isAtLeast(ApiVersion.V1_5)
            ? same.withCapabilities(Capability.MSG, Capability.SHARED_AV)
            : same,
        named
            .withType(type == null ? there.type() : type)
            .withDuplicates(duplicates == null ? there.duplicates() : duplicates)
            .withReceiveContextBits(there.receiveContextBits()));
  }

  /** Those that cannot be looked at may be in use: to make another one would part the processes. */
  private static boolean isInUse(SharedVectorSearch.Found found) {
    if (found.error() != null) {
      throw new CommandException(
          ExitCode.FAILED,
          "the vector \"%s\" (%s) cannot be looked at: %s"
              .formatted(found.name(), domain(found.where()), found.error()));
    }
    return found.status() != null;
  }

  /** Where a vector is, in words. */
  static String domain(VectorDomain where) {
    return "%s, domain %s, fabric %s".formatted(where.provider(), where.domain(), where.fabric());
  }
}
