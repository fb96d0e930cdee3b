// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import org.ofi4j.ApiVersion;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * What all processes that use a named vector must agree on. In the control file from {@link
 * #OFFSET} on:
 *
 * <pre>
 *    0  profile class (4)        which rules of fi_av(3) insertion and handles go by
 *    4  type (4)                 number of the AV type
 *    8  duplicates (4)           number of the policy
 *   12  format (4)               number of the address format
 *   16  receive context bits (4)
 *   20  most keys (4)          max_ep_auth_key of the domain; 0 without FI_AV_AUTH_KEY
 *   24  largest group (8)
 *   32  map_addr (8)             the base of MAP handles, never 0
 *   40  expected entries (8)     a hint of whoever made the vector; not compared
 * </pre>
 *
 * @param mapAddress as above, chosen by whoever makes the vector, or for whom gives 0; not
 *     compared, as another one serves the process that gave it
 */
public record VectorTraits(
    int profileClass,
    int type,
    int duplicates,
    int format,
    int receiveContextBits,
    int mostKeys,
    long maxGroup,
    long mapAddress,
    long expected) {
  /** The profile class of vectors that use each index once. */
  public static final int INDICES_ONCE = 1;

  /** The profile class of vectors whose handles are not their indices. */
  public static final int OPAQUE_HANDLES = 2;

  /** The profile class of vectors whose handles are their indices. */
  public static final int INDICES = 3;

  static final long OFFSET = 128;

  /** Handles are at most 16 * 2^31 above their base. */
  private static final int SPAN_BITS = 35;

  /** What somebody wants who takes any vector, and makes none. */
  public static final VectorTraits ANY = new VectorTraits(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** The number that stands for a policy in files. */
  public static int number(DuplicatePolicy policy) {
    return switch (policy) {
      case BY_VERSION -> 0;
      case SHARE -> 1;
      case NEW_INDEX -> 2;
      case REJECT -> 3;
    };
  }

  /** What the vector does with duplicates; BY_VERSION if its number is of no policy. */
  public DuplicatePolicy policy() {
    for (DuplicatePolicy policy : DuplicatePolicy.values()) {
      if (number(policy) == duplicates) {
        return policy;
      }
    }
    return DuplicatePolicy.BY_VERSION;
  }

  /** A version whose rules the profile class stands for. */
  public ApiVersion version() {
    return switch (profileClass) {
      case INDICES_ONCE -> ApiVersion.V1_0;
      case OPAQUE_HANDLES -> ApiVersion.V1_20;
      default -> ApiVersion.LATEST;
    };
  }

  /** Which API versions have this profile class, in words. */
  private String versions() {
    return switch (profileClass) {
      case INDICES_ONCE -> "(1.0)";
      case OPAQUE_HANDLES -> "(MAP below 2.0)";
      case INDICES -> "(2.0 or later, or TABLE above 1.0)";
      default -> String.valueOf(profileClass);
    };
  }

  public boolean reusesIndices() {
    return profileClass != INDICES_ONCE;
  }

  /**
   * Returns the base of handles, chosen if the caller gave none: it leaves room for every handle
   * below the bits of receive contexts, and is a multiple of 2^35, not 0, and below 2^47 so that it
   * looks like an address.
   */
  long base(long random) {
    int bits = Math.min(47, Long.SIZE - receiveContextBits);
    int choices = bits > SPAN_BITS + 1 ? (1 << (bits - SPAN_BITS)) - 2 : 1;
    return mapAddress == 0 ? (1L + Math.floorMod(random, choices)) << SPAN_BITS : mapAddress;
  }

  /** Writes them with a base of handles. */
  void write(MemorySegment file, long base) {
    file.set(JAVA_INT, OFFSET, profileClass);
    file.set(JAVA_INT, OFFSET + 4, type);
    file.set(JAVA_INT, OFFSET + 8, duplicates);
    file.set(JAVA_INT, OFFSET + 12, format);
    file.set(JAVA_INT, OFFSET + 16, receiveContextBits);
    file.set(JAVA_INT, OFFSET + 20, mostKeys);
    file.set(JAVA_LONG, OFFSET + 24, maxGroup);
    file.set(JAVA_LONG, OFFSET + 32, base);
    file.set(JAVA_LONG, OFFSET + 40, expected);
  }

  static VectorTraits read(MemorySegment control) {
    return new VectorTraits(
        control.get(JAVA_INT, OFFSET),
        control.get(JAVA_INT, OFFSET + 4),
        control.get(JAVA_INT, OFFSET + 8),
        control.get(JAVA_INT, OFFSET + 12),
        control.get(JAVA_INT, OFFSET + 16),
        control.get(JAVA_INT, OFFSET + 20),
        control.get(JAVA_LONG, OFFSET + 24),
        control.get(JAVA_LONG, OFFSET + 32),
        control.get(JAVA_LONG, OFFSET + 40));
  }

  /** As {@link #checkFits(VectorTraits, String, String)}, for a vector with a name. */
  void checkFits(VectorTraits present, String name) {
    // Of any vector there is none.
    if (profileClass != 0) {
      checkFits(present, "vector \"" + name + "\"", "open it with the same, or use another name");
    }
  }

  /**
   * Refuses a vector that is not as wanted.
   *
   * @param what what the vector is called, for the message
   * @param remedy what to do about it, for the message
   * @throws FabricException with {@link Errno#EINVAL}, naming the first field that differs
   */
  public void checkFits(VectorTraits present, String what, String remedy) {
    same(what, remedy, "class of API versions", versions(), present.versions());
    same(what, remedy, "type", type, present.type);
    same(what, remedy, "duplicate policy", duplicates, present.duplicates);
    same(what, remedy, "address format", format, present.format);
    same(what, remedy, "rx_ctx_bits", receiveContextBits, present.receiveContextBits);
    // Whether there are keys at all, before how many.
    String keys = "FI_AV_AUTH_KEY (0 without, 1 with)";
    same(what, remedy, keys, Math.min(1, mostKeys), Math.min(1, present.mostKeys));
    same(what, remedy, "max_ep_auth_key", mostKeys, present.mostKeys);
    same(what, remedy, "max_group_id", maxGroup, present.maxGroup);
  }

  private static void same(
      String what, String remedy, String field, Object wanted, Object present) {
    if (!wanted.equals(present)) {
      throw invalid(
          "%s %s does not fit %s, which was made with %s: %s"
              .formatted(field, wanted, what, present, remedy));
    }
  }
}
