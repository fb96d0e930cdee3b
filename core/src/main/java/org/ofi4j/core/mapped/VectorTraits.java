// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.ofi4j.core.object.Misuse.invalid;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.share.FileHeader;
import org.ofi4j.core.store.StoreOptions;

/**
 * Traits that all processes which use a named vector, or read a saved one, must agree on. In both
 * files, in the byte order of the machine:
 *
 * <pre>
 *    0  profile class (4)        which rules of fi_av(3) insertion and handles go by
 *    4  type (4)                 number of the AV type
 *    8  duplicates (4)           number of the policy
 *   12  format (4)               number of the address format
 *   16  receive context bits (4)
 *   20  most keys (4)          max_ep_auth_key of the domain; 0 without FI_AV_AUTH_KEY
 *   24  largest group (8)
 *   32  map_addr (8)             the base of MAP handles
 *   40  expected entries (8)     a hint of the maker of the vector; not compared
 * </pre>
 *
 * @param mapAddress the base of handles; 0 before the maker of a named vector has chosen one, and
 *     in saved vectors whose handles are indices; not compared, as another base serves the process
 *     that gave one
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

  /** Handles are at most 16 * 2^31 above their base. */
  private static final int SPAN_BITS = 35;

  /** The traits that a process wants which takes any vector, and makes none. */
  public static final VectorTraits ANY = new VectorTraits(0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** The policies, each at its number in files. */
  private static final List<DuplicatePolicy> POLICIES =
      List.of(
          DuplicatePolicy.BY_VERSION,
          DuplicatePolicy.SHARE,
          DuplicatePolicy.NEW_INDEX,
          DuplicatePolicy.REJECT);

  private static final int MAP_ADDRESS = 32;

  /** The number that stands for a policy in files. */
  public static int number(DuplicatePolicy policy) {
    return POLICIES.indexOf(policy);
  }

  /** What the vector does with duplicates; BY_VERSION if its number is of no policy. */
  public DuplicatePolicy policy() {
    return POLICIES.get(duplicates < 0 || duplicates >= POLICIES.size() ? 0 : duplicates);
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
   * Returns these traits with a base of handles, chosen if there is none: it leaves room for every
   * handle below the bits of receive contexts, and is a multiple of 2^35, not 0, and below 2^47 so
   * that it looks like an address.
   */
  public VectorTraits withBase() {
    if (mapAddress != 0) {
      return this;
    }
    int bits = Math.min(47, Long.SIZE - receiveContextBits);
    int choices = bits > SPAN_BITS + 1 ? (1 << (bits - SPAN_BITS)) - 2 : 1;
    long base = (1L + Math.floorMod(SystemRandom.nextLong(), choices)) << SPAN_BITS;
    byte[] chosen = toBytes();
    ByteBuffer.wrap(chosen).order(ByteOrder.nativeOrder()).putLong(MAP_ADDRESS, base);
    return of(chosen);
  }

  /** Returns the options of a store of such a vector, with a seed of its own. */
  public StoreOptions options() {
    // Wide slots are for IPv6 addresses alone. Addresses under keys have records, and where indices
    // are used once, each dead entry would keep a wide slot.
    boolean wide =
        format == AddressFormat.SOCKADDR_IN6.number() && mostKeys == 0 && reusesIndices();
    return StoreOptions.of(expected, reusesIndices(), policy()).withWideSlots(wide);
  }

  public byte[] toBytes() {
    return ByteBuffer.allocate(FileHeader.TRAITS_BYTES)
        .order(ByteOrder.nativeOrder())
        .putInt(profileClass)
        .putInt(type)
        .putInt(duplicates)
        .putInt(format)
        .putInt(receiveContextBits)
        .putInt(mostKeys)
        .putLong(maxGroup)
        .putLong(mapAddress)
        .putLong(expected)
        .array();
  }

  static VectorTraits of(byte[] bytes) {
    ByteBuffer fields = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return new VectorTraits(
        fields.getInt(),
        fields.getInt(),
        fields.getInt(),
        fields.getInt(),
        fields.getInt(),
        fields.getInt(),
        fields.getLong(),
        fields.getLong(),
        fields.getLong());
  }

  /**
   * Refuses a vector that is not as wanted.
   *
   * @param what the vector, for the message
   * @param remedy the remedy, for the message
   * @throws FabricException with {@link Errno#EINVAL}, naming the first field that differs
   */
  void checkFits(VectorTraits present, String what, String remedy) {
    // A process that takes any vector wants no profile class.
    if (profileClass == 0) {
      return;
    }
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
