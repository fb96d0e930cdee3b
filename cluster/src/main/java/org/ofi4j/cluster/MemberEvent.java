// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.ofi4j.Errno;

/** What became of a member, in one vector. */
public sealed interface MemberEvent {
  /** {@return the member as it is now, or was last} */
  Member member();

  /**
   * The member is in the vector. In a job also: it is back after it had left.
   *
   * @param member the member
   * @param handle its handle
   */
  record Joined(Member member, long handle) implements MemberEvent {}

  /**
   * The member has left. In a service its entry is removed, and the handle may be another member's
   * from now on. In a job the handle stays the rank's.
   *
   * @param member the member as it was
   * @param handle the handle that it had
   */
  record Left(Member member, long handle) implements MemberEvent {}

  /**
   * The member has another address or is another incarnation, under the same handle.
   *
   * @param member the member as it is now
   * @param handle its handle
   * @param former the member as it was
   */
  record Moved(Member member, long handle, Member former) implements MemberEvent {}

  /**
   * The member is there but not in the vector: the vector refuses its address, or a later member
   * has the address. It is tried again when the member changes, and once the address is free.
   *
   * @param member the member
   * @param errno why; {@link Errno#EALREADY} if the address is another member's
   * @param reason why, in words
   */
  record Refused(Member member, Errno errno, String reason) implements MemberEvent {}
}
