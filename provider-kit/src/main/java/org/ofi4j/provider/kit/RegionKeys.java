// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions.ReachedBy;

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

  /**
   * Which peers a region is to be for.
   *
   * @param handle of the only key, or of the only entry
   */
  record Asked(Peers peers, ReachedBy reachedBy, long handle) {
    RegionKeys hold(FabricObject region) {
      return switch (reachedBy) {
        case ANY -> of(peers.holdKeys(region));
        case AUTH_KEY -> of(peers.holdKey(region, handle));
        case PEER -> {
          long before = peers.generation(handle);
          yield new RegionKeys(peers, peers.holdKeyOf(region, handle), handle, before);
        }
      };
    }

    private RegionKeys of(AuthKeys taken) {
      return new RegionKeys(peers, taken, Handles.UNSPECIFIED, 0);
    }
  }

  /** Whether a key is among them: numbers say nothing outside of their vector. */
  boolean contain(@Nullable Peers of, int authKey) {
    return peers.equals(of) && held.contains(authKey);
  }

  void close() {
    held.close();
  }
}
