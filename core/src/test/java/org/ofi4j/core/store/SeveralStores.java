// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;

/** Several stores that are to be taken for one: each change goes to one, each question to any. */
public abstract class SeveralStores extends EntryStore {
  /** Without entries of its own, nor memory. */
  protected SeveralStores() {
    super(StoreOptions.of(0, true, DuplicatePolicy.SHARE), MemorySource.system());
    super.close();
  }

  /** Changes what is changed. */
  protected abstract <T> T write(Function<EntryStore, T> change);

  /** One that may be asked. */
  protected abstract EntryStore any();

  private int ask(ToIntFunction<EntryStore> question) {
    return question.applyAsInt(any());
  }

  @Override
  public int insert(AddressKey key) {
    return write(store -> store.insert(key));
  }

  @Override
  public int insert(AddressKey[] keys, int count, int[] outcomes) {
    return write(store -> store.insert(keys, count, outcomes));
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
  public int replace(int index, AddressKey key) {
    return write(store -> store.replace(index, key));
  }

  @Override
  public KeyNumbers keyNumbers(int most) {
    return any().keyNumbers(most);
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
  public FastReads fastReads() {
    return any().fastReads();
  }

  @Override
  public boolean holds(int index, AddressKey key) {
    return any().holds(index, key);
  }

  @Override
  public boolean load(int index, AddressKey into) {
    return any().load(index, into);
  }

  @Override
  public long ipv4(int index) {
    return any().ipv4(index);
  }

  @Override
  public boolean isLive(int index) {
    return any().isLive(index);
  }

  @Override
  public int liveFrom(int first, int last, int stride) {
    return any().liveFrom(first, last, stride);
  }

  @Override
  public long generation(int index) {
    return any().generation(index);
  }

  @Override
  public int count(int index) {
    return any().count(index);
  }

  @Override
  public boolean isFirewalled(int index) {
    return any().isFirewalled(index);
  }

  @Override
  public int markFirewall(int index) {
    return write(store -> store.markFirewall(index));
  }

  @Override
  public long size() {
    return any().size();
  }

  @Override
  public long highWaterMark() {
    return any().highWaterMark();
  }

  @Override
  public long capacity() {
    return any().capacity();
  }

  @Override
  public MemoryUse memory() {
    return any().memory();
  }
}
