// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * What inserting an address that is in the vector already does. The man page leaves it undefined.
 */
public enum DuplicatePolicy {
  /** By API version: {@link #SHARE} from 1.15, {@link #NEW_INDEX} below. */
  BY_VERSION,
  /**
   * The same handle again. The entry counts the successful insertions of its address, and is
   * removed by as many removals; {@link AddressVector#size} counts it once. A caller that may see
   * an address several times, as of a sender that is not known yet, asks {@link
   * AddressVector#find(FabricAddress)} first. A user id that comes with the address replaces the
   * one that the entry has, for all who share the handle.
   */
  SHARE,
  /** A further entry. {@link AddressVector#find} answers the one with the lowest index. */
  NEW_INDEX,
  /** The address fails with {@link Errno#EALREADY}. */
  REJECT
}
