package org.ofi4j.core.av;

import org.jspecify.annotations.Nullable;
import org.ofi4j.AvAttributes;
import org.ofi4j.AvFlag;
import org.ofi4j.AvType;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

/** What {@code fi_av_open} refuses, and what it makes of the attributes. */
final class OpenChecks {
  private OpenChecks() {}

  /**
   * The attributes in effect: as passed, with the type and the duplicate policy settled.
   *
   * @throws FabricException if the attributes are wrong or do not fit the domain
   */
  static AvAttributes effective(
      @Nullable AvAttributes attributes, FabricInfo info, VectorBehaviour behaviour) {
    if (attributes == null) {
      throw invalid("attributes are null (A-30): pass AvAttributes.defaults()");
    }
    checkFlags(attributes.flags(), info, behaviour);
    checkName(attributes, info);
    if (!behaviour.knows(info.addressFormat())) {
      throw invalid(
          "API version "
              + info.apiVersion()
              + " does not know address format "
              + info.addressFormat()
              + ": ask for a newer version");
    }
    if (attributes.resolutionTimeout().isZero() || attributes.resolutionTimeout().isNegative()) {
      throw invalid(
          "resolutionTimeout " + attributes.resolutionTimeout() + " lets no name be resolved");
    }
    return attributes
        .type(type(attributes.type(), info.domain().avType()))
        .duplicates(
            attributes.duplicates() == DuplicatePolicy.BY_VERSION
                ? behaviour.duplicates()
                : attributes.duplicates());
  }

  /** What handles look like; refused if their parts would overlap. */
  static HandleLayout layout(AvAttributes effective, FabricInfo info, VectorBehaviour behaviour) {
    return HandleLayout.of(
        behaviour.handlesAreIndices(effective.type()),
        effective.rxContextBits(),
        behaviour.groups() ? Math.max(0, info.domain().maxGroupId()) : HandleLayout.NO_GROUPS,
        info.has(Capability.NAMED_RX_CONTEXT));
  }

  private static void checkFlags(long flags, FabricInfo info, VectorBehaviour behaviour) {
    long unknown = flags & ~behaviour.openFlags();
    if (unknown != 0) {
      throw invalid(
          "flags 0x"
              + Long.toHexString(unknown)
              + " are not for opening a vector in API version "
              + info.apiVersion());
    }
    if ((flags & AvFlag.USER_ID.mask()) != 0 && !hasUserIds(info)) {
      throw invalid("FI_AV_USER_ID needs a domain with that capability: ask for it in the hints");
    }
  }

  /** Whether the domain keeps user ids (AV-051, AV-104). */
  static boolean hasUserIds(FabricInfo info) {
    return (info.domain().caps() & Capability.AV_USER_ID.mask()) != 0;
  }

  private static void checkName(AvAttributes attributes, FabricInfo info) {
    String name = attributes.name();
    if (name == null) {
      if ((attributes.flags() & AvFlag.READ.mask()) != 0) {
        throw invalid("FI_READ attaches to a named vector (AV-048): give its name");
      }
      return; // map_addr is not looked at (AV-046)
    }
    if (name.isEmpty()) {
      throw invalid("name is empty: null opens a private vector");
    }
    throw new FabricException(
        Errno.ENOSYS,
        "domain "
            + info.domain().name()
            + " shares no vectors (FI_SHARED_AV), so \""
            + name
            + "\" cannot be opened: leave the name out");
  }

  private static AvType type(AvType wanted, AvType ofDomain) {
    if (wanted == AvType.UNSPECIFIED) {
      return ofDomain == AvType.UNSPECIFIED ? AvType.TABLE : ofDomain;
    }
    if (ofDomain != AvType.UNSPECIFIED && ofDomain != wanted) {
      throw invalid(
          "type " + wanted + " does not fit the domain, which was opened for " + ofDomain);
    }
    return wanted;
  }

  private static FabricException invalid(String message) {
    return new FabricException(Errno.EINVAL, message);
  }
}
