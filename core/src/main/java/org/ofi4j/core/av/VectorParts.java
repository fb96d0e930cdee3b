// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/** What a vector is made of, once it is known that it may be opened. */
record VectorParts(
    VectorOptions options,
    VectorBehaviour behaviour,
    HandleLayout layout,
    StoreOptions storeOptions,
    EntryStore store,
    AuthKeys keys,
    VectorEvents events) {
  /**
   * The parts of a new vector.
   *
   * @param stores what makes a store of its options and memory
   * @throws FabricException if the options are wrong or do not fit the domain, or if there is no
   *     memory
   */
  static VectorParts of(
      FabricInfo info,
      @Nullable VectorOptions options,
      Supplier<MemorySource> memory,
      BiFunction<StoreOptions, MemorySource, EntryStore> stores) {
    VectorBehaviour behaviour = VectorBehaviour.of(info.apiVersion(), info.profile());
    VectorOptions effective = OpenChecks.effective(options, info, behaviour);
    HandleLayout layout = OpenChecks.layout(effective, info, behaviour);
    VectorEvents events = new VectorEvents(info.domain().name());
    // The count is a hint that no number can spoil.
    StoreOptions storeOptions =
        StoreOptions.of(effective.count(), behaviour.reusesIndices(), effective.duplicates());
    OpenedEntries opened;
    String name = effective.name();
    if (name != null) {
      try {
        // Its layout may depend on a base that it has already.
        opened = OpenedEntries.named(effective, name, info, behaviour, storeOptions);
      } catch (OutOfMemoryError exhausted) {
        throw exhausted("no room for the files of vector \"" + name + "\"", exhausted);
      }
    } else {
      MemorySource source = new WatchedMemory(memory.get(), events);
      Path saved = effective.saved();
      try {
        opened =
            saved == null
                ? new OpenedEntries(effective, layout, stores.apply(storeOptions, source))
                : OpenedEntries.saved(effective, saved, info, behaviour, storeOptions, source);
      } catch (OutOfMemoryError exhausted) {
        source.close();
        throw exhausted(exhausted);
      } catch (FabricException refused) {
        source.close();
        throw refused;
      }
    }
    EntryStore store = opened.store();
    int mostKeys = behaviour.mostKeys(info);
    boolean userIdsOnly = (effective.flags() & VectorFlag.USER_ID.mask()) != 0;
    try {
      AuthKeys keys =
          new AuthKeys(opened.layout(), store.keyNumbers(mostKeys), mostKeys, userIdsOnly);
      return new VectorParts(
          opened.options(), behaviour, opened.layout(), storeOptions, store, keys, events);
    } catch (OutOfMemoryError exhausted) {
      // They may be in a mapped file.
      store.close();
      throw exhausted(exhausted);
    }
  }

  /** Says that memory ended. */
  static FabricException exhausted(OutOfMemoryError exhausted) {
    return exhausted("no memory for another vector", exhausted);
  }

  private static FabricException exhausted(String what, OutOfMemoryError exhausted) {
    return new FabricException(Errno.ENOMEM, what + ": " + exhausted.getMessage(), exhausted);
  }
}
