package org.ofi4j.provider.net.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricObject;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.HeldAuthKeys;

/**
 * The authorization keys under which peers may reach a memory region: those that a vector had when
 * the region was registered, or one of them (AV-166, AV-220).
 */
public final class RegionKeys {
  private final CoreAddressVector vector;
  private final HeldAuthKeys held;

  private RegionKeys(CoreAddressVector vector, HeldAuthKeys held) {
    this.vector = vector;
    this.held = held;
  }

  /**
   * Which keys a region is to have.
   *
   * @param vector whose
   * @param one whether only one of them
   * @param authKey the handle of the only one
   */
  public record Asked(CoreAddressVector vector, boolean one, long authKey) {
    RegionKeys hold(FabricObject region) {
      return new RegionKeys(
          vector, one ? vector.holdAuthKeys(region, authKey) : vector.holdAuthKeys(region));
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
