// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.hash.Bucket;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.Table;
import org.ofi4j.core.hash.TableView;
import org.ofi4j.core.memory.SlabAllocator;

/** Looks at all of a {@link HashTable}, whatever its memory has. */
final class CellCheck extends MemoryCheck {
  private final String name;
  private final long at;

  /** Cells that are not free, of one table, and of both. */
  private long used;

  private long usedOfBoth;
  private long units;

  /**
   * For one table.
   *
   * @param at where its words are in the root
   */
  CellCheck(String name, long at, Claims claims, boolean whole) {
    super(claims, whole);
    this.name = name;
    this.at = at;
  }

  /** Looks at the table; whether searches can be made in it. */
  boolean check() {
    MemorySegment root = allocator.root();
    long view = root.get(JAVA_LONG, at);
    boolean isMoving = TableView.isMoving(view);
    boolean sound =
        check(TableView.descriptor(view, false), TableView.frontier(view))
            && (!isMoving || check(TableView.descriptor(view, true), 0));
    if (whole) {
      findings.same("units of " + name, root.get(JAVA_INT, at + TableView.UNITS), units);
      int count = root.get(JAVA_INT, at + TableView.COUNT);
      if (count < 0 || count > usedOfBoth) {
        findings.add(name + " has " + count + " numbers in " + usedOfBoth + " cells");
      }
    }
    return sound;
  }

  /** Looks at one of the tables, from the first bucket on that was not moved. */
  private boolean check(long descriptor, int frontier) {
    String what = "the table of " + name;
    Table table;
    try {
      table = Table.of(allocator, at + descriptor);
    } catch (IllegalStateException impossible) {
      findings.add(what + " is none: " + impossible.getMessage());
      return false;
    }
    if (table.all() == 0) {
      return true;
    }
    if (frontier >= table.all()) {
      findings.add(what + " has " + table.all() + " buckets, of which " + frontier + " were moved");
      return false;
    }
    int list = SlabAllocator.sizeOf(table.listUnits());
    if (!claims.units(table.list(), list, "the list of " + what)) {
      return false;
    }
    units += list;
    used = 0;
    for (int block = frontier / table.blockUnits(); block < table.blocks(); block++) {
      int unit = table.blockUnit(block);
      if (unit != 0) {
        if (!claims.units(unit, table.blockUnits(), "block " + block + " of " + what)) {
          return false;
        }
        units += table.blockUnits();
      }
    }
    for (int bucket = frontier; bucket < table.all(); bucket++) {
      check(table, bucket, what);
    }
    usedOfBoth += used;
    if (whole) {
      findings.same(
          "cells of " + what, allocator.root().get(JAVA_INT, at + descriptor + Table.USED), used);
    }
    return true;
  }

  private void check(Table table, int bucket, String what) {
    int unit = table.unit(bucket);
    int mask = -1 >>> (Integer.SIZE - table.indexBits());
    boolean isFree = false;
    for (int i = 0; unit != 0 && i < Bucket.CELLS; i++) {
      int cell =
          allocator.segment(unit).get(JAVA_INT, allocator.offset(unit) + (long) i * Integer.BYTES);
      if (cell == 0) {
        isFree = true;
        continue;
      }
      if (isFree && i == Bucket.CELLS - 1) {
        // A search would go on behind a bucket that insertion ends at.
        findings.add(what + " has a free cell in bucket " + bucket + ", whose last is in use");
      }
      used++;
      if ((cell & mask) == 0 && cell != Bucket.REMOVED) {
        findings.add(what + " has cell " + Integer.toHexString(cell));
      }
    }
  }
}
