// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.PackedLookups;
import org.ofi4j.core.store.SegmentEntryStore;

/**
 * A store whose entries are in a mapped file, as readers see it. All that is read of the file goes
 * one way, {@link #ask}: there what was read is thrown away if another file has the entries by now,
 * and a fault of the mapped memory, as when somebody cuts the file, becomes what callers are told.
 * The two ways around it, {@link PackedLookups} and {@link MappedSearches}, find nothing then.
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
  private static final int SIZE = 10;
  private static final int HIGH_WATER_MARK = 11;
  private static final int CAPACITY = 12;

  private static final AddressKey NO_KEY = new AddressKey();

  /** The store that has the entries, as far as is known. */
  abstract SegmentEntryStore seen();

  /** Whether all that was read of a store is true; if not, {@link #seen} is another one. */
  abstract boolean isStill(SegmentEntryStore store);

  /** After reading failed: returns if there is another store by now. */
  abstract void checkReplaced(SegmentEntryStore store, RuntimeException failed);

  /** After a fault of the mapped memory. */
  abstract RuntimeException faulted(InternalError fault);

  private long ask(int question, long number, AddressKey key) {
    while (true) {
      SegmentEntryStore store = seen();
      try {
        long answer = answer(store, question, number, key);
        MappedFaults.surface();
        if (isStill(store)) {
          return answer;
        }
      } catch (RuntimeException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
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
      case IS_FIREWALLED -> store.isFirewalled(index) ? 1 : 0;
      case SIZE -> store.size();
      case HIGH_WATER_MARK -> store.highWaterMark();
      default -> store.capacity();
    };
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
    while (true) {
      SegmentEntryStore store = seen();
      try {
        int found = store.liveFrom(first, last, stride);
        MappedFaults.surface();
        if (isStill(store)) {
          return found;
        }
      } catch (RuntimeException gone) {
        checkReplaced(store, gone);
      } catch (InternalError fault) {
        throw faulted(fault);
      }
    }
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
    return ask(SIZE, 0, NO_KEY);
  }

  @Override
  public final long highWaterMark() {
    return ask(HIGH_WATER_MARK, 0, NO_KEY);
  }

  @Override
  public final long capacity() {
    return ask(CAPACITY, 0, NO_KEY);
  }
}
