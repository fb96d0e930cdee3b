// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.SavedStore;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * The entries of a vector that is being opened: new ones, those of a name, or those of a file.
 *
 * @param rules the rules of the vector, of a named one with the base of handles
 * @param layout its handles; of a saved vector those that it was saved with
 */
record OpenedEntries(VectorRules rules, HandleLayout layout, EntryStore store) {
  /**
   * The provider, domain and fabric of {@link #domain}. The names of libfabric's providers may
   * begin with {@code libfabric:}, and a fabric may be an IPv6 network.
   */
  static final Pattern DOMAIN = Pattern.compile("((?:libfabric:)?[^:]+):([^:]*):(.*)");

  /**
   * Opens entries.
   *
   * @param rules the rules of the vector, with the options in effect
   * @param memory the memory of entries that are in no file
   * @param stores makes a new store
   * @throws FabricException if the options do not fit each other or the entries, or if there is no
   *     room for files
   * @throws OutOfMemoryError if there is no memory for entries
   */
  static OpenedEntries open(
      VectorRules rules,
      Supplier<MemorySource> memory,
      BiFunction<StoreOptions, MemorySource, EntryStore> stores) {
    VectorOptions options = rules.options();
    HandleLayout layout = rules.layout();
    String name = options.name();
    if (name != null) {
      try {
        return named(rules, name);
      } catch (OutOfMemoryError exhausted) {
        throw exhausted("no room for the files of vector \"" + name + "\"", exhausted);
      }
    }
    MemorySource source = memory.get();
    Path saved = options.saved();
    try {
      if (saved != null) {
        return saved(rules, saved, layout, source);
      }
      return new OpenedEntries(rules, layout, stores.apply(rules.traits().options(), source));
    } catch (FabricException | OutOfMemoryError refused) {
      source.close();
      throw refused;
    }
  }

  /** Attaches to a vector with a name, or makes it. */
  private static OpenedEntries named(VectorRules rules, String name) {
    VectorOptions wanted = rules.options();
    NamedStore store =
        NamedStore.open(
            domain(rules.info()), name, rules.traits(), rules.isReadOnly(), wanted.lockTimeout());
    try {
      VectorRules based =
          wanted.mapAddress() == 0 ? rules.with(wanted.withMapAddress(store.handleBase())) : rules;
      return new OpenedEntries(based, based.layout(), store);
    } catch (Throwable refused) {
      store.close();
      throw refused;
    }
  }

  /**
   * Opens a vector from a file, which is read where it is, or copied.
   *
   * @param memory the memory of a copy; not touched if the file is read
   * @throws OutOfMemoryError if there is no memory for a copy
   */
  private static OpenedEntries saved(
      VectorRules rules, Path path, HandleLayout layout, MemorySource memory) {
    SavedStore file = SavedStore.open(path, rules.traits());
    boolean reads = rules.isReadOnly();
    boolean opened = false;
    try {
      long base = file.handleBase();
      HandleLayout based = layout.base() == base ? layout : layout.from(base);
      EntryStore store = reads ? file : file.copy(memory);
      opened = true;
      return new OpenedEntries(rules, based, store);
    } finally {
      if (!opened || !reads) {
        file.close();
      }
    }
  }

  /** Returns the domain of a fabric of a provider, within which vectors are shared (D-52). */
  static String domain(FabricInfo info) {
    return info.fabric().provider() + ":" + info.domain().name() + ":" + info.fabric().name();
  }

  /** Returns the refusal of a vector for which there is no memory. */
  static FabricException exhausted(String what, OutOfMemoryError exhausted) {
    return new FabricException(Errno.ENOMEM, what + ": " + exhausted.getMessage(), exhausted);
  }
}
