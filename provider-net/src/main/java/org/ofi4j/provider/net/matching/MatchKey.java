// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What decides which receive takes a message. A message has all of it; a receive may leave the
 * sender open, and bits of the tag.
 */
public final class MatchKey {
  boolean tagged;

  /** 0 for a message without tag. */
  long tag;

  /** The {@linkplain Sender#origin origin} of who sent it; null for anyone. */
  @Nullable Sender from;

  public int group;

  /**
   * The authorization key under which messages are taken, as its number and 1; 0 for any. Messages
   * have it from their sender, and it is 0 in their own keys.
   */
  long authorizationKey;

  void set(boolean hasTag, long itsTag, @Nullable Sender sender) {
    tagged = hasTag;
    tag = itsTag;
    from = sender;
  }

  void set(MatchKey other) {
    set(other, other.from);
  }

  /**
   * Becomes that of all messages that differ from one in their sender alone, but not in its key.
   */
  void setSameKey(MatchKey message) {
    Sender sender = message.from;
    set(message, null);
    authorizationKey = sender == null ? 0 : sender.matchedKey();
  }

  /** Becomes another one with a sender of its own. */
  void set(MatchKey other, @Nullable Sender sender) {
    set(other.tagged, other.tag, sender);
    group = other.group;
    authorizationKey = other.authorizationKey;
  }

  boolean is(MatchKey other) {
    return differsOnlyIn(other, 0)
        && Objects.equals(from, other.from)
        && authorizationKey == other.authorizationKey;
  }

  /** Whether another one is the same but for the sender, its key and bits of the tag. */
  boolean differsOnlyIn(MatchKey other, long bits) {
    return tagged == other.tagged && ((tag ^ other.tag) & ~bits) == 0 && group == other.group;
  }

  int hash() {
    Sender sender = from;
    long mixed = tag * 31 + (tagged ? 1 : 0);
    mixed = mixed * 31 + group;
    mixed = mixed * 31 + authorizationKey;
    mixed = mixed * 31 + (sender == null ? 0 : sender.hashCode());
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }

  void clear() {
    set(false, 0, null);
    group = 0;
    authorizationKey = 0;
  }
}
