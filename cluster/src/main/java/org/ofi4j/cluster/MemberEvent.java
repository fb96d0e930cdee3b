// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.ofi4j.Errno;

/** An event about a member: of one vector, or of the state of an own member. */
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
   * The member has left, and its entry is removed. In a service the handle may be another member's
   * from now on. In a job no other rank gets the handle, and a later member of the rank has it
   * again.
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

  /**
   * The state of a member of this process has changed; see {@link Membership.State}. Only listeners
   * of memberships and of joins hear it.
   *
   * @param member the member of this process
   * @param state the state that it has now
   */
  record StateChanged(Member member, Membership.State state) implements MemberEvent {}
}
