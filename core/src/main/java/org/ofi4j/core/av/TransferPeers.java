// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressFormat;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;

/**
 * The peers of a vector as transfers see them: where a handle leads to, and whom a message is from.
 * For endpoints, which ask for it once ({@link CoreAddressVector#peers}).
 *
 * <p>Authorization keys, in domains that have them in the vector ({@code FI_AV_AUTH_KEY}), are
 * known by number here; {@link #NO_AUTH_KEY} is the number of none.
 *
 * <p>Any thread may use it. Nothing here takes a lock or allocates. When the vector is closed all
 * that asks for entries fails as the vector's own calls do.
 */
public final class TransferPeers {
  /** The number that stands for no authorization key. */
  public static final int NO_AUTH_KEY = KeyNumbers.NONE;

  private static final AddressCodec SOCKET_ADDRESSES = AddressCodec.of(AddressFormat.SOCKADDR);

  /** Nobody can choose addresses that are taken for one. */
  private static final long SEED = SystemRandom.nextLong();

  /** Odd, so that no two generations become the same number. */
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private final ReadableVector vector;
  private final EntryStore store;
  private final HandleLayout layout;
  private final boolean socketAddresses;
  private final VectorKeys keys;
  private final boolean userIdsOnly;

  /** The peers of a vector. */
  TransferPeers(ReadableVector vector, VectorKeys keys) {
    this.vector = vector;
    this.store = vector.store;
    this.layout = vector.layout;
    this.socketAddresses = AddressFormat.SOCKADDR.contains(vector.format());
    this.keys = keys;
    this.userIdsOnly = vector.rules.reportsUserIdsOnly();
  }

  /** The format in which addresses are told to applications. */
  public AddressFormat format() {
    return vector.format();
  }

  /**
   * The socket address of a handle, whatever the format of the vector.
   *
   * @param target takes 16 or 28 bytes
   * @return the length of the socket address; 0 when the handle names no entry, or carries a
   *     receive context or group that transfers of this domain cannot name
   */
  public int socketAddress(long handle, MemorySegment target) {
    return address(handle, target, true);
  }

  /**
   * The packed address of a handle in the vector's format, as {@code fi_av_insert} takes it: text
   * with its zero byte.
   *
   * @param target takes the address, if there is room for all of it; otherwise what it holds
   *     afterwards means nothing
   * @return the length of the address, which may be more than the target has; 0 as {@link
   *     #socketAddress}
   */
  public int packedAddress(long handle, MemorySegment target) {
    return address(handle, target, false);
  }

  private int address(long handle, MemorySegment target, boolean ofSocket) {
    try {
      int length = vector.copyFast(handle, target);
      if (length > 0) {
        return length;
      }
      AddressKey key = ReadableVector.key();
      if (!vector.load(layout.transferIndex(handle), key)) {
        return 0;
      }
      return ofSocket ? AddressCodec.socketAddress(key, target) : vector.codec.write(key, target);
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  /**
   * How often handles have lost the address that they led to, by removal or replacement, so that
   * who remembers where a handle leads knows when to look again. Who asks first and looks a handle
   * up after that finds what so many changes have left, or something newer. Takes no lock.
   *
   * @return 0 or more; -1 if other processes change the vector too, and nobody counts
   */
  public long addressChanges() {
    return store.addressChanges();
  }

  /**
   * As {@link #socketAddress}, with the number of the key that the entry was inserted under, both
   * of one generation of the index. Takes no lock.
   *
   * @param target takes 16 or 28 bytes
   * @return {@code number << 32 | length}, in which the number is {@link #NO_AUTH_KEY} of an entry
   *     without key; 0 when the handle names no entry
   */
  public long keyedSocketAddress(long handle, MemorySegment target) {
    try {
      AddressKey key = ReadableVector.key();
      int index = layout.transferIndex(handle);
      if (index < 0 || !store.load(index, key)) {
        vector.lifetime().checkOpen();
        return 0;
      }
      long authKey = key.takeAuthKey();
      return authKey << Integer.SIZE | AddressCodec.socketAddress(key, target);
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  /** What {@link org.ofi4j.Handles#atReceiveContext} has put into a handle, 0 or more. */
  public int receiveContext(long handle) {
    return layout.receiveContext(handle);
  }

  /**
   * The peer group that a handle carries in a transfer (AV-147, AV-198).
   *
   * @param handle the destination of a message, or the source of a receive
   * @return the group; 0 for handles without one, and in versions that have no groups; -1 for bits
   *     that are no group of the domain
   */
  public int group(long handle) {
    return layout.group(handle);
  }

  /** The largest peer group that handles may carry, 0 if there are no groups. */
  public int maxGroup() {
    return layout.maxGroup();
  }

  /**
   * What bits of a handle are whose {@link #group} is negative.
   *
   * @return words for a message, to stand behind the handle, with what to do
   */
  public String unfitting(long handle) {
    return layout.unfitting(handle);
  }

  /** Whether a receive's source is anybody, of any group or of one. */
  public boolean isAnySource(long handle) {
    return layout.isAnySource(handle);
  }

  /**
   * Whether the peer of a handle was inserted as behind a firewall: no connection may be opened to
   * it (AV-222).
   */
  public boolean isFirewalled(long handle) {
    return isFirewalledAt(layout.index(handle));
  }

  /**
   * Whether a sender that was found was inserted as behind a firewall, as {@link
   * #isFirewalled(long)} says of a handle.
   *
   * @param sender whom {@link #findSource} has found, or nobody
   */
  public boolean isFirewalled(MessageSource sender) {
    return isFirewalledAt(sender.index());
  }

  private boolean isFirewalledAt(int index) {
    try {
      return index >= 0 && store.isFirewalled(index);
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  /**
   * Which generation of its index, with which address, the entry of a handle is. A receive that is
   * directed at an entry remembers it, and knows by it when the entry has gone or has another
   * address, even if another one has taken its index. Takes no lock, allocates nothing.
   *
   * @return a number, 0 or more, of the {@link EntryStore#generation generation} and the address:
   *     the same as long as the entry is live and has this address, and no other entry's; -1 when
   *     the handle names no entry
   */
  public long generation(long handle) {
    try {
      int index = layout.transferIndex(handle);
      AddressKey key = ReadableVector.key();
      while (index >= 0) {
        // It had the address between two looks at the generation that agree: in that one.
        long generation = store.generation(index);
        if (!vector.load(index, key)) {
          break;
        }
        if (store.generation(index) == generation) {
          return (key.hash(SEED) ^ generation * SPREAD) & Long.MAX_VALUE;
        }
      }
      vector.lifetime().checkOpen();
      return -1;
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  /**
   * What a completion reports for a message: the user id of its sender, else the handle (AV-096),
   * decided for one generation (D-40). A peer whose index is used again meanwhile is never reported
   * as the new one.
   *
   * @param socketAddress 16 or 28 bytes, the message's sender
   * @param into takes what is reported; {@link org.ofi4j.Handles#NOT_AVAILABLE} both for senders
   *     that are unknown and for those that have no user id yet where nothing else is reported
   * @return whether the sender is in the vector
   */
  public boolean findSource(MemorySegment socketAddress, MessageSource into) {
    return findSource(socketAddress, NO_AUTH_KEY, into);
  }

  /**
   * As {@link #findSource(MemorySegment, MessageSource)}, for a message that was sent under a key:
   * its source is the entry of that address under that key, and no other.
   *
   * @param socketAddress 16 or 28 bytes, the message's sender
   * @param authKey the number of the key, or {@link #NO_AUTH_KEY} for a message sent under none
   * @return whether the sender is in the vector under that key
   */
  public boolean findSource(MemorySegment socketAddress, int authKey, MessageSource into) {
    try {
      into.unknown();
      if (authKey == NO_AUTH_KEY && socketAddress.byteSize() >= PackedIpv4.SIZE) {
        long ipv4 = ReadableVector.ipv4At(socketAddress);
        if (AddressKey.isUsableIpv4(ipv4)) {
          // Not the short way: it makes garbage until it is compiled, and messages must make none.
          int index = store.findIpv4(ipv4);
          if (index < 0) {
            vector.lifetime().checkOpen();
            return false;
          }
          // As below; whatever is not plain is found again there.
          long generation = store.generation(index);
          if (store.ipv4(index) == ipv4 && take(index, generation, into)) {
            return true;
          }
        }
      }
      return findSource(SOCKET_ADDRESSES, socketAddress, authKey, into);
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  /**
   * As {@link #findSource(MemorySegment, MessageSource)}, for a sender that the fabric names by a
   * packed address in the vector's format. Allocates nothing, but for text that is in no entry to
   * the byte: that has to be parsed.
   *
   * @param address as {@code fi_av_insert} takes it, text with its zero byte
   * @return whether the sender is in the vector
   */
  public boolean findPackedSource(MemorySegment address, MessageSource into) {
    if (socketAddresses) {
      return findSource(address, into);
    }
    try {
      into.unknown();
      AddressKey key = ReadableVector.key();
      boolean found = vector.codec.readFabricText(address, key) && findSource(key, into);
      return found || findSource(vector.codec, address, NO_AUTH_KEY, into);
    } catch (IllegalStateException gone) {
      throw vector.translated(gone);
    }
  }

  private boolean findSource(
      AddressCodec format, MemorySegment address, int authKey, MessageSource into) {
    AddressKey key = ReadableVector.key();
    boolean readable = format.read(address, 0, key) == 0;
    if (readable && authKey != NO_AUTH_KEY) {
      key.putUnder(authKey);
    }
    if (readable && findSource(key, into)) {
      return true;
    }
    vector.lifetime().checkOpen();
    return false;
  }

  private boolean findSource(AddressKey key, MessageSource into) {
    for (int index = store.find(key); index >= 0; index = store.find(key)) {
      // The entry was the address's after the first look at its generation, and its user id was
      // read before the second: if they agree, all is of one generation (D-40). If not, that entry
      // has died, and the address has another one or none.
      long generation = store.generation(index);
      if (store.holds(index, key) && take(index, generation, into)) {
        return true;
      }
    }
    return false;
  }

  /** Takes an entry as the source, unless its generation has ended; returns whether it did. */
  private boolean take(int index, long generation, MessageSource into) {
    long value = store.userId(index, userIdsOnly ? Handles.NOT_AVAILABLE : layout.handle(index));
    if (store.generation(index) != generation) {
      return false;
    }
    into.known(index, value);
    return true;
  }

  /**
   * The number of the key that a handle names in a call that says {@code FI_AUTH_KEY}.
   *
   * @param authKey any handle; its receive context and group do not matter
   * @return the number, or {@link #NO_AUTH_KEY} if the handle names no key
   */
  public int authKeyNumber(long authKey) {
    return keys.number(authKey);
  }

  /**
   * What a completion reports for a key where it has no address to name (AV-168, AV-169): the user
   * id of the key, else its handle, or {@link org.ofi4j.Handles#NOT_AVAILABLE} on a vector that
   * reports user ids and nothing else.
   *
   * @param number the number of a key that is held
   */
  public long reportedAuthKey(int number) {
    return keys.reported(number);
  }
}
