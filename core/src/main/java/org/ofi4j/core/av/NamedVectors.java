// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import org.ofi4j.FabricInfo;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorTraits;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.store.StoreOptions;

/** Opens vectors by name: which one a name means, and what those that share it must agree on. */
final class NamedVectors {
  private NamedVectors() {}

  /**
   * What opening gave.
   *
   * @param options the options in effect, with the base of handles
   */
  record Opened(VectorOptions options, HandleLayout layout, NamedStore store) {}

  /**
   * Attaches to a vector, or makes it.
   *
   * @param effective the options in effect, with a name, found to be right in themselves
   * @param options what entries are like, if there are none yet
   */
  static Opened open(
      VectorOptions effective,
      String name,
      FabricInfo info,
      VectorBehaviour behaviour,
      StoreOptions options) {
    NamedVector vector =
        NamedVector.open(
            ShareDirectory.ofUser(),
            domain(info),
            name,
            traits(effective, info, behaviour),
            OpenChecks.isReadOnly(effective),
            effective.lockTimeout(),
            file -> NamedStore.found(file, options));
    VectorTraits agreed = vector.traits();
    // The store closes the vector if it fails.
    NamedStore store = new NamedStore(vector, options.expecting(agreed.expected()));
    try {
      VectorOptions based =
          effective.mapAddress() == 0 ? effective.withMapAddress(agreed.mapAddress()) : effective;
      return new Opened(based, OpenChecks.layout(based, info, behaviour), store);
    } catch (Throwable refused) {
      store.close();
      throw refused;
    }
  }

  /** Vectors are shared within a domain of a fabric of a provider (D-52). */
  static String domain(FabricInfo info) {
    return info.fabric().provider() + ":" + info.domain().name() + ":" + info.fabric().name();
  }

  /** What those that use a vector must agree on. */
  static VectorTraits traits(VectorOptions effective, FabricInfo info, VectorBehaviour behaviour) {
    return new VectorTraits(
        profileClass(effective.type(), behaviour),
        effective.type().number(),
        VectorTraits.number(effective.duplicates()),
        info.addressFormat().number(),
        effective.receiveContextBits(),
        Math.min(behaviour.mostKeys(info), KeySlots.MOST),
        behaviour.groups() ? Math.max(0, info.domain().maxGroupId()) : 0,
        effective.mapAddress(),
        Math.max(0, effective.count()));
  }

  private static int profileClass(VectorType type, VectorBehaviour behaviour) {
    if (!behaviour.reusesIndices()) {
      return VectorTraits.INDICES_ONCE;
    }
    return behaviour.handlesAreIndices(type) ? VectorTraits.INDICES : VectorTraits.OPAQUE_HANDLES;
  }
}
