// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.PackedLookups;

/**
 * How the entries of one vector are read: no lock, no waiting, and no allocation but for values
 * that are asked for.
 *
 * <p>A reader that is overtaken by close finds the memory gone, which the memory itself reports as
 * an {@link IllegalStateException}; here that becomes the answer of a closed vector.
 */
abstract sealed class EntryAccess permits EntryReader, TransferPeers {
  /**
   * The scratch key of each thread. Threads of an application server outlive an application, so the
   * value that a thread keeps refers to no class of ours strongly: the class loader of the
   * application could not be collected otherwise. The collector may clear it at any time.
   */
  private static final ThreadLocal<WeakReference<AddressKey>> KEYS = new ThreadLocal<>();

  final EntryStore store;
  final HandleLayout layout;
  final Lifetime lifetime;

  /** Lookups without any detour, of those handles that allow it. */
  final PackedLookups packed;

  EntryAccess(EntryStore store, HandleLayout layout, Lifetime lifetime) {
    this.store = store;
    this.layout = layout;
    this.lifetime = lifetime;
    this.packed = layout.handlesAreIndices() ? store.packedLookups() : PackedLookups.none();
  }

  /** Returns the scratch key of the calling thread. */
  static AddressKey key() {
    WeakReference<AddressKey> present = KEYS.get();
    AddressKey key = present == null ? null : present.get();
    if (key == null) {
      key = new AddressKey();
      KEYS.set(new WeakReference<>(key));
    }
    return key;
  }

  /** The address of an entry, without what it is under; false if there is no such entry. */
  final boolean load(int index, AddressKey key) {
    if (index < 0) {
      lifetime.checkOpen();
      return false;
    }
    long ipv4 = store.ipv4(index);
    if (ipv4 >= 0) {
      key.setIpv4(ipv4);
      return true;
    }
    if (!store.load(index, key)) {
      return false;
    }
    key.takeAuthKey();
    return true;
  }

  /** What became of a vector, or of a caller's memory, that was not there any more. */
  final FabricException translated(IllegalStateException gone) {
    return translated(gone, lifetime, "buffer was freed during the call");
  }

  /**
   * The same in a call that is no reader's.
   *
   * @param freed what to say if the vector is open
   */
  static FabricException translated(IllegalStateException gone, Lifetime lifetime, String freed) {
    return lifetime.isOpen() ? new FabricException(Errno.EINVAL, freed, gone) : lifetime.closed();
  }

  /** The IPv4 address that packed bytes are; -1 if they are none. */
  static long ipv4At(MemorySegment packed) {
    if (SegmentAccess.isNative(packed)) {
      // The same, but of a known class.
      return PackedIpv4.read(packed, 0);
    }
    return PackedIpv4.read(packed, 0);
  }

  /** The answer where there is no entry. */
  final long absent() {
    lifetime.checkOpen();
    return Handles.NOT_AVAILABLE;
  }

  /** The handle of an index; of none, {@link #absent}. */
  final long handle(int index) {
    return index < 0 ? absent() : layout.handle(index);
  }
}
