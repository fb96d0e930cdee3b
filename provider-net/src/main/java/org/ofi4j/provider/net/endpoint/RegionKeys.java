// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.RegisterOptions.ReachedBy;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.VectorKeys.HeldAuthKeys;

/**
 * Under which authorization keys peers may reach a memory region: those that a vector had when the
 * region was registered, or one of them (AV-166, AV-220); or which one peer may.
 */
public final class RegionKeys {
  private final CoreAddressVector vector;
  private final HeldAuthKeys held;

  /** The handle of the only entry, or {@link Handles#UNSPECIFIED} for all that are under a key. */
  final long entry;

  /** Which generation of that entry. */
  final long generation;

  private RegionKeys(CoreAddressVector vector, HeldAuthKeys held, long entry, long generation) {
    this.vector = vector;
    this.held = held;
    this.entry = entry;
    this.generation = generation;
  }

  /**
   * Which peers a region is to be for.
   *
   * @param handle of the only key, or of the only entry
   */
  public record Asked(CoreAddressVector vector, ReachedBy reachedBy, long handle) {
    RegionKeys hold(FabricObject region) {
      return switch (reachedBy) {
        case ANY -> of(vector.keys().holdAll(region));
        case AUTH_KEY -> of(vector.keys().hold(region, handle));
        case PEER -> {
          long before = vector.peers().generation(handle);
          HeldAuthKeys its = vector.keys().holdThatOf(region, handle);
          yield new RegionKeys(vector, its, handle, before);
        }
      };
    }

    private RegionKeys of(HeldAuthKeys taken) {
      return new RegionKeys(vector, taken, Handles.UNSPECIFIED, 0);
    }
  }

  /** Whether a key is among them: numbers say nothing outside of their vector. */
  @SuppressWarnings("ReferenceEquality") // a vector is itself and no other
  boolean contain(@Nullable CoreAddressVector of, int authKey) {
    return of == vector && held.contains(authKey);
  }

  void close() {
    held.close();
  }
}
