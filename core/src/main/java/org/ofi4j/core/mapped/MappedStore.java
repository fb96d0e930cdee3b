// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.PackedLookups;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * A store whose entries are in a mapped file. There are two ways to it: readers {@link #ask}, and
 * writers {@link #change}. There what was read is thrown away if another file has the entries by
 * now, and a fault of the mapped memory, as when somebody cuts the file, becomes what callers are
 * told. The two ways around it, {@link PackedLookups} and {@link MappedSearches}, find nothing
 * then.
 */
abstract sealed class MappedStore implements EntryStore permits NamedStore, SavedStore {
  /**
   * What is asked of a store. It has no state of its own, which would be garbage: what it needs
   * comes along.
   */
  @FunctionalInterface
  interface Question<A> {
    long answer(SegmentEntryStore store, A about, long number, long more);
  }

  /** What is changed in a store, likewise. */
  @FunctionalInterface
  interface Change<A, B> {
    int make(SegmentEntryStore store, A one, B other, long number);
  }

  private static final AddressKey NO_KEY = new AddressKey();

  /** The store that has the entries, as far as is known. */
  abstract SegmentEntryStore seen();

  /** Whether all that was read of a store is true; if not, {@link #seen} is another one. */
  abstract boolean isStill(SegmentEntryStore store);

  /**
   * After reading failed: returns if there is another store by now, and says what failed if not.
   */
  abstract void checkReplaced(SegmentEntryStore store, Throwable failed);

  /** Changes something, for who is between {@link #begin} and {@link #end}. */
  abstract <A, B> int change(Change<A, B> change, A one, B other, long number);

  private int change(Change<AddressKey, AddressKey> change, AddressKey key, long number) {
    return change(change, key, key, number);
  }

  /** Asks the store that has the entries, lock-free; any thread may call. */
  final <A> long ask(Question<A> question, A about, long number, long more) {
    while (true) {
      SegmentEntryStore store = seen();
      try {
        long answer = question.answer(store, about, number, more);
        MappedFaults.surface();
        if (isStill(store)) {
          return answer;
        }
      } catch (RuntimeException | InternalError failed) {
        checkReplaced(store, failed);
      }
    }
  }

  final long ask(Question<AddressKey> question, long number) {
    return ask(question, NO_KEY, number, 0);
  }

  // Changing.

  @Override
  public final int insert(AddressKey key) {
    return change((store, inserted, _, _) -> store.insert(inserted), key, 0);
  }

  @Override
  public final int insert(AddressKey[] keys, int count, int[] outcomes) {
    return change(
        (store, all, to, many) -> store.insert(all, (int) many, to), keys, outcomes, count);
  }

  @Override
  public final int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return change(
        (store, all, to, many) -> store.insertIpv4(all, (int) many, to),
        addresses,
        outcomes,
        count);
  }

  @Override
  public final void insertRange(AddressRange range, RangeOutcome outcome) {
    change(
        (store, all, to, _) -> {
          store.insertRange(all, to);
          return 0;
        },
        range,
        outcome,
        0);
  }

  @Override
  public int reserve() {
    return change((store, _, _, _) -> store.reserve(), NO_KEY, 0);
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return change((store, shown, _, index) -> store.publish((int) index, shown), key, reserved);
  }

  @Override
  public void cancel(int reserved) {
    change(
        (store, _, _, index) -> {
          store.cancel((int) index);
          return 0;
        },
        NO_KEY,
        reserved);
  }

  @Override
  public final int replace(int index, AddressKey key) {
    return change((store, next, _, live) -> store.replace((int) live, next), key, index);
  }

  @Override
  public final int remove(int index) {
    return change((store, _, _, live) -> store.remove((int) live), NO_KEY, index);
  }

  @Override
  public final void remove(int[] indices, int count, int[] outcomes) {
    change(
        (store, all, to, many) -> {
          store.remove(all, (int) many, to);
          return 0;
        },
        indices,
        outcomes,
        count);
  }

  @Override
  public final int markFirewall(int index) {
    return change((store, _, _, used) -> store.markFirewall((int) used), NO_KEY, index);
  }

  // Reading, by any thread.

  @Override
  public final int find(AddressKey key) {
    return (int) ask((store, sought, _, _) -> store.find(sought), key, 0, 0);
  }

  @Override
  public final int findIpv4(long addressAndPort) {
    return (int) ask((store, _, address, _) -> store.findIpv4(address), addressAndPort);
  }

  @Override
  public final int findIpv4Full(long addressAndPort) {
    return (int) ask((store, _, address, _) -> store.findIpv4Full(address), addressAndPort);
  }

  @Override
  public final boolean holds(int index, AddressKey key) {
    return ask((store, sought, any, _) -> bit(store.holds((int) any, sought)), key, index, 0) != 0;
  }

  @Override
  public final boolean load(int index, AddressKey into) {
    return ask((store, to, any, _) -> bit(store.load((int) any, to)), into, index, 0) != 0;
  }

  @Override
  public final long ipv4(int index) {
    return ask((store, _, any, _) -> store.ipv4((int) any), index);
  }

  @Override
  public final boolean isLive(int index) {
    return ask((store, _, any, _) -> bit(store.isLive((int) any)), index) != 0;
  }

  @Override
  public final int liveFrom(int first, int last, int stride) {
    return (int)
        ask(
            (store, _, from, rest) -> store.liveFrom((int) from, (int) (rest >> 32), (int) rest),
            NO_KEY,
            first,
            (long) last << 32 | stride);
  }

  @Override
  public final long generation(int index) {
    return ask((store, _, any, _) -> store.generation((int) any), index);
  }

  @Override
  public final int count(int index) {
    return (int) ask((store, _, any, _) -> store.count((int) any), index);
  }

  @Override
  public final boolean isFirewalled(int index) {
    return ask((store, _, any, _) -> bit(store.isFirewalled((int) any)), index) != 0;
  }

  @Override
  public final long size() {
    return ask((store, _, _, _) -> store.size(), 0);
  }

  @Override
  public final long highWaterMark() {
    return ask((store, _, _, _) -> store.highWaterMark(), 0);
  }

  @Override
  public final long capacity() {
    return ask((store, _, _, _) -> store.capacity(), 0);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    ask(
        (store, to, _, _) -> {
          store.copyInto(to, options);
          return 0;
        },
        target,
        0,
        0);
  }

  static int bit(boolean yes) {
    return yes ? 1 : 0;
  }
}
