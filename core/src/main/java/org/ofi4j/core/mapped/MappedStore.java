// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.PackedLookups;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.ShortSearches;
import org.ofi4j.core.store.StoreOptions;

/**
 * A store whose entries are in a mapped file. There are two ways to it: readers {@link #ask}, and
 * writers {@link #change}. There what was read is thrown away if another file has the entries by
 * now, and a fault of the mapped memory, as when somebody cuts the file, becomes what callers are
 * told. The {@link ShortWays} around it find nothing then.
 */
abstract sealed class MappedStore implements EntryStore permits NamedStore, SavedStore {
  // What can be asked: with a key, with a number, or with nothing.
  private static final int FIND = 0;
  private static final int FIND_IPV4 = 1;
  private static final int FIND_IPV4_FULL = 2;
  private static final int HOLDS = 3;
  private static final int LOAD = 4;
  private static final int IPV4 = 5;
  private static final int IS_LIVE = 6;
  private static final int GENERATION = 7;
  private static final int COUNT = 8;
  private static final int IS_FIREWALLED = 9;
  private static final int LIVE_FROM = 10;
  private static final int OTHER = 11;

  private static final AddressKey NO_KEY = new AddressKey();

  final ShortWays shortWays = new ShortWays();

  /** The store that has the entries, as far as is known. */
  abstract SegmentEntryStore seen();

  /** Whether all that was read of a store is true; if not, {@link #seen} is another one. */
  abstract boolean isStill(SegmentEntryStore store);

  /**
   * After reading failed: returns if there is another store by now, and says what failed if not.
   */
  abstract void checkReplaced(SegmentEntryStore store, Throwable failed);

  /** The store that is changed, for who is between {@link #begin} and {@link #end}. */
  abstract SegmentEntryStore changed();

  /** After a change that did not end as changes do: what to say. */
  abstract RuntimeException unfinished(Throwable failed);

  /** Changes something, for who is between {@link #begin} and {@link #end}. */
  final int change(ToIntFunction<SegmentEntryStore> change) {
    SegmentEntryStore store = changed();
    try {
      return change.applyAsInt(store);
    } catch (RuntimeException | Error failed) {
      throw unfinished(failed);
    }
  }

  /** Asks the store that has the entries what is asked seldom; any thread may call. */
  final long ask(ToLongFunction<SegmentEntryStore> question) {
    return ask(OTHER, 0, 0, NO_KEY, question);
  }

  private long ask(int question, long number, AddressKey key) {
    return ask(question, number, 0, key, MappedStore::nothing);
  }

  private static long nothing(SegmentEntryStore store) {
    return 0;
  }

  /** What is asked most has a number: the compiler sees through that better than an object. */
  private long ask(
      int question,
      long number,
      long more,
      AddressKey key,
      ToLongFunction<SegmentEntryStore> other) {
    while (true) {
      SegmentEntryStore store = seen();
      try {
        int index = (int) number;
        long answer =
            switch (question) {
              case FIND -> store.find(key);
              case FIND_IPV4 -> store.findIpv4(number);
              case FIND_IPV4_FULL -> store.findIpv4Full(number);
              case HOLDS -> store.holds(index, key) ? 1 : 0;
              case LOAD -> store.load(index, key) ? 1 : 0;
              case IPV4 -> store.ipv4(index);
              case IS_LIVE -> store.isLive(index) ? 1 : 0;
              case GENERATION -> store.generation(index);
              case COUNT -> store.count(index);
              case IS_FIREWALLED -> store.isFirewalled(index) ? 1 : 0;
              case LIVE_FROM -> store.liveFrom(index, (int) (more >> Integer.SIZE), (int) more);
              default -> other.applyAsLong(store);
            };
        MappedFaults.surface();
        if (isStill(store)) {
          return answer;
        }
      } catch (RuntimeException | InternalError failed) {
        checkReplaced(store, failed);
      }
    }
  }

  // Changing.

  @Override
  public final void expect(int more) {
    change(store -> {
      store.expect(more);
      return 0;
    });
  }

  @Override
  public final int insert(AddressKey key) {
    return change(store -> store.insert(key));
  }

  @Override
  public final int insert(AddressKey[] keys, int count, int[] outcomes) {
    return change(store -> store.insert(keys, count, outcomes));
  }

  @Override
  public final int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return change(store -> store.insertIpv4(addresses, count, outcomes));
  }

  @Override
  public final void insertRange(AddressRange range, RangeOutcome outcome) {
    change(store -> {
      store.insertRange(range, outcome);
      return 0;
    });
  }

  @Override
  public int reserve() {
    return change(SegmentEntryStore::reserve);
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return change(store -> store.publish(reserved, key));
  }

  @Override
  public void cancel(int reserved) {
    change(store -> {
      store.cancel(reserved);
      return 0;
    });
  }

  @Override
  public final int replace(int index, AddressKey key) {
    return change(store -> store.replace(index, key));
  }

  @Override
  public final int remove(int index) {
    return change(store -> store.remove(index));
  }

  @Override
  public final void remove(int[] indices, int count, int[] outcomes) {
    change(store -> {
      store.remove(indices, count, outcomes);
      return 0;
    });
  }

  @Override
  public final int markFirewall(int index) {
    return change(store -> store.markFirewall(index));
  }

  // Reading, by any thread.

  @Override
  public final ShortSearches ipv4Searches() {
    return shortWays;
  }

  @Override
  public final PackedLookups packedLookups() {
    return shortWays.lookups();
  }

  @Override
  public final int find(AddressKey key) {
    return (int) ask(FIND, 0, key);
  }

  @Override
  public final int findIpv4(long addressAndPort) {
    return (int) ask(FIND_IPV4, addressAndPort, NO_KEY);
  }

  @Override
  public final int findIpv4Full(long addressAndPort) {
    return (int) ask(FIND_IPV4_FULL, addressAndPort, NO_KEY);
  }

  @Override
  public final boolean holds(int index, AddressKey key) {
    return ask(HOLDS, index, key) != 0;
  }

  @Override
  public final boolean load(int index, AddressKey into) {
    return ask(LOAD, index, into) != 0;
  }

  @Override
  public final long ipv4(int index) {
    return ask(IPV4, index, NO_KEY);
  }

  @Override
  public final boolean isLive(int index) {
    return ask(IS_LIVE, index, NO_KEY) != 0;
  }

  @Override
  public final int liveFrom(int first, int last, int stride) {
    return (int)
        ask(LIVE_FROM, first, (long) last << Integer.SIZE | stride, NO_KEY, MappedStore::nothing);
  }

  @Override
  public final long generation(int index) {
    return ask(GENERATION, index, NO_KEY);
  }

  @Override
  public final int count(int index) {
    return (int) ask(COUNT, index, NO_KEY);
  }

  @Override
  public final boolean isFirewalled(int index) {
    return ask(IS_FIREWALLED, index, NO_KEY) != 0;
  }

  @Override
  public final long size() {
    return ask(SegmentEntryStore::size);
  }

  @Override
  public final long highWaterMark() {
    return ask(SegmentEntryStore::highWaterMark);
  }

  @Override
  public final long capacity() {
    return ask(SegmentEntryStore::capacity);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    ask(store -> {
      store.copyInto(target, options);
      return 0;
    });
  }
}
