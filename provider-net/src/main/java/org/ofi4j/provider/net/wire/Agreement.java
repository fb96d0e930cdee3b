// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;

/**
 * What the two ends of a connection have agreed on beyond libfabric's protocol: each may do what
 * the other's {@link ExtensionBlock} says, if both had one. Immutable.
 */
public final class Agreement {
  /** With a peer that has said nothing. */
  public static final Agreement NONE = new Agreement(null, null);

  private final @Nullable ExtensionBlock own;
  private final @Nullable ExtensionBlock its;
  private final boolean words;
  private final boolean rooms;

  private Agreement(@Nullable ExtensionBlock own, @Nullable ExtensionBlock its) {
    this.own = own;
    this.its = its;
    words = both(ExtensionBlock.DELIVERY_WORDS);
    rooms = both(ExtensionBlock.EARLY_ROOM);
  }

  private boolean both(int feature) {
    return own != null && its != null && own.has(feature) && its.has(feature);
  }

  /**
   * What follows from two blocks.
   *
   * @param own the block that we have sent
   * @param its the block that came, or null if none did
   * @param previous an agreement with another peer, which is returned if this one says the same:
   *     thousands of connections share it
   */
  public static Agreement of(ExtensionBlock own, @Nullable ExtensionBlock its, Agreement previous) {
    if (its == null) {
      return NONE;
    }
    return own.equals(previous.own) && previous.its != null && its.saysAs(previous.its)
        ? previous
        : new Agreement(own, its);
  }

  /** Whether the peer is an endpoint of ofi4j: no other sends a block. */
  public boolean isWithOfi4j() {
    return its != null;
  }

  /** Whether frames may carry delivery words. */
  public boolean hasWords() {
    return words;
  }

  /** Whether each side says how much room it has for messages that come early. */
  public boolean hasRooms() {
    return rooms;
  }

  /** How many bytes the peer may send us early until we say more. */
  public long ownRoom() {
    return own == null ? 0 : own.room();
  }

  /** How many bytes we may send it early until it says more; no end if it does not say. */
  public long itsRoom() {
    return rooms && its != null ? its.room() : Long.MAX_VALUE;
  }

  /** Whether each side says that it lives, as often as the other one wants. */
  public boolean hasHeartbeats() {
    return both(ExtensionBlock.HEARTBEATS);
  }

  /** Whether a connection that nobody needs may be closed. */
  public boolean hasIdleClosing() {
    return hasHeartbeats() && both(ExtensionBlock.IDLE_CLOSING);
  }

  /** Whether both ends can share memory. */
  public boolean canShareMemory() {
    return own != null
        && its != null
        && both(ExtensionBlock.SHARED_MEMORY)
        && own.host() == its.host();
  }

  /** In how many milliseconds the peer wants to hear something; 0 for nothing. */
  public int heartbeat() {
    return its == null || !hasHeartbeats() ? 0 : its.heartbeat();
  }

  /**
   * Why the peer does not take messages with a delivery word; null if it does.
   *
   * @param word a word that is not {@link DeliveryWord#NONE}
   */
  public @Nullable Refusal refusal(long word) {
    ExtensionBlock peer = its;
    int group = DeliveryWord.group(word);
    int context = DeliveryWord.receiveContext(word);
    if (!words || peer == null || (group != 0 && peer.maxGroup() == 0)) {
      return new Refusal(
          Errno.EOPNOTSUPP,
          group != 0
              ? "has no peer groups, and group "
                  + group
                  + " was named: C programs never have any, and endpoints of ofi4j have them"
                  + " if their hints ask for max_group_id"
              : "has no receive contexts to be named, and " + context + " was");
    }
    if (Integer.compareUnsigned(group, peer.maxGroup()) > 0) {
      return new Refusal(
          Errno.EINVAL,
          "takes peer groups up to " + peer.maxGroup() + ", and group " + group + " was named");
    }
    if (context >= peer.receiveContexts()) {
      return new Refusal(
          Errno.EINVAL,
          "has receive contexts 0 to "
              + (peer.receiveContexts() - 1)
              + ", and "
              + context
              + " was named");
    }
    return null;
  }

  /**
   * Checks the word of a frame that came.
   *
   * @throws ProtocolException if we have said that we do not take it
   */
  public void check(long word) throws ProtocolException {
    ExtensionBlock us = own;
    if (us == null || Integer.compareUnsigned(DeliveryWord.group(word), us.maxGroup()) > 0) {
      throw new ProtocolException(
          "a message came for peer group "
              + Integer.toUnsignedString(DeliveryWord.group(word))
              + ", which this endpoint does not have");
    }
    if (DeliveryWord.receiveContext(word) >= us.receiveContexts()) {
      throw new ProtocolException(
          "a message came for receive context "
              + DeliveryWord.receiveContext(word)
              + ", which this endpoint does not have");
    }
  }

  /**
   * Why a peer does not take a message.
   *
   * @param reason goes on from the name of the peer
   */
  public record Refusal(Errno errno, String reason) {}
}
