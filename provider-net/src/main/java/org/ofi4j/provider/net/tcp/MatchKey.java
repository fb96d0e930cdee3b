package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * What decides which receive takes a message: set anew for each message. A receive names the same
 * things, and leaves some of them open.
 */
final class MatchKey {
  boolean tagged;
  long tag;

  /** Who sent it. */
  @Nullable Peer from;

  void set(boolean hasTag, long itsTag, Peer sender) {
    tagged = hasTag;
    tag = itsTag;
    from = sender;
  }
}
