// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricObject;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.spi.FabricPeers;

/**
 * The entries of an address vector as a transport uses them: from the handle of a destination to an
 * address, and from the address of a sender to the source that a completion names. Peers of the
 * same vector are equal.
 *
 * <p>Any thread may call. Calls take no lock and allocate nothing, unless they say otherwise. When
 * the vector is closed they fail as the vector's own calls do.
 */
public final class Peers {
  /** The number that stands for no authorization key. */
  public static final int NO_AUTH_KEY = TransferPeers.NO_AUTH_KEY;

  private final CoreAddressVector vector;
  private final TransferPeers entries;

  Peers(CoreAddressVector vector) {
    this.vector = vector;
    entries = vector.peers();
  }

  /**
   * Returns the entries of a vector.
   *
   * @param vector any vector
   * @return null if the vector is of a domain that the kit has not opened
   */
  public static @Nullable Peers of(AddressVector vector) {
    return vector instanceof CoreAddressVector own ? new Peers(own) : null;
  }

  /**
   * Returns the rules of the fabric that the vector was opened with.
   *
   * @return the rules, as {@link DomainTransport#peers} has returned them
   */
  public FabricPeers fabricPeers() {
    return vector.fabricPeers();
  }

  /**
   * Returns the format of the addresses of the vector.
   *
   * @return the format
   */
  public AddressFormat format() {
    return entries.format();
  }

  /**
   * Finds the socket address of a handle, whatever the format of the vector.
   *
   * @param handle the handle of an entry
   * @param target takes 16 or 28 bytes; native memory is fastest
   * @return the length of the socket address; 0 when the handle names no entry, or carries a
   *     receive context or group that transfers of this domain cannot name
   */
  public int socketAddress(long handle, MemorySegment target) {
    return entries.socketAddress(handle, target);
  }

  /**
   * Finds the packed address of a handle in the format of the vector, as {@code fi_av_insert} takes
   * it: text with its zero byte.
   *
   * @param handle the handle of an entry
   * @param target takes the address, if there is room for all of it; otherwise its bytes are
   *     undefined
   * @return the length of the address, which may be more than the target has; 0 as {@link
   *     #socketAddress}
   */
  public int packedAddress(long handle, MemorySegment target) {
    return entries.packedAddress(handle, target);
  }

  /**
   * Finds the socket address of a handle and the number of the authorization key that the entry was
   * inserted under, both of one generation of the index.
   *
   * @param handle the handle of an entry
   * @param target takes 16 or 28 bytes
   * @return {@code number << 32 | length}, in which the number is {@link #NO_AUTH_KEY} of an entry
   *     without key; 0 when the handle names no entry
   */
  public long keyedSocketAddress(long handle, MemorySegment target) {
    return entries.keyedSocketAddress(handle, target);
  }

  /**
   * Returns how often handles have lost the address that they led to, by removal or replacement, or
   * were marked as firewalled, so that a transport which remembers where a handle leads knows when
   * to look again.
   *
   * @return 0 or more; -1 if other processes change the vector too, and it is not counted
   */
  public long addressChanges() {
    return entries.addressChanges();
  }

  /**
   * Returns the receive context that {@link org.ofi4j.Handles#atReceiveContext} has chosen.
   *
   * @param handle the handle of the destination of a message
   * @return the index of the receive context, 0 or more
   */
  public int receiveContext(long handle) {
    return entries.receiveContext(handle);
  }

  /**
   * Returns the peer group that a handle carries in a transfer (AV-147, AV-198).
   *
   * @param handle the destination of a message, or the source of a receive
   * @return the group; 0 for handles without one, and in versions that have no groups; -1 for bits
   *     that are no group of the domain
   */
  public int group(long handle) {
    return entries.group(handle);
  }

  /**
   * Returns the largest peer group that handles may carry, 0 if there are no groups.
   *
   * @return the group, 0 or more
   */
  public int maxGroup() {
    return entries.maxGroup();
  }

  /**
   * Returns the words for an error about a handle whose {@link #group} is negative.
   *
   * @param handle the handle of an entry
   * @return the words, which follow the name of an argument
   */
  public String unfitting(long handle) {
    return entries.unfitting(handle);
  }

  /**
   * Returns whether the source of a receive is any sender, of any group or of one.
   *
   * @param handle the source of a receive
   * @return true if it names no entry
   */
  public boolean isAnySource(long handle) {
    return entries.isAnySource(handle);
  }

  /**
   * Returns whether the peer of a handle was inserted as behind a firewall: no connection may be
   * opened to it (AV-222).
   *
   * @param handle the handle of an entry
   * @return true if the entry has the flag
   */
  public boolean isFirewalled(long handle) {
    return entries.isFirewalled(handle);
  }

  /**
   * Returns whether a sender that was found was inserted as behind a firewall.
   *
   * @param sender a source that is known
   * @return true if its entry has the flag
   */
  public boolean isFirewalled(MessageSource sender) {
    return entries.isFirewalled(sender.found);
  }

  /**
   * Returns the generation of the entry of a handle, by which a receive that is directed at an
   * entry knows when the entry has gone or has another address.
   *
   * @param handle the handle of an entry
   * @return a number, 0 or more: the same as long as the entry is there and has this address, and
   *     of no other entry; -1 when the handle names no entry
   */
  public long generation(long handle) {
    return entries.generation(handle);
  }

  /**
   * Finds the source of a message: the user id of its sender, else the handle (AV-096), decided for
   * one generation of the index.
   *
   * @param socketAddress 16 or 28 bytes, the sender
   * @param into takes the source
   * @return whether the sender is in the vector
   */
  public boolean findSource(MemorySegment socketAddress, MessageSource into) {
    return entries.findSource(socketAddress, into.found);
  }

  /**
   * Finds the source of a message that was sent under a key: the entry of that address under that
   * key, and no other.
   *
   * @param socketAddress 16 or 28 bytes, the sender
   * @param authKey the number of the key, or {@link #NO_AUTH_KEY} for a message sent under none
   * @param into takes the source
   * @return whether the sender is in the vector under that key
   */
  public boolean findSource(MemorySegment socketAddress, int authKey, MessageSource into) {
    return entries.findSource(socketAddress, authKey, into.found);
  }

  /**
   * Finds the source of a message whose sender the fabric names by a packed address in the format
   * of the vector. Allocates nothing, but for text that is in no entry to the byte.
   *
   * @param address as {@code fi_av_insert} takes it, text with its zero byte
   * @param into takes the source
   * @return whether the sender is in the vector
   */
  public boolean findPackedSource(MemorySegment address, MessageSource into) {
    return entries.findPackedSource(address, into.found);
  }

  /**
   * Returns the number of the key that a handle names in a call with {@code FI_AUTH_KEY}, or {@link
   * #NO_AUTH_KEY} if the handle names no key.
   *
   * @param authKey the handle of a key
   * @return the number of the key
   */
  public int authKeyNumber(long authKey) {
    return entries.authKeyNumber(authKey);
  }

  /**
   * Returns the number that a completion reports for a key where it has no address to name (AV-168,
   * AV-169).
   *
   * @param number the number of a key that is held
   * @return the number, which is the handle of the key
   */
  public long reportedAuthKey(int number) {
    return entries.reportedAuthKey(number);
  }

  /**
   * Holds all authorization keys that the vector has now.
   *
   * @param holder what holds them, for errors
   * @return the keys
   */
  public AuthKeys holdKeys(FabricObject holder) {
    return new AuthKeys(vector.keys().holdAll(holder));
  }

  /**
   * Holds one authorization key.
   *
   * @param holder what holds it, for errors
   * @param authKey the handle of the key
   * @return the key
   * @throws org.ofi4j.FabricException if the handle names no key
   */
  public AuthKeys holdKey(FabricObject holder, long authKey) {
    return new AuthKeys(vector.keys().hold(holder, authKey));
  }

  /**
   * Holds the authorization key of an entry.
   *
   * @param holder what holds it, for errors
   * @param handle the handle of an entry
   * @return the key
   * @throws org.ofi4j.FabricException if the handle names no entry
   */
  public AuthKeys holdKeyOf(FabricObject holder, long handle) {
    return new AuthKeys(vector.keys().holdThatOf(holder, handle));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // a vector is itself and no other
  public boolean equals(@Nullable Object other) {
    return other instanceof Peers peers && peers.vector == vector;
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(vector);
  }

  @Override
  public String toString() {
    return vector.toString();
  }
}
