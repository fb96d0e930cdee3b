package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.object.Lifetime;

/**
 * The entries of one vector as readers see them: no lock, no waiting, and no allocation but for
 * values that are asked for.
 *
 * <p>A reader that is overtaken by close finds the memory gone, which the memory itself reports as
 * an {@link IllegalStateException}; here that becomes the answer of a closed vector.
 */
final class EntryReader {
  private static final Keys KEYS = new Keys();
  private static final AddressCodec SOCKET_ADDRESSES = AddressCodec.of(AddressFormat.SOCKADDR);

  /** One for each thread. */
  private static final class Keys extends ThreadLocal<AddressKey> {
    @Override
    protected AddressKey initialValue() {
      return new AddressKey();
    }
  }

  private final EntryStore store;

  private final PackedLookups packed;
  private final ShortSearches ipv4Searches;
  private final HandleLayout layout;
  private final AddressCodec codec;
  private final Lifetime lifetime;
  private final boolean userIdsOnly;
  private final boolean takesIpv4;

  /**
   * A reader of a vector.
   *
   * @param userIdsOnly whether completions report user ids and nothing else (AV-096)
   */
  EntryReader(
      EntryStore store,
      HandleLayout layout,
      AddressCodec codec,
      Lifetime lifetime,
      boolean userIdsOnly) {
    this.store = store;
    this.packed = layout.handlesAreIndices() ? store.packedLookups() : PackedLookups.none();
    this.ipv4Searches = store.ipv4Searches();
    this.layout = layout;
    this.codec = codec;
    this.lifetime = lifetime;
    this.userIdsOnly = userIdsOnly;
    this.takesIpv4 = codec.takesIpv4();
  }

  /** The address of a handle as a value. */
  FabricAddress lookup(long handle) {
    try {
      AddressKey key = KEYS.get();
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
      throw new FabricException(Errno.EINVAL, "buffer is null, but takes the address");
    }
    int index = layout.index(handle);
    long ipv4 = store.ipv4(index);
    if (ipv4 >= 0 && buffer.byteSize() >= PackedIpv4.SIZE) {
      PackedIpv4.write(ipv4, buffer);
      return PackedIpv4.SIZE;
    }
    AddressKey key = KEYS.get();
    if (!load(index, key)) {
      throw unset(handle);
    }
    return codec.write(key, buffer);
  }

  private boolean load(int index, AddressKey key) {
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

  private FabricException unset(long handle) {
    return new FabricException(Errno.EINVAL, layout.refusal(handle));
  }

  private FabricException translated(IllegalStateException gone) {
    return lifetime.isOpen()
        ? new FabricException(Errno.EINVAL, "buffer was freed during the call", gone)
        : lifetime.closed();
  }

  /** See {@link CoreAddressVector#receiveContext}. */
  int receiveContext(long handle) {
    return layout.receiveContext(handle);
  }

  /** See {@link CoreAddressVector#socketAddress}. */
  int socketAddress(long handle, MemorySegment target) {
    try {
      int length = packed.copy(handle, target);
      if (length > 0) {
        return length;
      }
      int index = layout.transferIndex(handle);
      long ipv4 = store.ipv4(index);
      if (ipv4 >= 0 && target.byteSize() >= PackedIpv4.SIZE) {
        PackedIpv4.write(ipv4, target);
        return PackedIpv4.SIZE;
      }
      AddressKey key = KEYS.get();
      return load(index, key) ? AddressCodec.socketAddress(key, target) : 0;
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** See {@link CoreAddressVector#findSocketAddress}. */
  long findSocketAddress(MemorySegment socketAddress) {
    try {
      if (socketAddress.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ipv4At(socketAddress);
        // Not the short way: it makes garbage until it is compiled, and messages must make none.
        if (PackedIpv4.isUsable(ipv4)) {
          return handle(store.findIpv4Anyhow(ipv4));
        }
      }
      AddressKey key = KEYS.get();
      // Any or port zero cannot be told from a sender's address here, and is in no vector.
      return SOCKET_ADDRESSES.read(socketAddress, 0, key) == 0 ? handle(store.find(key)) : absent();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /**
   * The handle of a packed address. What may be wrong with the memory is looked into when it has
   * failed.
   */
  long find(@Nullable MemorySegment address) {
    try {
      if (takesIpv4 && address != null && address.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ipv4At(address);
        int index = ipv4Searches.find(ipv4);
        if (index >= 0) {
          return layout.handle(index);
        }
        if (PackedIpv4.isUsable(ipv4)) {
          return handle(store.findIpv4Anyhow(ipv4));
        }
      }
      MemorySegment readable = SegmentChecks.readable(address, "address");
      AddressKey key = KEYS.get();
      return codec.read(readable, 0, key) == 0 ? handle(store.find(key)) : absent();
    } catch (IllegalStateException | WrongThreadException unusable) {
      lifetime.checkOpen();
      SegmentChecks.readable(address, "address");
      throw unusable;
    }
  }

  /** The handle of an address value. */
  long find(FabricAddress address) {
    try {
      AddressKey key = KEYS.get();
      return codec.read(address, key) == 0 ? handle(store.find(key)) : absent();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /**
   * The number of the authorization key of an entry, or {@link AuthKeys#NONE} if it has none.
   *
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry
   */
  int authKey(long handle) {
    try {
      AddressKey key = KEYS.get();
      int index = layout.index(handle);
      if (index < 0 || !store.load(index, key)) {
        lifetime.checkOpen();
        throw unset(handle);
      }
      return key.takeAuthKey();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** See {@link CoreAddressVector#keyedSocketAddress}. */
  long keyedSocketAddress(long handle, MemorySegment target) {
    try {
      AddressKey key = KEYS.get();
      int index = layout.transferIndex(handle);
      if (index < 0 || !store.load(index, key)) {
        lifetime.checkOpen();
        return 0;
      }
      long authKey = key.takeAuthKey();
      return authKey << Integer.SIZE | AddressCodec.socketAddress(key, target);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** The handle of a packed address under an authorization key. */
  long find(@Nullable MemorySegment address, int authKey) {
    try {
      MemorySegment readable = SegmentChecks.readable(address, "address");
      AddressKey key = KEYS.get();
      return codec.read(readable, 0, key) == 0 ? find(key, authKey) : absent();
    } catch (IllegalStateException | WrongThreadException unusable) {
      lifetime.checkOpen();
      SegmentChecks.readable(address, "address");
      throw unusable;
    }
  }

  /** The handle of an address value under an authorization key. */
  long find(FabricAddress address, int authKey) {
    try {
      AddressKey key = KEYS.get();
      return codec.read(address, key) == 0 ? find(key, authKey) : absent();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  private long find(AddressKey key, int authKey) {
    key.putUnder(authKey);
    return handle(store.find(key));
  }

  /** The IPv4 address that packed bytes are; -1 if they are none. */
  private static long ipv4At(MemorySegment packed) {
    if (SegmentAccess.isNative(packed)) {
      // The same, but of a known class.
      return PackedIpv4.read(packed, 0);
    }
    return PackedIpv4.read(packed, 0);
  }

  private long absent() {
    lifetime.checkOpen();
    return Handles.NOT_AVAILABLE;
  }

  private long handle(int index) {
    return index < 0 ? absent() : layout.handle(index);
  }

  /** The handle of the n-th entry. */
  long handleAt(long index) {
    try {
      if (index < 0 || index >= Handles.MAX_ENTRIES || !store.isLive((int) index)) {
        lifetime.checkOpen();
        throw new FabricException(Errno.EINVAL, "there is no entry with index " + index);
      }
      return layout.handle((int) index);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** See {@link CoreAddressVector#reported}. */
  long reported(long handle) {
    try {
      int index = layout.index(handle);
      while (index >= 0) {
        int life = store.generation(index);
        if (!store.isLive(index)) {
          break;
        }
        long value = store.userId(index, userIdsOnly ? Handles.NOT_AVAILABLE : handle);
        if (store.generation(index) == life) {
          return value;
        }
      }
      return absent();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** See {@link CoreAddressVector#findSource}. */
  boolean findSource(MemorySegment socketAddress, MessageSource into) {
    try {
      into.unknown();
      if (socketAddress.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ipv4At(socketAddress);
        if (PackedIpv4.isUsable(ipv4)) {
          // Not the short way, as in findSocketAddress.
          int index = store.findIpv4Anyhow(ipv4);
          if (index < 0) {
            lifetime.checkOpen();
            return false;
          }
          // As below; whatever is not plain is found again there.
          int life = store.generation(index);
          if (store.ipv4(index) == ipv4) {
            long handle = layout.handle(index);
            long value = store.userId(index, userIdsOnly ? Handles.NOT_AVAILABLE : handle);
            if (store.generation(index) == life) {
              into.known(value);
              return true;
            }
          }
        }
      }
      AddressKey key = KEYS.get();
      if (SOCKET_ADDRESSES.read(socketAddress, 0, key) == 0 && findSource(key, into)) {
        return true;
      }
      return unknownSource();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** See {@link CoreAddressVector#findSource(MemorySegment, int, MessageSource)}. */
  boolean findSource(MemorySegment socketAddress, int authKey, MessageSource into) {
    try {
      into.unknown();
      AddressKey key = KEYS.get();
      if (SOCKET_ADDRESSES.read(socketAddress, 0, key) != 0) {
        return unknownSource();
      }
      key.putUnder(authKey);
      return findSource(key, into) || unknownSource();
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  private boolean findSource(AddressKey key, MessageSource into) {
    for (int index = store.find(key); index >= 0; index = store.find(key)) {
      // The entry was the address's after the first look at its life, and its user id was read
      // before the second: if they agree, all is of one life (D-40). If not, that entry
      // has died, and the address has another one or none.
      int life = store.generation(index);
      if (store.holds(index, key)) {
        long handle = layout.handle(index);
        long value = store.userId(index, userIdsOnly ? Handles.NOT_AVAILABLE : handle);
        if (store.generation(index) == life) {
          into.known(value);
          return true;
        }
      }
    }
    return false;
  }

  private boolean unknownSource() {
    lifetime.checkOpen();
    return false;
  }

  /** See {@link CoreAddressVector#life}. */
  long life(long handle) {
    try {
      int index = layout.transferIndex(handle);
      while (index >= 0) {
        // Live between two looks at the generation that agree: live in that one.
        int life = store.generation(index);
        if (!store.isLive(index)) {
          break;
        }
        if (store.generation(index) == life) {
          return (long) life << 32 | index;
        }
      }
      lifetime.checkOpen();
      return -1;
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** How handles are laid out. */
  HandleLayout layout() {
    return layout;
  }

  /** See {@link CoreAddressVector#isFirewalled}. */
  boolean isFirewalled(long handle) {
    try {
      int index = layout.index(handle);
      return index >= 0 && store.isFirewalled(index);
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }

  /** One of the numbers that the store keeps about itself. */
  long count(ToLongFunction<EntryStore> number) {
    lifetime.checkOpen();
    try {
      return number.applyAsLong(store);
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
      AddressKey key = KEYS.get();
      if (codec.read(address, 0, key) != 0) {
        return codec.reason(address, 0);
      }
      int index = onceOnly ? store.find(key) : -1;
      return index < 0
          ? null
          : "is in the vector already as "
              + HandleLayout.text(layout.handle(index))
              + ", and the duplicate policy is REJECT";
    } catch (IllegalStateException gone) {
      throw translated(gone);
    }
  }
}
