// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * Changes of many entries in one call, in passes over some of them at a time, so that the cache
 * misses of all of them overlap. Unusual cases are left to {@link StoreChanges}: an address that is
 * present, an index whose generation its slot cannot tell, want of memory.
 *
 * <p>A pass of insertions makes hashes; loads the lines that their cells are in, each once; makes
 * cells; stores slots. One of removals loads each slot once; makes the stores by which entries die;
 * makes their indices free.
 *
 * <p>Indices behind the last one in use are taken together, as nothing need be looked at for each
 * as long as they have slots in one page. Before them, those that were used before are taken one at
 * a time.
 *
 * <p>For one thread at a time.
 */
final class BatchChanges {
  /** How many entries a pass goes over: more cache misses than these are never under way. */
  private static final int MOST = 128;

  private static final int NO_MEMORY = -Errno.ENOMEM.number();

  private final Slots slots;
  private final Entries entries;
  private final FreeIndices freeIndices;
  private final EntryCounts counts;
  private final HashTable cells;
  private final StoreChanges changes;
  private final int capacity;

  /** Whether an address may have several entries, so that a cell goes with its entry. */
  private final boolean several;

  /** The runs, whose addresses get no other index; null if they do. */
  private final @Nullable Runs runs;

  /** The hashes of the addresses of a pass, and the slots of those that have cells. */
  private final long[] hashes = new long[MOST];

  private final long[] words = new long[MOST];

  /** The indices of the entries of a pass that died. */
  private final int[] dead = new int[MOST];

  /** Whether there is room for the cells of all addresses of the pass. */
  private boolean prepared;

  /** A sum of loaded words, which makes the compiler keep the loads. */
  @SuppressWarnings("UnusedVariable")
  private int touched;

  // The addresses that are inserted now: of IPv4, or of any kind.

  private boolean ipv4;
  private long[] addresses = {};
  private AddressKey[] keys = {};
  private final AddressKey scratch = new AddressKey();

  // The indices that are ready: the first one, and its slot.

  private int first;
  private MemorySegment page = MemorySegment.NULL;
  private long firstSlot;

  BatchChanges(StoreParts parts, StoreOptions options, StoreChanges changes) {
    this.slots = parts.slots();
    this.entries = parts.entries();
    this.freeIndices = parts.freeIndices();
    this.counts = parts.counts();
    this.cells = parts.cells();
    this.changes = changes;
    this.capacity = options.capacity();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.runs = several ? null : parts.runs();
  }

  /** Inserts addresses of any kind; see {@link EntryStore#insert(AddressKey[], int, int[])}. */
  int insert(AddressKey[] all, int count, int[] outcomes) {
    keys = all;
    ipv4 = false;
    return insert(0, count, outcomes);
  }

  /**
   * Inserts IPv4 addresses.
   *
   * @param all as {@link EntryStore#insertIpv4} has them
   * @param start the first one
   * @param end one more than the last one
   * @param outcomes takes the outcome of each, at the same place
   * @return one more than the last one that was tried: the end, or behind the first one that failed
   *     for want of memory
   */
  int insert(long[] all, int start, int end, int[] outcomes) {
    addresses = all;
    ipv4 = true;
    return insert(start, end, outcomes);
  }

  private int insert(int start, int end, int[] outcomes) {
    for (int from = start; from < end; from += MOST) {
      int count = Math.min(MOST, end - from);
      for (int i = 0; i < count; i++) {
        hashes[i] = hash(from + i);
      }
      prepareCells(count);
      int done = 0;
      while (done < count) {
        int most = prepare(count - done);
        int inserted = insertNext(from + done, done, most, outcomes);
        if (inserted > 0) {
          counts.addScattered(inserted);
        }
        done += inserted;
        if (inserted < most || most == 0) {
          int outcome = insertSingly(from + done, hashes[done]);
          outcomes[from + done] = outcome;
          if (outcome == NO_MEMORY) {
            return from + done + 1;
          }
          done++;
        }
      }
    }
    return end;
  }

  /** Makes room for the cells of the pass, and loads the buckets that they go to. */
  private void prepareCells(int count) {
    try {
      cells.prepareMany(count, 0);
      prepared = true;
    } catch (OutOfMemoryError e) {
      // Each address will be told.
      prepared = false;
    }
    if (!cells.isSmall()) {
      touch(count);
    }
  }

  /** Loads a cell of each bucket: in a loop with little in it many misses are under way at once. */
  private void touch(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
      sum += cells.touch(hashes[i]);
    }
    touched = sum;
  }

  /**
   * Makes indices ready.
   *
   * @param wanted how many, at least 1
   * @return how many there are: one that was used before, if it is the next; 0 if it has no slot
   *     yet, or for want of memory
   */
  private int prepare(int wanted) {
    int lowest = freeIndices.next();
    int end = freeIndices.end();
    if (lowest < 0) {
      return 0;
    }
    int most = 1;
    try {
      if (lowest == end) {
        changes.makeRoom(lowest);
      }
      MemorySegment its = slots.page(lowest);
      if (its == null) {
        return 0;
      }
      page = its;
      if (lowest == end) {
        most = Math.min(Math.min(wanted, capacity - end), slots.pages().roomFrom(page, end));
      }
      freeIndices.prepare(lowest, most);
    } catch (OutOfMemoryError e) {
      return 0;
    }
    first = lowest;
    firstSlot = slots.pages().offset(page, lowest);
    return most;
  }

  /**
   * Inserts addresses under the indices that are ready, as long as that goes.
   *
   * @param from the first address
   * @param start its place in the batch
   * @param most how many indices are ready
   * @return how many were inserted, perhaps none
   */
  private int insertNext(int from, int start, int most, int[] outcomes) {
    Runs present = runs == null || runs.isEmpty() ? null : runs;
    int done = 0;
    int stored = 0;
    while (done < most && (present == null || !isIn(present, from + done))) {
      long generation = SlotWord.generation(page.get(JAVA_LONG, slot(done)));
      if (!SlotWord.fits(generation)) {
        break;
      }
      try {
        long word = encode(from + done, first + done, hashes[start + done]);
        words[done] = SlotWord.withGeneration(word, generation);
      } catch (OutOfMemoryError e) {
        break;
      }
      if (!prepared || !cells.fillIfUntagged(hashes[start + done], first + done)) {
        // The comparison looks at slots, so those of all filled cells must be there.
        store(stored, done);
        stored = done;
        if (!putIfAbsent(start + done, from + done, first + done)) {
          entries.discard(words[done]);
          break;
        }
      }
      outcomes[from + done] = first + done;
      done++;
    }
    if (done > 0) {
      store(stored, done);
      freeIndices.take(first, done);
    }
    return done;
  }

  private long slot(int i) {
    return firstSlot + (long) i * slots.pages().slotBytes();
  }

  /** Publishes addresses that have cells, and perhaps records, which both go before the slots. */
  private void store(int start, int end) {
    VarHandle.releaseFence();
    for (int i = start; i < end; i++) {
      Slots.show(page, slot(i), words[i]);
    }
  }

  // One of the addresses, by its position among all.

  private long hash(int at) {
    return ipv4 ? entries.hashIpv4(addresses[at]) : entries.hash(keys[at]);
  }

  private boolean isIn(Runs present, int at) {
    RunSnapshot all = present.present();
    int found = ipv4 ? present.findIpv4(all, addresses[at]) : present.find(all, keys[at]);
    return found >= 0;
  }

  private long encode(int at, int index, long hash) {
    return ipv4 ? SlotWord.ipv4(addresses[at]) : entries.encode(index, keys[at], hash);
  }

  /** Gives an address a cell, wherever there is one; false if it has one, or there is no memory. */
  private boolean putIfAbsent(int i, int at, int number) {
    try {
      cells.prepare(number, true);
    } catch (OutOfMemoryError e) {
      return false;
    }
    return ipv4
        ? cells.fillIfAbsent(hashes[i], number, entries, null, addresses[at])
        : cells.fillIfAbsent(hashes[i], number, entries, keys[at], 0);
  }

  private int insertSingly(int at, long hash) {
    AddressKey key = scratch;
    if (ipv4) {
      key.setIpv4(addresses[at]);
    } else {
      key = keys[at];
    }
    return changes.insertAny(key, hash);
  }

  // Removals.

  /** See {@link EntryStore#remove(int[], int, int[])}. */
  void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += MOST) {
      int end = Math.min(count, from + MOST);
      slots.words(indices, from, end, words);
      int at = from;
      while (at < end) {
        at += several ? 0 : removeUsual(indices, at, end, outcomes);
        if (at < end) {
          outcomes[at] = changes.remove(indices[at]);
          at++;
        }
      }
    }
  }

  /**
   * Removes entries that have neither records of their own nor side words, as long as that goes.
   *
   * @param to one more than the last one, at most {@link #MOST} more than the first
   * @param outcomes takes 0 for each that was removed, at the same place; may be the same array
   * @return how many were removed
   */
  private int removeUsual(int[] indices, int from, int to, int[] outcomes) {
    int end = freeIndices.end();
    int removed = 0;
    while (from + removed < to) {
      int index = indices[from + removed];
      MemorySegment page = index >= 0 && index < end ? slots.pageForWriter(index) : null;
      if (page == null || !die(page, index)) {
        break;
      }
      dead[removed] = index;
      outcomes[from + removed] = 0;
      removed++;
    }
    if (removed > 0) {
      // They are dead before they are free.
      VarHandle.releaseFence();
      freeIndices.release(dead, removed);
      cells.addTombstones(removed);
      counts.addScattered(-removed);
    }
    return removed;
  }

  /** The store by which an entry dies; false if it has to die in another way. */
  private boolean die(MemorySegment page, int index) {
    // An index may be given twice, so its slot is loaded again.
    long slot = slots.pages().offset(page, index);
    long word = page.get(JAVA_LONG, slot);
    if (SlotWord.hasSide(word)
        || !(SlotWord.state(word) == SlotWord.IPV4 || entries.isInSlot(word))) {
      return false;
    }
    Slots.free(page, slot, SlotWord.lowGeneration(word) + 1L);
    return true;
  }
}
