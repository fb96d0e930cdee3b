// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;

/** A member and its entry in a vector. For the thread that changes the vector. */
final class Seat {
  /** The member, or who it was last. */
  Member member;

  final long handle;

  /** The address of the entry; null if there is none at present. */
  @Nullable FabricAddress address;

  /** Whether the member is there. */
  boolean isPresent = true;

  /** Which of its absences it is: what was planned for a former one no longer holds. */
  int absence;

  Seat(Member member, long handle) {
    this.member = member;
    this.handle = handle;
    address = member.address();
  }

  void leave() {
    isPresent = false;
    absence++;
  }
}
