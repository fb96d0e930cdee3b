// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;

/**
 * The entries of one address vector, by index and by address. The seam of the engine: everything
 * behind it lies in memory segments, everything before it knows nothing of layouts.
 *
 * <p>Methods that change something are for one thread at a time: the vector's lock sees to it.
 * Methods marked <em>lock-free</em> may be called by any thread at any moment, never wait for a
 * writer, and allocate nothing. Each is atomic by itself: an entry is there whole or not at all.
 *
 * <p>Outcomes that an address or an index can have are numbers: an index or count from 0, or the
 * negative number of an {@link Errno}. Whatever fails leaves the store as it was.
 *
 * <p>An index is unused, reserved or live. A reservation holds an index without showing it, so that
 * an asynchronous insertion gets the index that is its by call order (AV-086).
 */
public interface EntryStore extends AutoCloseable {
  /**
   * Opens an empty store that takes its memory from the system.
   *
   * @param expected how many entries are likely, a hint (AV-035) that costs little before there are
   *     4,097
   * @param reuse true to give each entry the lowest unused index (AV-083), false to append always
   * @param duplicates what inserting a live address does, never {@link DuplicatePolicy#BY_VERSION}
   */
  static EntryStore open(long expected, boolean reuse, DuplicatePolicy duplicates) {
    return open(StoreOptions.of(expected, reuse, duplicates), MemorySource.system());
  }

  /**
   * Opens an empty store on memory of the caller's choice.
   *
   * @param memory where memory comes from; closed with the store
   */
  static EntryStore open(StoreOptions options, MemorySource memory) {
    return new SegmentEntryStore(options, memory);
  }

  /**
   * Comes before changes, with the vector's lock: where other processes write too, waits for their
   * lock. Between this and {@link #end} only one thread of all processes writes.
   *
   * @throws FabricException if that took too long, or entries are only to be read; then there are
   *     no changes, and no {@link #end}
   */
  default void begin() {
    begin(0);
  }

  /**
   * As {@link #begin()}, for who has waited for something else already.
   *
   * @param deadline until when to wait, in {@link System#nanoTime}
   */
  default void begin(long deadline) {}

  /** How long a thread waits for others of this process that change entries. */
  default Duration lockTimeout() {
    return ChronoUnit.FOREVER.getDuration();
  }

  /** That others took longer than that: what to throw. */
  default FabricException late() {
    throw new IllegalStateException("whoever waits for ever is never late");
  }

  /** Comes after changes. */
  default void end() {}

  /**
   * Tells that insertions follow, so that their slots come together.
   *
   * @param more of how many addresses, a guess
   */
  default void expect(int more) {}

  /**
   * Inserts an address. If it is live already, the policy for duplicates decides: SHARE raises the
   * count of the entry that has it, REJECT refuses, NEW_INDEX adds another entry.
   *
   * @param key the address; copied
   * @return the index of its entry; {@code -ENOMEM} if memory or indices ran out; {@code -EALREADY}
   *     if refused
   */
  int insert(AddressKey key);

  /**
   * Inserts addresses one after the other, each as {@link #insert(AddressKey)} would; many at once
   * cost less than one by one. Ends early when memory or indices run out.
   *
   * @param keys the addresses; copied
   * @param outcomes takes what {@link #insert(AddressKey)} answers for each
   * @return how many were tried: {@code count}, or fewer, and then the last outcome is {@code
   *     -ENOMEM}
   */
  int insert(AddressKey[] keys, int count, int[] outcomes);

  /**
   * As {@link #insert(AddressKey[], int, int[])}, of IPv4 addresses.
   *
   * @param addresses each {@code address << 16 | port}
   * @param outcomes takes what {@link #insert(AddressKey)} answers for each
   * @return how many were tried: {@code count}, or fewer, and then the last outcome is {@code
   *     -ENOMEM}
   */
  int insertIpv4(long[] addresses, int count, int[] outcomes);

  /**
   * Inserts the addresses of a range one after the other, each as {@link #insert(AddressKey)}
   * would. What it costs goes by the pieces that the outcome has, not by the addresses. What was
   * not tried as memory or indices had run out fails with {@code -ECANCELED}, behind one {@code
   * -ENOMEM}.
   *
   * @param outcome takes what became of them, all of them, behind what it has
   */
  void insertRange(AddressRange range, RangeOutcome outcome);

  /** Takes the next index without showing an entry; {@code -ENOMEM} if there is none. */
  int reserve();

  /**
   * Ends a reservation by showing an address under it, or, if the address is live already, as the
   * policy for duplicates says; what is not used of the reservation becomes unused (D-19).
   *
   * @param reserved a reserved index; what was attached to it becomes the entry's
   * @param key the address; copied
   * @return the index that has the address now: the reserved one, or with SHARE that of the older
   *     entry; {@code -ENOMEM} or {@code -EALREADY} as {@link #insert}, the reservation being over;
   *     {@code -EINVAL} if the index is not reserved
   */
  int publish(int reserved, AddressKey key);

  /** Ends a reservation, if there is one, without an entry: the index becomes unused. */
  void cancel(int reserved);

  /**
   * Gives an entry another address: whoever asks meanwhile finds the old one or the new one. Index,
   * generation, shares, user id and marks stay. Does nothing if the entry has the address already.
   *
   * @param index any number
   * @param key the address; copied
   * @return 0; {@code -EINVAL} if there is no entry; {@code -EALREADY} if the policy lets an
   *     address have one entry only, and another one has it; {@code -ENOMEM}
   */
  int replace(int index, AddressKey key);

  /**
   * Removes an entry, or one share of it. An entry that dies takes count, user id and marks with
   * it: who gets its index next inherits nothing (D-40).
   *
   * @return how many shares are left, 0 if the entry died; {@code -EINVAL} if there is none; {@code
   *     -ENOMEM} if there is no memory to record it, which can be with entries of runs only
   */
  int remove(int index);

  /**
   * Removes entries one after the other, each as {@link #remove(int)} would; many at once may cost
   * less than one by one.
   *
   * @param indices any numbers
   * @param outcomes takes what {@link #remove(int)} answers for each; may be {@code indices}
   */
  default void remove(int[] indices, int count, int[] outcomes) {
    for (int i = 0; i < count; i++) {
      outcomes[i] = remove(indices[i]);
    }
  }

  /**
   * Finds an address; lock-free. If several live entries have it, the lowest index answers; while
   * the lowest one of them comes or goes, either answer may be given.
   *
   * @return an index that has the address, or -1
   */
  int find(AddressKey key);

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}; lock-free. */
  int findIpv4(long addressAndPort);

  /** The fastest way to most of what {@link #findIpv4} finds, always the same; lock-free. */
  ShortSearches ipv4Searches();

  /** As {@link #findIpv4}, for who has found nothing by {@link #ipv4Searches}; lock-free. */
  int findIpv4Full(long addressAndPort);

  /** Whether an index, which may be any number, names an entry with an address; lock-free. */
  boolean holds(int index, AddressKey key);

  /**
   * Reads an entry; lock-free, except that reading text or opaque bytes may allocate room for them
   * in the key.
   *
   * @param index any number
   * @param into becomes the address as it was inserted; empty if there is none
   * @return true if the index is live
   */
  boolean load(int index, AddressKey into);

  /**
   * Reads an entry that is an IPv4 address; lock-free, and the fastest way for those.
   *
   * @param index any number
   * @return {@code address << 16 | port}; -1 if the index is not live, the address is of another
   *     kind or is being replaced: {@link #load} tells
   */
  long ipv4(int index);

  /**
   * How often entries were removed or given another address, so that who remembers an address knows
   * when to look again; lock-free. Who asks first and then reads an entry reads what that many
   * changes have left, or something newer.
   *
   * @return 0 or more; -1 if other processes change entries too, and nobody counts
   */
  default long addressChanges() {
    return -1;
  }

  /** The fastest way for those that are copied in packed form, always the same; lock-free. */
  PackedLookups packedLookups();

  /** Whether an index, which may be any number, names an entry; lock-free. */
  boolean isLive(int index);

  /**
   * The first live index of a progression; lock-free. What lives all the while is not passed over.
   *
   * @param first the first index, 0 or more
   * @param last where to end, inclusive
   * @param stride from one index to the next, at least 1
   * @return the index, or -1 if none of them is live
   */
  int liveFrom(int first, int last, int stride);

  /**
   * The generation of an index; lock-free. A receive that is directed at an entry remembers it, and
   * knows by it an index that died and was re-used.
   *
   * @param index any number
   * @return a number, 0 or more, that grows each time that this index is used again
   */
  long generation(int index);

  /** How many insertions share an entry; 0 if the index, which may be any, is none; lock-free. */
  int count(int index);

  /** Whether an index, which may be any, has a user id; lock-free. */
  boolean hasUserId(int index);

  /** The user id of any index; {@code absent} if it is not live or has none; lock-free. */
  long userId(int index, long absent);

  /**
   * Gives an entry or a reservation a user id, or another one. Readers see the old one or the new.
   *
   * @param index a live or reserved index
   * @param id the user id, any number
   * @return 0; {@code -EINVAL} if the index is unused; {@code -ENOMEM}
   */
  int setUserId(int index, long id);

  /** Whether any index is live and {@link #markFirewall marked}; lock-free. */
  boolean isFirewalled(int index);

  /**
   * Marks an entry or a reservation as behind a firewall, for as long as it lives.
   *
   * @param index a live or reserved index
   * @return 0; {@code -EINVAL} if the index is unused; {@code -ENOMEM}
   */
  int markFirewall(int index);

  /** How many indices are live; lock-free. */
  long size();

  /** The largest {@link #size} so far; lock-free. */
  long highWaterMark();

  /** How many entries the slots at hand could take, at least {@link #size}; lock-free. */
  long capacity();

  /** What there was none of when something failed with {@code -ENOMEM}; "found" comes before. */
  default String shortage() {
    return "no memory, no thread or no unused index left";
  }

  /** What the store takes: live, held and side bytes; lock-free, and not exact beside a writer. */
  MemoryUse memory();

  /**
   * The numbers of the keys that entries are under.
   *
   * @param most how many there may be, if that is not known of the vector already
   * @return no keys, or those that others have inserted; to be asked for once
   */
  KeyNumbers keyNumbers(int most);

  /**
   * Copies the entries, each with its index, its generation and its shares; no reservations and no
   * user ids. For who may change the vector, without {@link #begin}.
   *
   * @param target a store without entries
   * @param options what both are like
   * @throws OutOfMemoryError if memory ran out; the target is of no use then
   */
  void copyInto(SegmentEntryStore target, StoreOptions options);

  /**
   * Gives all memory back. Lock-free calls under way end with an {@link IllegalStateException}, as
   * do later ones; nothing worse. Closing again does nothing.
   */
  @Override
  void close();
}
