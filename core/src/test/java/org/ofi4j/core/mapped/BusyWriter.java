// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.store.StoreOptions;

/** A process that changes a vector all the time until its input ends, and takes long for each. */
final class BusyWriter {
  static final StoreOptions OPTIONS = Change.INSERT_IPV4.options();

  /** How long it has the lock each time, in ns; then it is free for a ten thousandth of that. */
  private static final long LONG = 500_000_000;

  private static final int FAST = 100_000;

  private BusyWriter() {}

  public static void main(String[] args) throws Exception {
    AtomicBoolean ends = new AtomicBoolean();
    Path directory = Path.of(args[0]);
    try (NamedStore store = NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS)) {
      CountDownLatch fast = new CountDownLatch(1);
      Thread.ofPlatform().daemon().start(() -> write(store, fast, ends));
      fast.await();
      System.out.println("ready");
      System.out.flush();
      while (System.in.read() >= 0) {}
      ends.set(true);
    }
  }

  /** Changes it all the time: some thousand times, until that is fast, then at length. */
  private static void write(NamedStore store, CountDownLatch fast, AtomicBoolean ends) {
    AddressKey key = new AddressKey();
    key.setIpv4(0x0A00_0001L << 16 | 7);
    for (int i = 0; !ends.get(); i++) {
      long until = System.nanoTime() + (i < FAST ? 0 : LONG);
      store.begin();
      try {
        store.insert(key);
        while (System.nanoTime() - until < 0 && !ends.get()) {
          Thread.onSpinWait();
        }
      } finally {
        store.end();
      }
      if (i == FAST) {
        fast.countDown();
      }
    }
  }
}
