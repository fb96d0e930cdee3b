// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.SeveralStores;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.TestDomain;

/**
 * Several stores of one named vector, as several processes have them: each change goes through any
 * of the writers, each question to any of all. Now and then a writer lets the lock go as if it had
 * died, and the next one repairs.
 */
public final class NamedStores extends SeveralStores {
  /** So many lookups, in so many of the first indices. */
  static final int LOOKUPS = 4000;

  static final int OFTEN = 1000;

  /** After how many changes somebody looks so long, on average. */
  private static final int LOOKED_LONG_EVERY = 40;

  private final List<NamedVector> vectors = new ArrayList<>();
  private final List<NamedStore> writers = new ArrayList<>();
  private final List<NamedStore> all = new ArrayList<>();
  private final SplittableRandom random;
  private final int deathEvery;

  /**
   * New stores of a new vector.
   *
   * @param directory where its files are to be
   * @param options what it is like
   * @param deathEvery after how many changes a writer dies, on average
   */
  public NamedStores(Path directory, StoreOptions options, int deathEvery) {
    this.random = new SplittableRandom(options.seed());
    this.deathEvery = deathEvery;
    for (int i = 0; i < 4; i++) {
      NamedVector vector = vector(directory, options, i == 3);
      NamedStore store = NamedStore.of(vector, options.withSeed(i));
      vectors.add(vector);
      all.add(store);
      if (i < 3) {
        writers.add(store);
      }
    }
  }

  /** Opens a vector. */
  public static NamedVector vector(Path directory, StoreOptions options, boolean readOnly) {
    return vector(directory, options, readOnly, TestDomain.PATIENCE);
  }

  /** Opens a vector; others are waited for so long. */
  static NamedVector vector(
      Path directory, StoreOptions options, boolean readOnly, Duration patience) {
    int profileClass = options.reuse() ? VectorTraits.INDICES : VectorTraits.INDICES_ONCE;
    int duplicates = VectorTraits.number(options.duplicates());
    boolean wide = options.wide();
    VectorTraits traits =
        new VectorTraits(profileClass, 2, duplicates, wide ? 3 : 2, 0, wide ? 0 : 8, 0, 0, 0);
    return NamedVector.open(
        ShareDirectory.at(directory.resolve("own")),
        "domain",
        "vector",
        traits.withBase().toBytes(),
        readOnly,
        patience,
        file -> NamedStore.found(file, options));
  }

  /** Waits for the lock of all writers for as long as the opening does, and takes it. */
  public static boolean begin(NamedVector vector) {
    return vector.locks().begin(Waiting.deadline(vector.lockTimeout()));
  }

  /** Lets a change fail, as if its writer had died. */
  public static void failChange(NamedVector vector) {
    begin(vector);
    vector.locks().fail();
  }

  @Override
  protected <T> T write(Function<EntryStore, T> change) {
    int which = random.nextInt(writers.size());
    NamedStore store = writers.get(which);
    store.begin();
    try {
      return change.apply(store);
    } finally {
      store.end();
      if (random.nextInt(deathEvery) == 0) {
        failChange(vectors.get(which));
      }
      if (random.nextInt(LOOKED_LONG_EVERY) == 0) {
        lookLong(any(), LOOKUPS, OFTEN);
      }
    }
  }

  /** So many lookups that somebody looks at all runs, and goes by what it saw from then on. */
  static void lookLong(NamedStore store, int lookups, int indices) {
    for (int i = 0; i < lookups; i++) {
      store.ipv4(i % indices);
    }
  }

  @Override
  protected NamedStore any() {
    return all.get(random.nextInt(all.size()));
  }

  /** User ids are those of one process. */
  @Override
  public boolean hasUserId(int index) {
    return all.getLast().hasUserId(index);
  }

  @Override
  public long userId(int index, long absent) {
    return all.getLast().userId(index, absent);
  }

  @Override
  public int setUserId(int index, long id) {
    return all.getLast().setUserId(index, id);
  }

  @Override
  public void copyInto(EntryStore target, StoreOptions options) {
    writers.getFirst().copyInto(target, options);
  }

  @Override
  public void close() {
    all.forEach(NamedStore::close);
  }

  /** Maps the file of a vector again, without what its own store checks and ends. */
  static EntryStore store(NamedVector vector, StoreOptions options) {
    return EntryStore.begun(options, vector.entries());
  }
}
