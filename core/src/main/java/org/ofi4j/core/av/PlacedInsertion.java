// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.util.Arrays;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;

/**
 * An insertion at a given index. Reservations keep the free indices below it occupied until the
 * entry is in place; lookups do not see reservations.
 */
final class PlacedInsertion {
  private static final int FIRST_SIZE = 16;

  private final EntryStore store;
  private final HandleLayout layout;
  private final VectorLock lock;
  private final ChangeTotals totals;
  private final AddressKey key = new AddressKey();

  /** The free indices below the wanted one, in ascending order. */
  private int[] below = new int[FIRST_SIZE];

  private int count;

  PlacedInsertion(EntryStore store, HandleLayout layout, VectorLock lock, ChangeTotals totals) {
    this.store = store;
    this.layout = layout;
    this.lock = lock;
    this.totals = totals;
  }

  /**
   * Inserts one address.
   *
   * @param handle the handle that it is to have
   * @param source one address
   * @param sharesEntries whether an address has one entry at most
   * @return 0; or the negative errno: {@code -EBUSY} if the handle is in use, {@code -EALREADY} if
   *     the address has an entry and duplicates get none of their own, {@code -ENOMEM}, or what is
   *     wrong with the address
   * @throws FabricException with {@link Errno#EINVAL} if no entry can have the handle
   */
  int insert(long handle, AddressSource source, boolean sharesEntries) {
    try (VectorLock.Held _ = lock.begin()) {
      int index = layout.index(handle);
      if (index < 0 || layout.handle(index) != handle) {
        throw invalid(layout.refusal(handle));
      }
      int outcome = -source.read(0, key);
      if (outcome == 0) {
        outcome = insert(index, sharesEntries);
      }
      totals.inserted(outcome < 0 ? 0 : 1);
      totals.failed(outcome < 0 ? 1 : 0);
      return Math.min(0, outcome);
    }
  }

  private int insert(int wanted, boolean sharesEntries) {
    if (store.isLive(wanted)) {
      return -Errno.EBUSY.number();
    }
    if (sharesEntries && store.find(key) >= 0) {
      return -Errno.EALREADY.number();
    }
    try {
      int next = store.reserve();
      while (next >= 0 && next < wanted) {
        keep(next);
        next = store.reserve();
      }
      if (next == wanted) {
        return store.publish(wanted, key);
      }
      if (next > wanted) {
        store.cancel(next);
        return -Errno.EBUSY.number();
      }
      return next;
    } finally {
      for (int i = 0; i < count; i++) {
        store.cancel(below[i]);
      }
      count = 0;
    }
  }

  private void keep(int index) {
    if (count == below.length) {
      below = Arrays.copyOf(below, 2 * count);
    }
    below[count++] = index;
  }
}
