// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.ofi4j.InsertFlag;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;

/**
 * What comes with the addresses of an insertion: user ids and firewall marks, which readers see
 * together with the address, and authorization keys, which make another address of it. For whoever
 * holds the vector's lock.
 */
record Attachments(EntryStore store, VectorKeys keys) {
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final long RECORDED =
      InsertFlag.USER_ID.mask() | InsertFlag.FIREWALL_ADDRESS.mask();
  private static final long ALL = RECORDED | AUTH_KEY;

  /** Whether flags attach something to addresses, so that each has to be looked at for itself. */
  static boolean in(long flags) {
    return (flags & ALL) != 0;
  }

  /**
   * Keeps the keys of an insertion that is under way.
   *
   * @param input the handles of the keys; the addresses of those that name no key fail
   * @param reserved the indices of the addresses; becomes the errno of those that fail
   * @return the keys, to be closed when the insertion has ended; null if flags say that there are
   *     none
   */
  @Nullable HeldAuthKeys keep(@Nullable MemorySegment input, int[] reserved, long flags) {
    if ((flags & AUTH_KEY) == 0 || input == null) {
      return null;
    }
    BitSet named = new BitSet();
    for (int i = 0; i < reserved.length; i++) {
      int number = keys.numberOrErrno(input.getAtIndex(JAVA_LONG_UNALIGNED, i));
      if (number >= 0) {
        named.set(number);
      } else if (reserved[i] >= 0) {
        store.cancel(reserved[i]);
        reserved[i] = number;
      }
    }
    return keys.holdForInsertion(named);
  }

  /**
   * Inserts an address with what comes with it.
   *
   * @param value its user id or the handle of its authorization key, as flags say
   * @return the index; or a negative errno, and then nothing has changed
   */
  int insert(AddressKey key, long value, long flags) {
    if ((flags & RECORDED) == 0) {
      int authKey = putUnder(key, value, flags);
      if (authKey < KeyNumbers.NONE) {
        return authKey;
      }
      long before = store.size();
      return counted(authKey, before, store.insert(key));
    }
    int reserved = store.reserve();
    return reserved < 0
        ? insertDuplicate(reserved, key, value, flags)
        : publish(reserved, key, value, flags);
  }

  /** What becomes of an address that there is no index for: a duplicate takes none (D-15). */
  private int insertDuplicate(int refused, AddressKey key, long value, long flags) {
    int authKey = putUnder(key, value, flags);
    if (authKey < KeyNumbers.NONE) {
      return authKey;
    }
    if (store.find(key) < 0) {
      return refused;
    }
    long before = store.size();
    int index = counted(authKey, before, store.insert(key));
    return index < 0 ? index : share(index, value, flags);
  }

  /** As {@link #insert}, ending a reservation in any case. */
  int publish(int reserved, AddressKey key, long value, long flags) {
    int authKey = putUnder(key, value, flags);
    int attached = authKey < KeyNumbers.NONE ? authKey : attach(reserved, value, flags);
    if (attached < 0) {
      store.cancel(reserved);
      return attached;
    }
    long before = store.size();
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
  private int putUnder(AddressKey key, long value, long flags) {
    if ((flags & AUTH_KEY) == 0) {
      return KeyNumbers.NONE;
    }
    int authKey = keys.numberOrErrno(value);
    if (authKey >= 0) {
      key.putUnder(authKey);
    }
    return authKey;
  }

  /** Counts an entry that is new with its key. */
  private int counted(int authKey, long before, int outcome) {
    if (authKey >= 0 && store.size() > before) {
      keys.countEntries(authKey, 1);
    }
    return outcome;
  }

  private int attach(int index, long value, long flags) {
    int outcome = 0;
    if ((flags & InsertFlag.USER_ID.mask()) != 0) {
      outcome = store.setUserId(index, value);
    }
    if (outcome >= 0 && (flags & InsertFlag.FIREWALL_ADDRESS.mask()) != 0) {
      outcome = store.markFirewall(index);
    }
    return outcome;
  }
}
