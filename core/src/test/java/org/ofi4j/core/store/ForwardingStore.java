// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.function.Function;

/** All goes to one store, but for what a test has happen instead. */
public abstract class ForwardingStore extends SeveralStores {
  protected final EntryStore store;

  protected ForwardingStore(EntryStore store) {
    this.store = store;
  }

  @Override
  protected <T> T write(Function<EntryStore, T> change) {
    return change.apply(store);
  }

  /** {@inheritDoc} Each question asks for the store once. */
  @Override
  protected EntryStore any() {
    return store;
  }

  @Override
  public boolean hasUserId(int index) {
    return any().hasUserId(index);
  }

  @Override
  public long userId(int index, long absent) {
    return any().userId(index, absent);
  }

  @Override
  public int setUserId(int index, long id) {
    return any().setUserId(index, id);
  }

  @Override
  public void copyInto(EntryStore target, StoreOptions options) {
    store.copyInto(target, options);
  }

  @Override
  public void close() {
    store.close();
  }
}
