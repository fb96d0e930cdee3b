// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * The edition of fi_av(3) whose rules a vector follows.
 *
 * <p>It follows from the requested {@link ApiVersion}. Only version 1.0 leaves a choice, because
 * its release candidate and its final release number themselves alike: {@link Hints#profile} picks
 * {@link #RELEASE_1_0} there.
 */
public enum Profile {
  /**
   * The release candidate of 1.0: asynchronous insertion returns the number of addresses started,
   * indices are appended and never used again, no address at all means any address.
   */
  CANDIDATE_1_0,
  /** 1.0 final to 1.19: the lowest unused index is taken, asynchronous insertion returns 0. */
  RELEASE_1_0,
  /** 1.20 to 1.22: adds authorization keys and user ids set after insertion. */
  RELEASE_1_20,
  /** 2.0 and later: handles of both vector types are indices, peer groups. */
  RELEASE_2_0;

  /**
   * The profile that a version selects when nothing else is asked for.
   *
   * @param version the requested version
   * @return its profile; version 1.0 gives {@link #CANDIDATE_1_0}
   */
  public static Profile of(ApiVersion version) {
    if (version.isAtLeast(ApiVersion.V2_0)) {
      return RELEASE_2_0;
    }
    if (version.isAtLeast(ApiVersion.V1_20)) {
      return RELEASE_1_20;
    }
    return version.equals(ApiVersion.V1_0) ? CANDIDATE_1_0 : RELEASE_1_0;
  }
}
