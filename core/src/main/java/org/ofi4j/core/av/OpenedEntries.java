// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.regex.Pattern;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.core.mapped.CopiedFile;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.SavedStore;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorTraits;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * How vectors are opened by name or from a file, and what that gives: which vector a name means,
 * what those that share it must agree on, and what a saved one must be like.
 *
 * @param options the options in effect, of a named vector with the base of handles
 * @param layout its handles; of a saved vector those that it was saved with
 */
record OpenedEntries(VectorOptions options, HandleLayout layout, EntryStore store) {
  /**
   * The provider, domain and fabric of {@link #domain}. The names of libfabric's providers may
   * begin with {@code libfabric:}, and a fabric may be an IPv6 network.
   */
  static final Pattern DOMAIN = Pattern.compile("((?:libfabric:)?[^:]+):([^:]*):(.*)");

  /**
   * Attaches to a vector with a name, or makes it.
   *
   * @param effective the options in effect, with a name, found to be right in themselves
   * @param options what entries are like, if there are none yet
   */
  static OpenedEntries named(
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
      return new OpenedEntries(based, OpenChecks.layout(based, info, behaviour), store);
    } catch (Throwable refused) {
      store.close();
      throw refused;
    }
  }

  /**
   * Opens a vector from a file: read where it is, or copied.
   *
   * @param memory where the memory of a copy comes from; not touched if the file is read
   * @throws OutOfMemoryError if there is no memory for a copy
   */
  static OpenedEntries saved(
      VectorOptions effective,
      Path path,
      FabricInfo info,
      VectorBehaviour behaviour,
      StoreOptions options,
      MemorySource memory) {
    SavedFile file = SavedFile.map(path);
    boolean reads = OpenChecks.isReadOnly(effective);
    boolean opened = false;
    try {
      CopiedFile copied = reads ? null : new CopiedFile(file, memory);
      try {
        file.check();
      } finally {
        if (copied != null) {
          copied.await();
        }
      }
      VectorTraits present = file.traits();
      traits(effective, info, behaviour)
          .checkFits(present, "the vector saved in " + path, "open it with the same");
      HandleLayout layout = OpenChecks.layout(effective, info, behaviour);
      if (layout.base() != present.mapAddress()) {
        layout = layout.from(present.mapAddress());
      }
      EntryStore store =
          copied == null ? new SavedStore(file, options) : SavedStore.copy(copied, options);
      opened = true;
      return new OpenedEntries(effective, layout, store);
    } finally {
      if (!opened || !reads) {
        file.close();
      }
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
