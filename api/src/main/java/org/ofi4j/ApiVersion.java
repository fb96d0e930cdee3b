// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * {@code FI_VERSION}: the version of libfabric's interface that an application is written against.
 *
 * <p>It selects the rules that an address vector follows (see {@link Profile}). Versions compare by
 * number, so 1.20 is newer than 1.5.
 *
 * @param major the major number, 1 to 65535
 * @param minor the minor number, 0 to 65535
 */
public record ApiVersion(int major, int minor) implements Comparable<ApiVersion> {
  /** The oldest version. */
  public static final ApiVersion V1_0 = new ApiVersion(1, 0);

  /** Brought {@code FI_AV_UNSPEC} for opening a vector. */
  public static final ApiVersion V1_3 = new ApiVersion(1, 3);

  /** Brought {@code FI_SYNC_ERR}, {@code FI_ADDR_STR} and {@code FI_SOURCE_ERR}. */
  public static final ApiVersion V1_5 = new ApiVersion(1, 5);

  /** Brought sets of addresses of a vector. */
  public static final ApiVersion V1_9 = new ApiVersion(1, 9);

  /** Restricted inserting an address that is already there. */
  public static final ApiVersion V1_15 = new ApiVersion(1, 15);

  /** Brought user ids given at insertion. */
  public static final ApiVersion V1_16 = new ApiVersion(1, 16);

  /** Brought authorization keys and {@code fi_av_set_user_id}. */
  public static final ApiVersion V1_20 = new ApiVersion(1, 20);

  /** Brought peer groups; {@code FI_AV_MAP} behaves like {@code FI_AV_TABLE}. */
  public static final ApiVersion V2_0 = new ApiVersion(2, 0);

  /** Same vector rules as 2.0. */
  public static final ApiVersion V2_1 = new ApiVersion(2, 1);

  /** Brought {@code FI_FIREWALL_ADDR}. */
  public static final ApiVersion V2_2 = new ApiVersion(2, 2);

  /** Brought {@code FI_SOCKADDR_IP}. */
  public static final ApiVersion V2_3 = new ApiVersion(2, 3);

  /** The newest version that this library knows. */
  public static final ApiVersion LATEST = new ApiVersion(2, 7);

  /** Checks both numbers. */
  public ApiVersion {
    if (major < 1 || major > 0xFFFF || minor < 0 || minor > 0xFFFF) {
      throw new FabricException(
          Errno.EINVAL,
          "API version "
              + major
              + "."
              + minor
              + " does not exist: major is 1 to 65535, minor 0 to 65535");
    }
  }

  /**
   * {@return the version in one number, {@code major << 16 | minor}, as {@code FI_VERSION} makes
   * it}
   */
  public int value() {
    return major << 16 | minor;
  }

  /**
   * Whether a feature that came with {@code other} is there.
   *
   * @param other the version that brought the feature
   * @return true when this version is the same or newer
   */
  public boolean isAtLeast(ApiVersion other) {
    return compareTo(other) >= 0;
  }

  @Override
  public int compareTo(ApiVersion other) {
    return Integer.compareUnsigned(value(), Arguments.required(other, "other").value());
  }

  @Override
  public String toString() {
    return major + "." + minor;
  }
}
