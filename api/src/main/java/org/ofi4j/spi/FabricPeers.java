// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.spi;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;

/**
 * The addresses that a fabric takes as those of peers, beyond what the address format says. A
 * provider gives it to each vector that is opened.
 *
 * <p>The fabric never changes what it takes. One thread at a time asks.
 */
public interface FabricPeers {
  /** A fabric that takes whatever the address format can hold. */
  FabricPeers ANY = new FabricPeers() {};

  /**
   * Whether the fabric has text addresses of its own, such as {@code fi_shm://1234:0:0}. Then a
   * vector of {@code FI_ADDR_STR} takes text of any format, and text that spells no other address
   * is equal to the same bytes only (D-90). Asked when a vector is opened.
   *
   * @return true if there are such texts; false by default
   */
  default boolean hasTexts() {
    return false;
  }

  /**
   * Whether {@link #admit} need not be asked: every address is admitted that its format can hold.
   * If not, ranges and lists of addresses are inserted one by one. Asked when a vector is opened.
   *
   * @return true by default
   */
  default boolean admitsAll() {
    return true;
  }

  /**
   * Whether the fabric takes an address that is about to become an entry, in any form of insertion
   * or as the new address of one. Called once for each address of a call, in ascending order, with
   * the lock of the vector's writers held: it must not call the vector, and should not wait.
   *
   * <p>{@link org.ofi4j.AddressVector#refusal} asks nothing here. An address may come any number of
   * times, also if it has an entry. One that was admitted may still get no entry, as when memory
   * runs out.
   *
   * @param address the packed address as {@code fi_av_insert} takes it, text with its zero byte,
   *     without authorization key; in memory of the Java heap, valid during the call
   * @return why not; null if the address is admitted
   */
  default @Nullable Refusal admit(MemorySegment address) {
    return null;
  }

  /**
   * Whether {@link #addressesChanged} is to be called. Asked when a vector is opened.
   *
   * @return false by default
   */
  default boolean followsAddresses() {
    return false;
  }

  /**
   * Handles may have lost the address that they led to, by removal or replacement. Called before
   * such a call of this process returns or fails, without a lock of the vector.
   */
  default void addressesChanged() {}

  /** The vector is closed: it asks no more, and no endpoint is bound to it. */
  default void close() {}

  /**
   * Why a fabric takes no address. Reported as what is wrong with an address in itself is.
   *
   * @param errno not {@link Errno#SUCCESS}. {@link Errno#ENOMEM} ends the call; {@link
   *     Errno#ECANCELED} and {@link Errno#ENOKEY} say other things of insertions
   * @param reason in words that stand behind the address, never empty
   */
  record Refusal(Errno errno, String reason) {}
}
