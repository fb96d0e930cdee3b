// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.Table;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** Checks the memory and the cells of the {@link HashTable} of addresses. */
record CellCheck(Claims claims, Findings findings, boolean whole) {
  private static final String TABLE = "the table of addresses";

  /** Checks both tables; returns whether they can be searched. */
  boolean check() {
    MemorySegment root = claims.allocator.root();
    int before = claims.used;
    long view = root.get(JAVA_LONG, Superblock.CELLS);
    boolean sound =
        check(HashTable.descriptor(view, false), HashTable.frontier(view))
            && (!HashTable.isMoving(view) || check(HashTable.descriptor(view, true), 0));
    if (whole) {
      int stored = root.get(JAVA_INT, Superblock.CELLS + HashTable.UNITS);
      findings.same("units of addresses", stored, claims.used - before);
    }
    return sound;
  }

  /** Checks one of the tables, from the first bucket on that was not moved. */
  private boolean check(long descriptor, int frontier) {
    Table table;
    try {
      table = Table.of(claims.allocator, Superblock.CELLS + descriptor);
    } catch (IllegalStateException impossible) {
      findings.add(TABLE + " is none: " + impossible.getMessage());
      return false;
    }
    if (table.all() == 0) {
      return true;
    }
    if (frontier >= table.all()) {
      findings.add(
          TABLE + " has " + table.all() + " buckets, of which " + frontier + " were moved");
      return false;
    }
    int list = SlabAllocator.sizeOf(table.listUnits());
    boolean sound = claims.units(table.list(), list, "the list of " + TABLE);
    for (int i = frontier / table.blockUnits(); sound && i < table.blocks(); i++) {
      int unit = table.blockUnit(i);
      sound = unit == 0 || claims.units(unit, table.blockUnits(), "block " + i + " of " + TABLE);
    }
    int used = 0;
    for (int bucket = frontier; sound && bucket < table.all(); bucket++) {
      used += check(table, bucket);
    }
    if (sound && whole) {
      long offset = Superblock.CELLS + descriptor + Table.USED;
      findings.same("cells of " + TABLE, claims.allocator.root().get(JAVA_INT, offset), used);
    }
    return sound;
  }

  /** Checks the cells of a bucket; returns how many are not free. */
  private int check(Table table, int bucket) {
    MemorySegment block = table.block(bucket);
    int used = 0;
    for (int i = 0; block != null && i < Table.CELLS; i++) {
      int cell = block.get(JAVA_INT, table.start(bucket) + (long) i * Integer.BYTES);
      if (cell != 0 && cell != Table.REMOVED && cell << (Integer.SIZE - table.indexBits()) == 0) {
        findings.add(TABLE + " has cell " + Integer.toHexString(cell));
      }
      used += cell == 0 ? 0 : 1;
    }
    return used;
  }
}
