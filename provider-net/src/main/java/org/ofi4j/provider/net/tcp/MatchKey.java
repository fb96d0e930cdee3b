package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * What decides which receive takes a message. A message has all of it; a receive may leave the
 * sender open, and bits of the tag.
 *
 * <p>No frame carries a group, an authorization key or a receive context yet: they are 0
 * everywhere, and count like the rest.
 */
final class MatchKey {
  boolean tagged;

  /** 0 for a message without tag. */
  long tag;

  /** Who sent it; null for anyone. */
  @Nullable Peer from;

  int group;
  long authorizationKey;
  int receiveContext;

  void set(boolean hasTag, long itsTag, @Nullable Peer sender) {
    tagged = hasTag;
    tag = itsTag;
    from = sender;
  }

  void set(MatchKey other) {
    set(other, other.from);
  }

  /** Becomes another one with a sender of its own. */
  void set(MatchKey other, @Nullable Peer sender) {
    set(other.tagged, other.tag, sender);
    group = other.group;
    authorizationKey = other.authorizationKey;
    receiveContext = other.receiveContext;
  }

  /** Whether another one is the same in everything. */
  boolean is(MatchKey other) {
    return differsOnlyIn(other, 0) && from == other.from;
  }

  /** Whether another one is the same but for the sender and bits of the tag. */
  boolean differsOnlyIn(MatchKey other, long bits) {
    return tagged == other.tagged
        && ((tag ^ other.tag) & ~bits) == 0
        && group == other.group
        && authorizationKey == other.authorizationKey
        && receiveContext == other.receiveContext;
  }

  int hash() {
    Peer sender = from;
    long mixed = tag * 31 + (tagged ? 1 : 0);
    mixed = mixed * 31 + group;
    mixed = mixed * 31 + authorizationKey;
    mixed = mixed * 31 + receiveContext;
    mixed = mixed * 31 + (sender == null ? 0 : sender.hashCode());
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }

  void clear() {
    set(false, 0, null);
    group = 0;
    authorizationKey = 0;
    receiveContext = 0;
  }
}
