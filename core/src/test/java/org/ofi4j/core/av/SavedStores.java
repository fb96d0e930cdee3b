package org.ofi4j.core.av;

import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.SavedFile;
import org.ofi4j.core.share.VectorTraits;

/**
 * A store that is saved now and then, and goes on as the copy of what was saved. Until the next
 * change the file itself answers some of the questions.
 */
final class SavedStores implements EntryStore {
  static final VectorTraits TRAITS = new VectorTraits(3, 2, 1, 2, 0, 0, 0, 0, 0);

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
  SavedStores(Path directory, StoreOptions options, int saveEvery) {
    this.path = directory.resolve("saved");
    this.options = options;
    this.saveEvery = saveEvery;
    this.random = new SplittableRandom(options.seed());
    this.store = EntryStore.open(options, MemorySource.system());
  }

  private <T> T write(Function<EntryStore, T> change) {
    if (mapped != null) {
      mapped.close();
      mapped = null;
    }
    T outcome = change.apply(store);
    if (random.nextInt(saveEvery) == 0) {
      saveAndGoOn();
    }
    return outcome;
  }

  private void saveAndGoOn() {
    RecordedMemory memory = new RecordedMemory();
    try (SegmentEntryStore copy = new SegmentEntryStore(options, memory)) {
      // With its reservations, which the model has too.
      new StoreCopy((SegmentEntryStore) store, copy, options, owner -> false).copy();
      SavedFile.write(path, TRAITS, copy.size(), memory.pieces());
    }
    SavedFile file = SavedFile.open(path);
    EntryStore next = SavedStore.copy(file, options, MemorySource.system());
    mapped = new SavedStore(file, options);
    store.close();
    store = next;
  }

  /** The store that is changed. */
  EntryStore changed() {
    return store;
  }

  private EntryStore one() {
    return mapped != null && random.nextBoolean() ? mapped : store;
  }

  private int ask(ToIntFunction<EntryStore> question) {
    return question.applyAsInt(one());
  }

  @Override
  public int insert(AddressKey key) {
    return write(store -> store.insert(key));
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return write(store -> store.insertIpv4(addresses, count, outcomes));
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    write(store -> {
      store.insertRange(range, outcome);
      return 0;
    });
  }

  @Override
  public int reserve() {
    return write(EntryStore::reserve);
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return write(store -> store.publish(reserved, key));
  }

  @Override
  public void cancel(int reserved) {
    write(store -> {
      store.cancel(reserved);
      return 0;
    });
  }

  @Override
  public int remove(int index) {
    return write(store -> store.remove(index));
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    write(store -> {
      store.remove(indices, count, outcomes);
      return 0;
    });
  }

  @Override
  public int find(AddressKey key) {
    return ask(store -> store.find(key));
  }

  @Override
  public int findIpv4(long addressAndPort) {
    return ask(store -> store.findIpv4(addressAndPort));
  }

  @Override
  public ShortSearches ipv4Searches() {
    return one().ipv4Searches();
  }

  @Override
  public int findIpv4Anyhow(long addressAndPort) {
    return findIpv4(addressAndPort);
  }

  @Override
  public boolean holds(int index, AddressKey key) {
    return one().holds(index, key);
  }

  @Override
  public boolean load(int index, AddressKey into) {
    return one().load(index, into);
  }

  @Override
  public long ipv4(int index) {
    return one().ipv4(index);
  }

  @Override
  public PackedLookups packedLookups() {
    return one().packedLookups();
  }

  @Override
  public boolean isLive(int index) {
    return one().isLive(index);
  }

  @Override
  public int generation(int index) {
    return one().generation(index);
  }

  @Override
  public int count(int index) {
    return one().count(index);
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
  public boolean isFirewalled(int index) {
    return one().isFirewalled(index);
  }

  @Override
  public int markFirewall(int index) {
    return write(store -> store.markFirewall(index));
  }

  @Override
  public long size() {
    return one().size();
  }

  @Override
  public long highWaterMark() {
    return one().highWaterMark();
  }

  @Override
  public long capacity() {
    return one().capacity();
  }

  @Override
  public MemoryUse memory() {
    return one().memory();
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
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
