// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Peers by address: a hash table with open addressing, so that finding one allocates nothing. For
 * one thread at a time.
 */
final class Peers {
  private static final int FIRST_SIZE = 64;

  private final Predicate<Peer> missed;
  private @Nullable Peer[] table = new @Nullable Peer[FIRST_SIZE];
  private int size;

  /** Keeps those that have a use. */
  Peers() {
    this(_ -> false);
  }

  /**
   * Keeps some others, too.
   *
   * @param missed whether one that has no use is kept, because somebody waits for its return
   */
  Peers(Predicate<Peer> missed) {
    this.missed = missed;
  }

  int size() {
    return size;
  }

  @Nullable Peer find(long high, long low, long scopeAndPort) {
    int mask = table.length - 1;
    for (int slot = slot(high, low, scopeAndPort) & mask; ; slot = slot + 1 & mask) {
      Peer present = table[slot];
      if (present == null || present.is(high, low, scopeAndPort)) {
        return present;
      }
    }
  }

  /** Adds one that is not there. */
  void add(Peer peer) {
    if (2 * (size + 1) > table.length) {
      rebuild();
    }
    place(peer);
    size++;
  }

  void forEach(Consumer<? super Peer> action) {
    for (Peer peer : table) {
      if (peer != null) {
        action.accept(peer);
      }
    }
  }

  /** Forgets those that have no use, and makes the table larger if those that have fill it. */
  private void rebuild() {
    @Nullable Peer[] old = table;
    int staying = 0;
    for (Peer peer : old) {
      if (peer != null && stays(peer)) {
        staying++;
      }
    }
    int length = Math.max(FIRST_SIZE, Integer.highestOneBit(Math.max(1, staying)) << 3);
    table = new @Nullable Peer[length];
    size = staying;
    for (Peer peer : old) {
      if (peer != null && stays(peer)) {
        place(peer);
      } else if (peer != null) {
        peer.forgotten();
      }
    }
  }

  private boolean stays(Peer peer) {
    return !peer.isForgettable() || missed.test(peer);
  }

  private void place(Peer peer) {
    int mask = table.length - 1;
    int slot = slot(peer.high, peer.low, peer.scopeAndPort) & mask;
    while (table[slot] != null) {
      slot = slot + 1 & mask;
    }
    table[slot] = peer;
  }

  private static int slot(long high, long low, long scopeAndPort) {
    long mixed = (high * 31 + low) * 31 + scopeAndPort;
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }
}
