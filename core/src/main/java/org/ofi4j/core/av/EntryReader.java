// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EntryVisitor;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.source.SegmentChecks;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.ShortSearches;

/** Lookups and searches of applications in one vector. */
final class EntryReader extends EntryAccess {
  private final ShortSearches ipv4Searches;
  private final AddressCodec codec;
  private final boolean takesIpv4;

  EntryReader(EntryStore store, HandleLayout layout, AddressCodec codec, Lifetime lifetime) {
    super(store, layout, lifetime);
    this.ipv4Searches = store.ipv4Searches();
    this.codec = codec;
    this.takesIpv4 = codec.takesIpv4();
  }

  FabricAddress lookup(long handle) {
    try {
      AddressKey key = key();
      if (!load(layout.index(handle), key)) {
        throw unset(handle);
      }
      return codec.toValue(key);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /**
   * Copies as much of the packed address as fits; its full length (AV-139, AV-140). What may be
   * wrong with the buffer is looked into when it has failed.
   */
  int lookup(long handle, @Nullable MemorySegment buffer) {
    try {
      int length = buffer == null ? 0 : packed.copy(handle, buffer);
      return length > 0 ? length : lookupAny(handle, buffer);
    } catch (IllegalStateException | IllegalArgumentException | WrongThreadException unusable) {
      lifetime.checkOpen();
      SegmentChecks.writable(buffer, "buffer");
      throw unusable;
    }
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
      throw unset(handle);
    }
    return codec.write(key, buffer);
  }

  private FabricException unset(long handle) {
    return invalid(layout.refusal(handle));
  }

  /**
   * Returns the handle of a packed address under an authorization key, or under none. What may be
   * wrong with the memory is checked when the search has failed.
   */
  long find(@Nullable MemorySegment address, int authKey) {
    try {
      boolean mayBeIpv4 = takesIpv4 && authKey == KeyNumbers.NONE;
      if (mayBeIpv4 && address != null && address.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ipv4At(address);
        int index = ipv4Searches.find(ipv4);
        if (index >= 0) {
          return layout.handle(index);
        }
        if (PackedIpv4.isUsable(ipv4)) {
          return handle(store.findIpv4Full(ipv4));
        }
      }
      MemorySegment readable = SegmentChecks.readable(address, "address");
      AddressKey key = key();
      return findRead(codec.read(readable, 0, key), key, authKey);
    } catch (IllegalStateException | WrongThreadException unusable) {
      throw unreadable(address, unusable);
    }
  }

  /** Returns the handle of an address value under an authorization key, or under none. */
  long find(@Nullable FabricAddress address, int authKey) {
    if (address == null) {
      throw invalid("address is null, but one is to be found");
    }
    try {
      if (takesIpv4 && authKey == KeyNumbers.NONE && address instanceof SocketAddress4 ip) {
        long ipv4 = PackedIpv4.of(ip);
        int index = ipv4Searches.find(ipv4);
        return index >= 0 ? layout.handle(index) : handle(store.findIpv4Full(ipv4));
      }
      AddressKey key = key();
      return findRead(codec.read(address, key), key, authKey);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** After a search failed: what is wrong with the vector or the memory, else what failed. */
  private RuntimeException unreadable(@Nullable MemorySegment address, RuntimeException failed) {
    lifetime.checkOpen();
    SegmentChecks.readable(address, "address");
    return failed;
  }

  private long findRead(int errno, AddressKey key, int authKey) {
    // Of addresses that cannot be inserted one may be there all the same: any address (AV-079).
    if (errno != 0 && errno != Errno.EADDRNOTAVAIL.number()) {
      return absent();
    }
    if (authKey != KeyNumbers.NONE) {
      key.putUnder(authKey);
    }
    return handle(store.find(key));
  }

  /** The user id of an entry; see {@link org.ofi4j.AddressVector#userId}. */
  OptionalLong userId(long handle) {
    int index = layout.index(handle);
    try {
      while (true) {
        if (index < 0 || !store.isLive(index)) {
          throw unset(handle);
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

  long handleAt(long index) {
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

  /** The handles of all entries; see {@link org.ofi4j.AddressVector#handles}. */
  LongStream handles() {
    return LongStream.iterate(nextIndex(0), index -> index >= 0, index -> nextIndex(index + 1))
        .map(index -> layout.handle((int) index));
  }

  /** Shows all entries; see {@link org.ofi4j.AddressVector#forEach}. */
  void forEach(EntryVisitor visitor) {
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

  long size() {
    lifetime.checkOpen();
    try {
      return store.size();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /**
   * Why a packed address would not be inserted, or null.
   *
   * @param onceOnly whether an address that is there already is refused
   */
  @Nullable String refusal(MemorySegment address, boolean onceOnly) {
    lifetime.checkOpen();
    SegmentChecks.readable(address, "address");
    try {
      AddressKey key = key();
      if (codec.read(address, 0, key) != 0) {
        return codec.reason(address, 0);
      }
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
