// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import org.ofi4j.core.slot.IndexPages;

/** Checks nodes and pages of {@link IndexPages}, whatever their memory has. */
final class PageCheck extends MemoryCheck {
  private final IndexPages pages;
  private final String what;
  private long units;
  private boolean sound = true;

  PageCheck(IndexPages pages, String what, Claims claims, boolean whole) {
    super(claims, whole);
    this.pages = pages;
    this.what = what;
  }

  /** Checks all nodes and pages; returns whether words in them can be read. */
  boolean check() {
    pages.forEach((unit, count, first, isPage) -> {
      boolean claimed = claims.units(unit, count, "the " + what + " from index " + first);
      units += count;
      sound &= claimed;
      return claimed;
    });
    if (whole) {
      findings.same("units of " + what, pages.units(), units);
    }
    return sound;
  }
}
