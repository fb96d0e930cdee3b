// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.unsupported;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;

/** The options that {@code fi_av_open} refuses, and what it makes of the others. */
final class OpenChecks {
  /** Bytes that the name of a vector may have. */
  private static final int MAX_NAME = 255;

  private OpenChecks() {}

  /**
   * Returns the rules of a vector, with the options as passed but for the type and the duplicate
   * policy, which are settled.
   *
   * @throws FabricException if the options are wrong or do not fit the domain
   */
  static VectorRules rules(@Nullable VectorOptions options, FabricInfo info) {
    VectorBehaviour behaviour = VectorBehaviour.of(info.apiVersion(), info.profile());
    if (options == null) {
      throw invalid("options are null: pass VectorOptions.defaults()");
    }
    checkFlags(options.flags(), info, behaviour);
    checkName(options, info, behaviour);
    if (!behaviour.knows(info.addressFormat())) {
      throw invalid(
          "API version %s does not know address format %s: ask for a newer version"
              .formatted(info.apiVersion(), info.addressFormat()));
    }
    checkHint("count", options.count());
    checkHint("endpointsPerNode", options.endpointsPerNode());
    if (options.lockTimeout().isZero() || options.lockTimeout().isNegative()) {
      throw invalid("lockTimeout " + options.lockTimeout() + " leaves no time to wait for anybody");
    }
    if (options.resolutionTimeout().isZero() || options.resolutionTimeout().isNegative()) {
      throw invalid(
          "resolutionTimeout " + options.resolutionTimeout() + " lets no name be resolved");
    }
    VectorOptions effective = options.withType(type(options.type(), info.domain().vectorType()));
    if (options.duplicates() == DuplicatePolicy.BY_VERSION) {
      effective = effective.withDuplicates(behaviour.duplicates());
    }
    return new VectorRules(effective, info, behaviour);
  }

  private static void checkHint(String name, long value) {
    if (value < 0) {
      throw invalid(name + " " + value + " is negative: 0 stands for an unknown number");
    }
  }

  private static void checkFlags(long flags, FabricInfo info, VectorBehaviour behaviour) {
    long unknown = flags & ~behaviour.openFlags();
    if (unknown != 0) {
      throw invalid(
          "flags 0x%x are not for opening a vector in API version %s"
              .formatted(unknown, info.apiVersion()));
    }
    if ((flags & VectorFlag.USER_ID.mask()) != 0 && !hasUserIds(info)) {
      throw invalid("FI_AV_USER_ID needs a domain with that capability: ask for it in the hints");
    }
  }

  /** Whether the domain keeps user ids (AV-051, AV-104). */
  static boolean hasUserIds(FabricInfo info) {
    return (info.domain().capabilities() & Capability.AV_USER_ID.mask()) != 0;
  }

  private static void checkName(VectorOptions options, FabricInfo info, VectorBehaviour behaviour) {
    String name = options.name();
    if (options.saved() != null) {
      checkSaved(options, info, behaviour);
    }
    if (name == null) {
      if ((options.flags() & VectorFlag.READ.mask()) != 0 && options.saved() == null) {
        throw invalid(
            "FI_READ attaches to a named vector, or reads a saved one: give its name or"
                + " its file");
      }
      return; // map_addr is not looked at (AV-046)
    }
    if (name.isEmpty()) {
      throw invalid("name is empty: null opens a private vector");
    }
    checkEncodable(name);
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length > MAX_NAME) {
      throw invalid("name has " + length + " bytes in UTF-8, but at most " + MAX_NAME + " fit");
    }
    if (!VectorBehaviour.sharesVectors(info)) {
      throw unsupported(
          ("domain %s shares no vectors, so \"%s\" cannot be opened: ask for the capability"
                  + " FI_SHARED_AV in the hints, or leave the name out")
              .formatted(info.domain().name(), name));
    }
  }

  /** Refuses a name that in UTF-8 would be that of another vector. */
  static void checkEncodable(String name) {
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
      throw invalid(
          "name \""
              + name
              + "\" has half a surrogate pair, which UTF-8 cannot write: mend the name");
    }
  }

  private static void checkSaved(
      VectorOptions options, FabricInfo info, VectorBehaviour behaviour) {
    if (options.name() != null) {
      throw invalid(
          "a vector is opened by name, \"%s\", or from a file, %s: leave one out"
              .formatted(options.name(), options.saved()));
    }
    if (behaviour.keysInVector(info)) {
      throw unsupported(
          ("domain %s has authorization keys in its vectors, and keys never enter a file, so %s"
                  + " cannot be opened: leave it out, or FI_AV_AUTH_KEY")
              .formatted(info.domain().name(), options.saved()));
    }
  }

  private static VectorType type(VectorType wanted, VectorType ofDomain) {
    if (wanted == VectorType.UNSPECIFIED) {
      return ofDomain == VectorType.UNSPECIFIED ? VectorType.TABLE : ofDomain;
    }
    if (ofDomain != VectorType.UNSPECIFIED && ofDomain != wanted) {
      throw invalid(
          "type " + wanted + " does not fit the domain, which was opened for " + ofDomain);
    }
    return wanted;
  }
}
