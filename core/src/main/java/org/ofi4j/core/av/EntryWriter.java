// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;

/**
 * Addresses on their way from an {@link AddressSource} to the store: many at once, each step a loop
 * of its own; or one by one if something comes with them. User ids and firewall marks are seen by
 * readers together with the address; an authorization key makes another address of it.
 *
 * <p>An outcome of an address is one number: its index, or the negative errno that it failed with.
 *
 * <p>Callers must hold the vector's lock.
 */
final class EntryWriter {
  /** Takes the outcome of each address in the order of the call. */
  @FunctionalInterface
  interface Report {
    void add(int position, int outcome);
  }

  static final int NO_MEMORY = -Errno.ENOMEM.number();
  static final int NOT_TRIED = -Errno.ECANCELED.number();

  /** Few enough to stay in the nearest cache with what they lead to. */
  private static final int TOGETHER = 256;

  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final long USER_ID = InsertFlag.USER_ID.mask();
  private static final long FIREWALL = InsertFlag.FIREWALL_ADDRESS.mask();

  private final EntryStore store;
  private final VectorKeys authKeys;
  private final AddressKey key = new AddressKey();
  private AddressKey[] keys = {};
  private long[] words = {};
  private int[] outcomes = new int[1];
  private int inserted;

  EntryWriter(EntryStore store, VectorKeys authKeys) {
    this.store = store;
    this.authKeys = authKeys;
  }

  /** Returns whether flags attach something to addresses, so that each is inserted by itself. */
  static boolean attaches(long flags) {
    return (flags & (AUTH_KEY | USER_ID | FIREWALL)) != 0;
  }

  static boolean endsCall(int outcome) {
    return outcome == NO_MEMORY || outcome == NOT_TRIED;
  }

  static long value(@Nullable MemorySegment input, int position) {
    return input == null ? 0 : input.getAtIndex(JAVA_LONG_UNALIGNED, position);
  }

  /** Returns how many addresses the last insertion has inserted, also if it failed half-way. */
  int inserted() {
    return inserted;
  }

  /**
   * Inserts addresses and reports on each.
   *
   * @param input a user id or the handle of a key for each, if flags say so
   * @param flags bits of {@link InsertFlag}
   */
  void insert(AddressSource source, @Nullable MemorySegment input, long flags, Report report) {
    int count = source.count();
    boolean isBatch = count > 1 && !attaches(flags);
    inserted = 0;
    if (isBatch) {
      reserveScratch();
      store.expect(count);
    }
    boolean ended = false;
    int tried;
    for (int i = 0; i < count; i += tried) {
      tried = isBatch && !ended ? insertTogether(source, i) : 0;
      if (tried == 0) {
        outcomes[0] = ended ? NOT_TRIED : insert(source, i, value(input, i), flags);
        tried = 1;
      }
      ended |= outcomes[tried - 1] == NO_MEMORY;
      for (int each = 0; each < tried; each++) {
        inserted += outcomes[each] < 0 ? 0 : 1;
      }
      // After all of them are counted, as a report fails if the caller has freed its memory.
      for (int each = 0; each < tried; each++) {
        report.add(i + each, outcomes[each]);
      }
    }
    if (isBatch) {
      store.expect(0);
    }
  }

  private void reserveScratch() {
    if (keys.length == 0) {
      long[] moreWords = new long[TOGETHER];
      outcomes = new int[TOGETHER];
      words = moreWords;
      keys = new AddressKey[TOGETHER];
    }
  }

  /**
   * Inserts some addresses at once.
   *
   * @param from the first one
   * @return how many were tried; none if something is wrong with the first one
   */
  private int insertTogether(AddressSource source, int from) {
    int read = source.readIpv4(from, words);
    if (read > 0) {
      return store.insertIpv4(words, read, outcomes);
    }
    int most = Math.min(TOGETHER, source.count() - from);
    int ipv4 = 0;
    while (read < most && hasKey(read) && source.read(from + read, keys[read]) == 0) {
      boolean isIpv4 = keys[read].kind() == AddressKey.Kind.IPV4;
      if (ipv4 > 0 && !isIpv4) {
        break;
      }
      if (isIpv4 && ipv4 == read) {
        words[ipv4++] = keys[read].ipv4();
      }
      read++;
    }
    if (ipv4 > 0) {
      return store.insertIpv4(words, ipv4, outcomes);
    }
    return read == 0 ? 0 : store.insert(keys, read, outcomes);
  }

  /** Returns whether there is a key, or memory for one. */
  private boolean hasKey(int at) {
    try {
      if (keys[at] == null) {
        keys[at] = new AddressKey();
      }
      return true;
    } catch (OutOfMemoryError full) {
      return false;
    }
  }

  private int insert(AddressSource source, int position, long value, long flags) {
    int errno = source.read(position, key);
    if (errno != 0) {
      return -errno;
    }
    int authKey = putUnder(value, flags);
    if (authKey < KeyNumbers.NONE || (flags & (USER_ID | FIREWALL)) == 0) {
      return authKey < KeyNumbers.NONE ? authKey : insertUnder(authKey);
    }
    int reserved = store.reserve();
    if (reserved >= 0) {
      return publish(reserved, authKey, value, flags);
    }
    // A duplicate takes no index (D-15).
    int index = store.find(key) < 0 ? reserved : insertUnder(authKey);
    return index < 0 ? index : share(index, value, flags);
  }

  private int insertUnder(int authKey) {
    long before = authKey < 0 ? 0 : store.size();
    return counted(authKey, before, store.insert(key));
  }

  /** Ends a reservation, in any case, with the address that was read last. */
  private int publish(int reserved, int authKey, long value, long flags) {
    int attached = authKey < KeyNumbers.NONE ? authKey : attach(reserved, value, flags);
    if (attached < 0) {
      store.cancel(reserved);
      return attached;
    }
    long before = authKey < 0 ? 0 : store.size();
    int index = counted(authKey, before, store.publish(reserved, key));
    return index < 0 || index == reserved ? index : share(index, value, flags);
  }

  /**
   * Lets a duplicate share the older entry: the last user id wins (D-15). The entry has room for
   * one more share; if there is none for the id, the share goes too.
   */
  private int share(int index, long value, long flags) {
    int attached = attach(index, value, flags);
    if (attached < 0) {
      store.remove(index);
      return attached;
    }
    return index;
  }

  /** The number of its key, {@link KeyNumbers#NONE} for none, or the errno if there is no such. */
  private int putUnder(long value, long flags) {
    if ((flags & AUTH_KEY) == 0) {
      return KeyNumbers.NONE;
    }
    int authKey = authKeys.numberOrErrno(value);
    if (authKey >= 0) {
      key.putUnder(authKey);
    }
    return authKey;
  }

  /** Counts an entry that is new with its key. */
  private int counted(int authKey, long before, int outcome) {
    if (authKey >= 0 && store.size() > before) {
      authKeys.countEntries(authKey, 1);
    }
    return outcome;
  }

  private int attach(int index, long value, long flags) {
    int outcome = (flags & USER_ID) == 0 ? 0 : store.setUserId(index, value);
    return outcome < 0 || (flags & FIREWALL) == 0 ? outcome : store.markFirewall(index);
  }

  // Asynchronous insertions.

  /**
   * Reserves indices in call order (AV-086), and keeps the keys that the addresses come with.
   *
   * @param reserved becomes the reserved indices; why there is none where memory ran out, or where
   *     no key is named
   * @param input a user id or the handle of a key for each, as flags say
   * @return the keys that are kept, to be closed when the insertion has ended; null if there are
   *     none
   * @throws FabricException because the store failed, as when its file was cut; then nothing is
   *     kept
   */
  @Nullable HeldAuthKeys reserve(int[] reserved, @Nullable MemorySegment input, long flags) {
    boolean exhausted = false;
    int tried = 0;
    try {
      for (; tried < reserved.length; tried++) {
        reserved[tried] = exhausted ? NOT_TRIED : store.reserve();
        exhausted |= reserved[tried] < 0;
      }
      return (flags & AUTH_KEY) == 0 || input == null ? null : hold(input, reserved);
    } catch (Throwable failed) {
      cancel(reserved, tried);
      throw failed;
    }
  }

  /** Keeps the keys of handles; an address whose handle names no key fails. */
  private HeldAuthKeys hold(MemorySegment input, int[] reserved) {
    BitSet named = new BitSet();
    for (int i = 0; i < reserved.length; i++) {
      int number = authKeys.numberOrErrno(value(input, i));
      if (number >= 0) {
        named.set(number);
      } else if (reserved[i] >= 0) {
        store.cancel(reserved[i]);
        reserved[i] = number;
      }
    }
    return authKeys.hold("insertions under way", named::get);
  }

  /** Ends reservations after a failure, as far as the store lets it. */
  private void cancel(int[] reserved, int count) {
    try {
      for (int i = 0; i < count; i++) {
        cancel(reserved[i], 0);
      }
    } catch (RuntimeException broken) {
      // The next repair of the store ends them; why there were no more matters more.
    }
  }

  /** Ends one reservation with an address; returns the outcome. */
  int publish(AddressSource source, int position, int reserved, long value, long flags) {
    if (reserved < 0) {
      return reserved;
    }
    int errno = source.read(position, key);
    if (errno != 0) {
      store.cancel(reserved);
      return -errno;
    }
    return publish(reserved, putUnder(value, flags), value, flags);
  }

  /** Ends one reservation without an address, with a given outcome; returns the outcome. */
  int cancel(int reserved, int outcome) {
    if (reserved >= 0) {
      store.cancel(reserved);
    }
    // No memory for a reservation ends the call, unless an address before it does.
    return reserved >= 0 || endsCall(reserved) ? outcome : reserved;
  }
}
