package org.ofi4j.core.av;

import org.ofi4j.InsertFlag;
import org.ofi4j.core.address.AddressKey;

/**
 * User ids and firewall marks that come with an insertion: readers see them together with the
 * address. For whoever holds the vector's lock.
 *
 * @param store the entries
 */
record Attachments(EntryStore store) {
  private static final long ALL = InsertFlag.USER_ID.mask() | InsertFlag.FIREWALL_ADDRESS.mask();

  /** Whether flags attach something to addresses, so that each has to be looked at for itself. */
  static boolean in(long flags) {
    return (flags & ALL) != 0;
  }

  /**
   * Inserts an address with what comes with it.
   *
   * @return the index; or a negative errno, and then nothing has changed
   */
  int insert(AddressKey key, long userId, long flags) {
    int reserved = store.reserve();
    return reserved < 0 ? reserved : publish(reserved, key, userId, flags);
  }

  /** As {@link #insert}, ending a reservation in any case. */
  int publish(int reserved, AddressKey key, long userId, long flags) {
    int attached = attach(reserved, userId, flags);
    if (attached < 0) {
      store.cancel(reserved);
      return attached;
    }
    int index = store.publish(reserved, key);
    if (index >= 0 && index != reserved) {
      // A duplicate shares the older entry, and the last user id wins. The entry has room
      // for one more share; if there is none for the id, the share goes too.
      int shared = attach(index, userId, flags);
      if (shared < 0) {
        store.remove(index);
        return shared;
      }
    }
    return index;
  }

  private int attach(int index, long userId, long flags) {
    int outcome = 0;
    if ((flags & InsertFlag.USER_ID.mask()) != 0) {
      outcome = store.setUserId(index, userId);
    }
    if (outcome >= 0 && (flags & InsertFlag.FIREWALL_ADDRESS.mask()) != 0) {
      outcome = store.markFirewall(index);
    }
    return outcome;
  }
}
