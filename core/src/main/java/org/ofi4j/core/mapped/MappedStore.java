// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.function.ToIntFunction;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.PackedLookups;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.ShortSearches;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.store.UserIds;

/**
 * A store whose entries are in a mapped file: a {@link SegmentEntryStore} that readers {@link #ask}
 * and writers {@link #change}. A fault of the mapped memory, as when the file is cut, becomes an
 * exception that says so.
 */
abstract sealed class MappedStore implements EntryStore permits NamedStore, SavedStore {
  // What is asked and changed most. The compiler sees through a number better than an object, which
  // would be garbage besides.
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

  private static final int INSERT = 0;
  private static final int PUBLISH = 1;
  private static final int REPLACE = 2;
  private static final int REMOVE = 3;
  private static final int MARK_FIREWALL = 4;

  /** What else is asked; where it has no state of its own, nothing is allocated. */
  @FunctionalInterface
  interface Question {
    long answer(SegmentEntryStore store, long number, long more);
  }

  private static final AddressKey NO_KEY = new AddressKey();

  final SegmentEntryStore store;

  /** The user ids of this process, which are in no file. */
  final UserIds userIds = new UserIds(this::isLive, this::generation);

  /** Whether each address has at most one entry, so that short searches may look at runs, too. */
  private final boolean once;

  /** Whether short searches may read the file; a thread may see late that they may not. */
  private boolean searchable = true;

  MappedStore(SegmentEntryStore store, StoreOptions options) {
    this.store = store;
    this.once = options.duplicates() != DuplicatePolicy.NEW_INDEX;
  }

  /**
   * Throws an exception if the file is not to be read any more: the store was closed, or its memory
   * was lost.
   */
  abstract void checkReadable();

  /**
   * Returns the exception for a read that failed; none reads the file after its memory was lost.
   */
  abstract RuntimeException readFailed(Throwable failed);

  /** Lets short lookups and searches find nothing from now on. */
  final void stopShortLookups() {
    searchable = false;
    store.packedLookups().stop();
  }

  /** Throws an exception unless the caller is between {@link #begin} and {@link #end}. */
  abstract void checkChangeable();

  /** After a change that did not end as changes do: what to say. */
  abstract RuntimeException unfinished(Throwable failed);

  /** Changes something seldom or much, for who is between {@link #begin} and {@link #end}. */
  final int change(ToIntFunction<SegmentEntryStore> change) {
    checkChangeable();
    try {
      return change.applyAsInt(store);
    } catch (RuntimeException | Error failed) {
      throw unfinished(failed);
    }
  }

  private int change(int what, int index, AddressKey key) {
    checkChangeable();
    try {
      return switch (what) {
        case INSERT -> store.insert(key);
        case PUBLISH -> store.publish(index, key);
        case REPLACE -> store.replace(index, key);
        case REMOVE -> store.remove(index);
        default -> store.markFirewall(index);
      };
    } catch (RuntimeException | Error failed) {
      throw unfinished(failed);
    }
  }

  /** Reads the store; any thread may call. */
  final long ask(Question question, long number, long more) {
    checkReadable();
    try {
      long answer = question.answer(store, number, more);
      MappedFaults.surface();
      return answer;
    } catch (RuntimeException | InternalError failed) {
      throw readFailed(failed);
    }
  }

  private long ask(int question, long number, AddressKey key) {
    checkReadable();
    try {
      long answer = answer(store, question, number, key);
      MappedFaults.surface();
      return answer;
    } catch (RuntimeException | InternalError failed) {
      throw readFailed(failed);
    }
  }

  private static long answer(SegmentEntryStore store, int question, long number, AddressKey key) {
    int index = (int) number;
    return switch (question) {
      case FIND -> store.find(key);
      case FIND_IPV4 -> store.findIpv4(number);
      case FIND_IPV4_FULL -> store.findIpv4Full(number);
      case HOLDS -> store.holds(index, key) ? 1 : 0;
      case LOAD -> store.load(index, key) ? 1 : 0;
      case IPV4 -> store.ipv4(index);
      case IS_LIVE -> store.isLive(index) ? 1 : 0;
      case GENERATION -> store.generation(index);
      case COUNT -> store.count(index);
      default -> store.isFirewalled(index) ? 1 : 0;
    };
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
    return change(INSERT, 0, key);
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
    return change(PUBLISH, reserved, key);
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
    return change(REPLACE, index, key);
  }

  @Override
  public final int remove(int index) {
    return change(REMOVE, index, NO_KEY);
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
    return change(MARK_FIREWALL, index, NO_KEY);
  }

  // Reading, by any thread.

  @Override
  public final ShortSearches ipv4Searches() {
    return this::findShort;
  }

  /** Searches in cells, then in runs; -1 also if the general way has to say what is wrong. */
  private int findShort(long address) {
    if (!searchable) {
      return -1;
    }
    try {
      int index = store.ipv4Searches().find(address);
      index = index >= 0 || !once ? index : store.runs().findIpv4(address);
      MappedFaults.surface();
      return index;
    } catch (IllegalStateException | InternalError failed) {
      return -1;
    }
  }

  @Override
  public final PackedLookups packedLookups() {
    return store.packedLookups();
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
        ask(
            (store, from, rest) ->
                store.liveFrom((int) from, (int) (rest >> Integer.SIZE), (int) rest),
            first,
            (long) last << Integer.SIZE | stride);
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
  public final boolean hasUserId(int index) {
    return userIds.has(index);
  }

  @Override
  public final long userId(int index, long absent) {
    return userIds.get(index, absent);
  }

  @Override
  public final boolean isFirewalled(int index) {
    return ask(IS_FIREWALLED, index, NO_KEY) != 0;
  }

  @Override
  public final long size() {
    return ask((store, _, _) -> store.size(), 0, 0);
  }

  @Override
  public final long highWaterMark() {
    return ask((store, _, _) -> store.highWaterMark(), 0, 0);
  }

  @Override
  public final long capacity() {
    return ask((store, _, _) -> store.capacity(), 0, 0);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    ask(
        (store, _, _) -> {
          store.copyInto(target, options);
          return 0;
        },
        0,
        0);
  }
}
