// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import org.ofi4j.core.memory.SlabAllocator;

/** What looks at one part of a store, whatever its memory has. */
abstract class MemoryCheck {
  final Claims claims;
  final SlabAllocator allocator;
  final Findings findings;

  /** Whether what only writers go by must be right too. */
  final boolean whole;

  MemoryCheck(Claims claims, boolean whole) {
    this.claims = claims;
    this.allocator = claims.allocator();
    this.findings = claims.findings();
    this.whole = whole;
  }
}
