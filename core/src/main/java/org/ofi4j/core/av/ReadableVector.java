// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.EntryVisitor;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.FastReads;
import org.ofi4j.core.store.KeyNumbers;

/**
 * An address vector as far as its entries are read: no lock, no waiting, and no allocation but for
 * values that are asked for. {@link CoreAddressVector} adds the changes.
 *
 * <p>A reader that is overtaken by close finds the memory gone, which the memory itself reports as
 * an {@link IllegalStateException}; here that becomes the answer of a closed vector.
 */
public abstract class ReadableVector extends CoreObject implements AddressVector {
  /**
   * The scratch key of each thread. Threads of an application server outlive an application, so the
   * value that a thread keeps refers to no class of ours strongly: the class loader of the
   * application could not be collected otherwise. The collector may clear it at any time.
   */
  private static final ThreadLocal<WeakReference<AddressKey>> KEYS = new ThreadLocal<>();

  final VectorRules rules;
  final EntryStore store;
  final HandleLayout layout;
  final AddressCodec codec;

  private final FastReads fastReads;
  private final boolean handlesAreIndices;
  final boolean takesIpv4;

  ReadableVector(OpenedEntries opened, AddressCodec codec) {
    super(opened.rules().options().context());
    this.rules = opened.rules();
    this.store = opened.store();
    this.layout = opened.layout();
    this.codec = codec;
    this.fastReads = store.fastReads();
    this.handlesAreIndices = layout.handlesAreIndices();
    this.takesIpv4 = codec.takesIpv4();
  }

  // Access to entries, of endpoints too.

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

  /** Returns the error for a vector that was closed, or memory of the caller that was freed. */
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

  /** The handle of an index; of none, {@link Handles#NOT_AVAILABLE}. */
  private long handle(int index) {
    if (index < 0) {
      lifetime.checkOpen();
      return Handles.NOT_AVAILABLE;
    }
    return layout.handle(index);
  }

  // Calls of applications.

  /** Returns the rules of calls, after a check that the vector is open. */
  final VectorRules rulesWhenOpen() {
    lifetime.checkOpen();
    return rules;
  }

  @Override
  public final VectorOptions options() {
    return rules.options();
  }

  @Override
  public final AddressFormat format() {
    return codec.format();
  }

  @Override
  public final FabricAddress lookup(long handle) {
    try {
      AddressKey key = key();
      if (!load(layout.index(handle), key)) {
        throw invalid(layout.refusal(handle));
      }
      return codec.toValue(key);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** Copies a packed address as {@link FastReads#copy}; 0 also if handles are no indices. */
  final int copyFast(long handle, MemorySegment target) {
    return handlesAreIndices ? fastReads.copy(handle, target) : 0;
  }

  /**
   * Copies as much of the packed address as fits; its full length (AV-139, AV-140). What may be
   * wrong with the buffer is looked into when it has failed.
   */
  @Override
  public final int lookup(long handle, @Nullable MemorySegment buffer) {
    try {
      int length = buffer == null ? 0 : copyFast(handle, buffer);
      return length > 0 ? length : lookupAny(handle, buffer);
    } catch (IllegalStateException | IllegalArgumentException | WrongThreadException unusable) {
      lifetime.checkOpen();
      SegmentChecks.writable(buffer, "buffer");
      throw unusable;
    }
  }

  @Override
  public final int lookup(
      long handle, MemorySegment buffer, long flags, @Nullable Object consumer) {
    rulesWhenOpen().checkLookup(flags, consumer);
    return lookup(handle, buffer);
  }

  /** The same for all kinds of handles, addresses and buffers. */
  private int lookupAny(long handle, @Nullable MemorySegment buffer) {
    if (buffer == null) {
      throw invalid("buffer is null, but takes the address");
    }
    int index = layout.index(handle);
    long ipv4 = store.ipv4(index);
    if (ipv4 >= 0 && buffer.byteSize() >= PackedIpv4.SIZE) {
      PackedIpv4.write(ipv4, buffer);
      return PackedIpv4.SIZE;
    }
    AddressKey key = key();
    if (!load(index, key)) {
      throw invalid(layout.refusal(handle));
    }
    return codec.write(key, buffer);
  }

  @Override
  public final long find(MemorySegment address) {
    return findUnder(KeyNumbers.NONE, address);
  }

  @Override
  public final long find(FabricAddress address) {
    return findUnder(KeyNumbers.NONE, address);
  }

  /**
   * Returns the handle of a packed address under an authorization key, or under none. What may be
   * wrong with the memory is checked when the search has failed.
   */
  final long findUnder(int authKey, @Nullable MemorySegment address) {
    try {
      boolean mayBeIpv4 = takesIpv4 && authKey == KeyNumbers.NONE;
      if (mayBeIpv4 && address != null && address.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ipv4At(address);
        if (AddressKey.isUsableIpv4(ipv4)) {
          return findIpv4(ipv4);
        }
      }
      MemorySegment readable = SegmentChecks.readable(address, "address");
      AddressKey key = key();
      return findRead(codec.read(readable, 0, key), key, authKey);
    } catch (IllegalStateException | WrongThreadException unusable) {
      lifetime.checkOpen();
      SegmentChecks.readable(address, "address");
      throw unusable;
    }
  }

  /** Returns the handle of an address value under an authorization key, or under none. */
  final long findUnder(int authKey, @Nullable FabricAddress address) {
    if (address == null) {
      throw invalid("address is null, but one is to be found");
    }
    try {
      if (takesIpv4 && authKey == KeyNumbers.NONE && address instanceof SocketAddress4 ip) {
        return findIpv4(AddressKey.ipv4(ip));
      }
      AddressKey key = key();
      return findRead(codec.read(address, key), key, authKey);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  private long findIpv4(long ipv4) {
    int index = fastReads.find(ipv4);
    return handle(index >= 0 ? index : store.findIpv4(ipv4));
  }

  private long findRead(int errno, AddressKey key, int authKey) {
    // Of addresses that cannot be inserted one may be there all the same: any address (AV-079).
    if (errno != 0 && errno != Errno.EADDRNOTAVAIL.number()) {
      return handle(-1);
    }
    if (authKey != KeyNumbers.NONE) {
      key.putUnder(authKey);
    }
    return handle(store.find(key));
  }

  @Override
  public final OptionalLong userId(long handle) {
    int index = layout.index(handle);
    try {
      while (true) {
        if (index < 0 || !store.isLive(index)) {
          throw invalid(layout.refusal(handle));
        }
        // An id that an entry has stays, with this value or another, as long as the entry lives.
        long generation = store.generation(index);
        OptionalLong id =
            store.hasUserId(index) ? OptionalLong.of(store.userId(index, 0)) : OptionalLong.empty();
        if (store.isLive(index) && store.generation(index) == generation) {
          return id;
        }
      }
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public final long handleAt(long index) {
    try {
      if (index < 0 || index >= Handles.MAX_ENTRIES || !store.isLive((int) index)) {
        lifetime.checkOpen();
        throw invalid("there is no entry with index " + index);
      }
      return layout.handle((int) index);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public final LongStream handles() {
    return LongStream.iterate(nextIndex(0), index -> index >= 0, index -> nextIndex(index + 1))
        .map(index -> layout.handle((int) index));
  }

  @Override
  public final void forEach(EntryVisitor visitor) {
    required(visitor, "visitor");
    // The visitor may call the vector, which uses the key of the thread.
    AddressKey key = new AddressKey();
    MemorySegment address = MemorySegment.ofArray(new byte[AddressKey.MAX_BYTES + 1]);
    for (long index = nextIndex(0); index >= 0; index = nextIndex(index + 1)) {
      int length;
      try {
        length = load((int) index, key) ? codec.write(key, address) : 0;
      } catch (IllegalStateException gone) {
        throw translated(gone);
      }
      if (length > 0) {
        visitor.entry(layout.handle((int) index), address.asSlice(0, length));
      }
    }
  }

  /** The first index from one on that names an entry; -1 if there is none. */
  private long nextIndex(long first) {
    lifetime.checkOpen();
    try {
      return first >= Handles.MAX_ENTRIES
          ? -1
          : store.liveFrom((int) first, Handles.MAX_ENTRIES - 1, 1);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public final long size() {
    lifetime.checkOpen();
    try {
      return store.size();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  @Override
  public final @Nullable String refusal(MemorySegment address) {
    lifetime.checkOpen();
    SegmentChecks.readable(address, "address");
    try {
      AddressKey key = key();
      if (codec.read(address, 0, key) != 0) {
        return codec.reason(address, 0);
      }
      boolean onceOnly = options().duplicates() == DuplicatePolicy.REJECT;
      int index = onceOnly ? store.find(key) : -1;
      return index < 0
          ? null
          : "is in the vector already as %s, and the duplicate policy is REJECT"
              .formatted(HandleLayout.text(layout.handle(index)));
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }
}
