// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
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
 * A store whose entries are in a mapped file: a {@link SegmentEntryStore} that any thread {@link
 * #ask asks} and a writer {@link #change changes}. Whatever fails because the file was cut or is
 * damaged becomes an exception with {@link Errno#EIO}. After a cut all later calls report it.
 */
abstract sealed class MappedStore implements EntryStore permits NamedStore, SavedStore {
  /**
   * A question about the entries. It has no state of its own, so nothing is allocated, and the
   * compiler makes it part of the method that asks it.
   */
  @FunctionalInterface
  interface Question {
    long answer(SegmentEntryStore store, int index, long more, AddressKey key);
  }

  /** A change of the entries. Changes of single entries have no state of their own. */
  @FunctionalInterface
  interface Change {
    int make(SegmentEntryStore store, int index, AddressKey key);
  }

  private static final AddressKey NO_KEY = new AddressKey();

  final SegmentEntryStore store;

  /** The user ids of this process, which are in no file. */
  private final UserIds userIds = new UserIds(this::isLive, this::generation);

  /** Whether each address has at most one entry, so that short searches may look at runs, too. */
  private final boolean once;

  /** Whether short searches may read the file; a thread may see late that they may not. */
  private boolean searchable = true;

  private volatile boolean open = true;

  /** The fault by which memory of the file was lost, or null. */
  private volatile @Nullable InternalError fault;

  MappedStore(SegmentEntryStore store, StoreOptions options) {
    this.store = store;
    this.once = options.duplicates() != DuplicatePolicy.NEW_INDEX;
  }

  /** Returns the exception for memory of the file that was lost. */
  abstract FabricException lost(InternalError fault);

  /** Returns the exception for a file in which a number leads nowhere. */
  abstract FabricException damaged(RuntimeException failed);

  /**
   * Makes a change, for the thread that is between {@link #begin} and {@link #end}.
   *
   * @throws FabricException if the store is not to be changed, or the change failed
   */
  abstract int change(Change change, int index, AddressKey key);

  final int change(Change change) {
    return change(change, 0, NO_KEY);
  }

  /** Reads the store; any thread may call. */
  final long ask(Question question, int index, long more, AddressKey key) {
    checkReadable();
    try {
      long answer = question.answer(store, index, more, key);
      MappedFaults.surface();
      return answer;
    } catch (RuntimeException | InternalError failed) {
      throw failed(failed);
    }
  }

  final long ask(Question question, int index) {
    return ask(question, index, 0, NO_KEY);
  }

  /** Throws an exception if the store was closed, or memory of the file was lost. */
  final void checkReadable() {
    InternalError known = fault;
    if (known != null) {
      throw lost(known);
    }
    if (!open) {
      throw new IllegalStateException("the address vector is closed");
    }
  }

  /**
   * Returns the exception for a failed call. After a fault of memory no call reads the file any
   * more.
   */
  final RuntimeException failed(Throwable failed) {
    return switch (failed) {
      case InternalError found -> {
        fault = found;
        stopShortLookups();
        yield lost(found);
      }
      case FabricException known -> known;
      case IllegalStateException closed when !open -> closed;
      case RuntimeException other -> damaged(other);
      case Error error -> throw error;
      default -> throw new IllegalArgumentException(failed);
    };
  }

  private void stopShortLookups() {
    searchable = false;
    store.packedLookups().stop();
  }

  /** Closes the store; calls under way end with an {@link IllegalStateException}. */
  final void closeStore() {
    open = false;
    stopShortLookups();
    store.close();
  }

  // Changing.

  @Override
  public final void expect(int more) {
    change((store, _, _) -> {
      store.expect(more);
      return 0;
    });
  }

  @Override
  public final int insert(AddressKey key) {
    return change((store, _, given) -> store.insert(given), 0, key);
  }

  @Override
  public final int insert(AddressKey[] keys, int count, int[] outcomes) {
    return change((store, _, _) -> store.insert(keys, count, outcomes));
  }

  @Override
  public final int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return change((store, _, _) -> store.insertIpv4(addresses, count, outcomes));
  }

  @Override
  public final void insertRange(AddressRange range, RangeOutcome outcome) {
    change((store, _, _) -> {
      store.insertRange(range, outcome);
      return 0;
    });
  }

  @Override
  public int reserve() {
    return change((store, _, _) -> store.reserve());
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return change(SegmentEntryStore::publish, reserved, key);
  }

  @Override
  public void cancel(int reserved) {
    change((store, _, _) -> {
      store.cancel(reserved);
      return 0;
    });
  }

  @Override
  public final int replace(int index, AddressKey key) {
    return change(SegmentEntryStore::replace, index, key);
  }

  @Override
  public final int remove(int index) {
    return change((store, any, _) -> store.remove(any), index, NO_KEY);
  }

  @Override
  public final void remove(int[] indices, int count, int[] outcomes) {
    change((store, _, _) -> {
      store.remove(indices, count, outcomes);
      return 0;
    });
  }

  @Override
  public final int markFirewall(int index) {
    return change((store, used, _) -> store.markFirewall(used), index, NO_KEY);
  }

  /**
   * {@inheritDoc} The id is of this process, for the generation that the index has now. Needs no
   * lock of other processes, but for a reserved index that of this one.
   */
  @Override
  public final int setUserId(int index, long id) {
    try {
      long generation;
      do {
        generation = generation(index);
        if (!takesUserId(index)) {
          return -Errno.EINVAL.number();
        }
      } while (generation(index) != generation);
      userIds.set(index, generation, id);
      return 0;
    } catch (OutOfMemoryError exhausted) {
      return -Errno.ENOMEM.number();
    }
  }

  /** Returns whether the caller may give an index a user id. */
  boolean takesUserId(int index) {
    return isLive(index);
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
    return (int) ask((store, _, _, wanted) -> store.find(wanted), 0, 0, key);
  }

  @Override
  public final int findIpv4(long addressAndPort) {
    return (int) ask((store, _, wanted, _) -> store.findIpv4(wanted), 0, addressAndPort, NO_KEY);
  }

  @Override
  public final int findIpv4Full(long addressAndPort) {
    return (int)
        ask((store, _, wanted, _) -> store.findIpv4Full(wanted), 0, addressAndPort, NO_KEY);
  }

  @Override
  public final boolean holds(int index, AddressKey key) {
    return ask((store, any, _, wanted) -> store.holds(any, wanted) ? 1 : 0, index, 0, key) != 0;
  }

  @Override
  public final boolean load(int index, AddressKey into) {
    return ask((store, any, _, target) -> store.load(any, target) ? 1 : 0, index, 0, into) != 0;
  }

  @Override
  public final long ipv4(int index) {
    return ask((store, any, _, _) -> store.ipv4(any), index);
  }

  @Override
  public final boolean isLive(int index) {
    return ask((store, any, _, _) -> store.isLive(any) ? 1 : 0, index) != 0;
  }

  @Override
  public final int liveFrom(int first, int last, int stride) {
    return (int)
        ask(
            (store, from, rest, _) ->
                store.liveFrom(from, (int) (rest >> Integer.SIZE), (int) rest),
            first,
            (long) last << Integer.SIZE | stride,
            NO_KEY);
  }

  @Override
  public final long generation(int index) {
    return ask((store, any, _, _) -> store.generation(any), index);
  }

  @Override
  public final int count(int index) {
    return (int) ask((store, any, _, _) -> store.count(any), index);
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
    return ask((store, any, _, _) -> store.isFirewalled(any) ? 1 : 0, index) != 0;
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
        (store, _, _, _) -> {
          store.copyInto(target, options);
          return 0;
        },
        0);
  }
}
