// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.run.RunEntries;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.slot.Slots;

/**
 * Insertions of an address that is not the ordinary case: what all others come to then. For the one
 * thread that writes.
 */
final class SingleInsertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();

  private final DuplicatePolicy duplicates;
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final FreeIndices freeIndices;
  private final SideRecords side;
  private final RunEntries runEntries;
  private final Runs runs;
  private final EntryCounts counts;
  private final ScatteredEntries scattered;
  private final AddressKey scratch = new AddressKey();

  SingleInsertions(StoreParts parts, DuplicatePolicy duplicates, ScatteredEntries scattered) {
    this.duplicates = duplicates;
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.index = parts.index();
    this.freeIndices = parts.freeIndices();
    this.side = parts.side();
    this.runEntries = parts.runEntries();
    this.runs = parts.runs();
    this.counts = parts.counts();
    this.scattered = scattered;
  }

  /** As {@link #insert(AddressKey)}, of an IPv4 address, {@code address << 16 | port}. */
  int insert(long address) {
    scratch.setIpv4(address);
    return insert(scratch);
  }

  /** See {@link EntryStore#insert(AddressKey)}. */
  int insert(AddressKey key) {
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        return repeat(present);
      }
      int next = freeIndices.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      freeIndices.prepare(next);
      scattered.makeRoom(next);
      scattered.show(next, key, hash, inCells);
      counts.addScattered(1);
      freeIndices.take(next);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /**
   * Makes an entry of a reserved index, unless another entry has the address.
   *
   * @return the index, if it has become an entry; else what {@link EntryStore#publish} says
   */
  int publish(int reserved, AddressKey key) {
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        return repeat(present);
      }
      scattered.show(reserved, key, hash, inCells);
      counts.addScattered(1);
      counts.addReserved(-1);
      return reserved;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  /**
   * The entry that an address would share, or be refused for.
   *
   * @param inCells the index that the cells give it, or -1
   * @return its index, or -1 if the address gets an entry of its own
   */
  int present(AddressKey key, int inCells) {
    if (duplicates == DuplicatePolicy.NEW_INDEX) {
      return -1;
    }
    return inCells >= 0 ? inCells : runs.find(key);
  }

  /** Inserts the address of an entry again without a new index; its index or a negative errno. */
  int repeat(int present) {
    if (duplicates == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    int outcome = scattered.ensureSide(present);
    if (outcome != 0) {
      return outcome;
    }
    int shares = side.shares(present);
    int common =
        slots.word(present) == 0
            ? Math.max(runEntries.shares(present), 0)
            : side.runShares(present);
    if (shares + common == Integer.MAX_VALUE - 1) {
      return NO_MEMORY;
    }
    side.setShares(present, shares + 1);
    return present;
  }
}
