// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions;

/**
 * Under which authorization keys peers may reach a memory region: those that a vector had when the
 * region was registered, or one of them (AV-166, AV-220); or which one peer may.
 */
final class RegionKeys {
  private final Peers peers;
  private final AuthKeys held;

  /** The handle of the only entry, or {@link Handles#UNSPECIFIED} for all that are under a key. */
  final long entry;

  /** Which generation of that entry. */
  final long generation;

  private RegionKeys(Peers peers, AuthKeys held, long entry, long generation) {
    this.peers = peers;
    this.held = held;
    this.entry = entry;
    this.generation = generation;
  }

  /** Holds the keys that the options of a region ask for, in its name. */
  static RegionKeys hold(Peers peers, RegisterOptions options, FabricObject region) {
    long handle = options.source();
    boolean onePeer = options.reachedBy() == RegisterOptions.ReachedBy.PEER;
    // Before the key is taken, so that a later entry with the same handle has another generation.
    long generation = onePeer ? peers.generation(handle) : 0;
    AuthKeys held =
        switch (options.reachedBy()) {
          case ANY -> peers.holdKeys(region);
          case AUTH_KEY -> peers.holdKey(region, handle);
          case PEER -> peers.holdKeyOf(region, handle);
        };
    return new RegionKeys(peers, held, onePeer ? handle : Handles.UNSPECIFIED, generation);
  }

  /** Whether a key is among them: numbers say nothing outside of their vector. */
  boolean contain(@Nullable Peers of, int authKey) {
    return peers.equals(of) && held.contains(authKey);
  }

  void close() {
    held.close();
  }
}
