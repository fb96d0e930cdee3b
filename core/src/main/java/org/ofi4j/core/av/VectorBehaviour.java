// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricInfo;
import org.ofi4j.InsertFlag;
import org.ofi4j.Profile;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorType;

/**
 * What the rules of a vector owe to the API version, settled once when it is opened. Nothing else
 * in this module compares versions. Immutable.
 *
 * @param nullMeansAny no address at all stands for any address (AV-079)
 * @param asynchronousReturnsCount asynchronous insertions return how many were started (AV-204)
 * @param reusesIndices the lowest unused index is taken; else indices are appended (AV-083)
 * @param mapHandlesAreIndices MAP behaves like TABLE (AV-024)
 * @param duplicates what inserting an address twice does by default (AV-178)
 * @param openFlags what may be passed to open (AV-015)
 * @param insertFlags what may be passed to insertions (AV-097)
 * @param userIdsLater user ids can be set after insertion (AV-175)
 * @param authKeys there are calls for authorization keys (AV-155)
 * @param sets vectors have sets (AV-226)
 * @param groups handles may carry a peer group (AV-146)
 * @param textAddresses addresses may be given as text (AV-078, AV-112)
 * @param lengthsByValue text is written with a length by value, too (AV-152)
 * @param mixedIpFormat {@code FI_SOCKADDR_IP} exists (AV-224)
 */
record VectorBehaviour(
    boolean nullMeansAny,
    boolean asynchronousReturnsCount,
    boolean reusesIndices,
    boolean mapHandlesAreIndices,
    DuplicatePolicy duplicates,
    long openFlags,
    long insertFlags,
    boolean userIdsLater,
    boolean authKeys,
    boolean sets,
    boolean groups,
    boolean textAddresses,
    boolean lengthsByValue,
    boolean mixedIpFormat) {

  /** The rules of a version; the profile tells the two releases numbered 1.0 apart. */
  static VectorBehaviour of(ApiVersion version, Profile profile) {
    boolean candidate = profile == Profile.CANDIDATE_1_0;
    boolean keys = version.isAtLeast(ApiVersion.V1_20);
    boolean groups = version.isAtLeast(ApiVersion.V2_0);
    return new VectorBehaviour(
        candidate,
        candidate,
        !candidate,
        groups,
        version.isAtLeast(ApiVersion.V1_15) ? DuplicatePolicy.SHARE : DuplicatePolicy.NEW_INDEX,
        openFlags(keys),
        insertFlags(version),
        keys,
        keys,
        version.isAtLeast(ApiVersion.V1_9),
        groups,
        version.isAtLeast(ApiVersion.V1_5),
        candidate,
        version.isAtLeast(ApiVersion.V2_3));
  }

  @SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
  private static long openFlags(boolean userIdsLater) {
    long flags = VectorFlag.EVENT.mask() | VectorFlag.READ.mask() | VectorFlag.SYMMETRIC.mask();
    return userIdsLater ? flags | VectorFlag.USER_ID.mask() : flags;
  }

  private static long insertFlags(ApiVersion version) {
    long flags = InsertFlag.MORE.mask();
    flags |= from(version, ApiVersion.V1_5, InsertFlag.SYNC_ERR);
    flags |= from(version, ApiVersion.V1_16, InsertFlag.USER_ID);
    flags |= from(version, ApiVersion.V1_20, InsertFlag.AUTH_KEY);
    return flags | from(version, ApiVersion.V2_2, InsertFlag.FIREWALL_ADDRESS);
  }

  private static long from(ApiVersion version, ApiVersion first, InsertFlag flag) {
    return version.isAtLeast(first) ? flag.mask() : 0;
  }

  /**
   * Whether a domain has named vectors. The capability came with 1.5; before, a name was all that
   * sharing took (AV-040).
   */
  static boolean sharesVectors(FabricInfo info) {
    return info.has(Capability.SHARED_AV) || !info.apiVersion().isAtLeast(ApiVersion.V1_5);
  }

  /** Whether the version knows the format of the domain's addresses. */
  boolean knows(AddressFormat format) {
    return switch (format) {
      case STR -> textAddresses;
      case SOCKADDR_IP -> mixedIpFormat;
      default -> true;
    };
  }

  /** Whether a domain has the authorization keys of its endpoints in vectors (AV-156). */
  boolean keysInVector(FabricInfo info) {
    return authKeys && info.domain().authKeySize() == FabricInfo.DomainAttributes.KEYS_IN_VECTOR;
  }

  boolean handlesAreIndices(VectorType type) {
    return type == VectorType.TABLE || mapHandlesAreIndices;
  }
}
