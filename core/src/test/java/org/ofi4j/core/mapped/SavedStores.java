// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.SeveralStores;
import org.ofi4j.core.store.StoreOptions;

/**
 * A store that is saved now and then, and goes on as the copy of what was saved. Until the next
 * change the file itself answers some of the questions.
 */
public final class SavedStores extends SeveralStores {
  private static final VectorTraits TRAITS = new VectorTraits(3, 2, 1, 2, 0, 0, 0, 0, 0);

  private final Path path;
  private final StoreOptions options;
  private final int saveEvery;
  private final SplittableRandom random;
  private EntryStore store;
  private @Nullable SavedStore mapped;

  /**
   * An empty store.
   *
   * @param directory where files are to be
   * @param options what it is like
   * @param saveEvery after how many changes it is saved, on average
   */
  public SavedStores(Path directory, StoreOptions options, int saveEvery) {
    this.path = directory.resolve("saved");
    this.options = options;
    this.saveEvery = saveEvery;
    this.random = new SplittableRandom(options.seed());
    this.store = new EntryStore(options, MemorySource.system());
  }

  @Override
  protected <T> T write(Function<EntryStore, T> change) {
    if (mapped != null) {
      mapped.close();
      mapped = null;
    }
    T outcome = change.apply(store);
    // Reservations are not saved, and the model has them.
    boolean isSaved = store.parts().counts().reserved() == 0;
    if (isSaved && random.nextInt(saveEvery) == 0) {
      saveAndGoOn();
    }
    return outcome;
  }

  private void saveAndGoOn() {
    try (Snapshot snapshot = new Snapshot(store, options)) {
      snapshot.write(path, TRAITS);
    }
    mapped = SavedStore.open(path, TRAITS, options);
    EntryStore next = mapped.copy(MemorySource.system());
    store.close();
    store = next;
  }

  /** The store that is changed. */
  public EntryStore changed() {
    return store;
  }

  @Override
  protected EntryStore any() {
    return mapped != null && random.nextBoolean() ? mapped : store;
  }

  @Override
  public boolean hasUserId(int index) {
    return store.hasUserId(index);
  }

  @Override
  public long userId(int index, long absent) {
    return store.userId(index, absent);
  }

  @Override
  public int setUserId(int index, long id) {
    return store.setUserId(index, id);
  }

  @Override
  public void copyInto(EntryStore target, StoreOptions options) {
    write(store -> {
      store.copyInto(target, options);
      return 0;
    });
  }

  @Override
  public void close() {
    if (mapped != null) {
      mapped.close();
    }
    store.close();
  }
}
