// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;

/**
 * A process that uses a vector whose file is cut meanwhile, and says what comes of it. In a process
 * of its own, as a fault of memory might end it.
 */
final class CutFileUser {
  static final StoreOptions OPTIONS = StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(3);
  private static final int ENTRIES = 20_000;

  private CutFileUser() {}

  public static void main(String[] args) throws IOException {
    NamedVector vector = NamedStores.vector(Path.of(args[0]), OPTIONS, false);
    try (NamedStore store = NamedStore.of(vector, OPTIONS)) {
      store.begin();
      for (int i = 0; i < ENTRIES; i++) {
        store.insert(key(i));
      }
      store.end();
      if (args[1].equals("control")) {
        // Compiled code reports faults in another way.
        for (int i = 0; i < ENTRIES; i++) {
          store.begin();
          store.end();
        }
      }
      boolean middle = args[1].equals("middle");
      if (middle) {
        store.begin();
      }
      System.out.println("ready");
      System.out.flush();
      if (System.in.read() < 0) {
        return;
      }
      switch (args[1]) {
        case "read", "control" -> untilRefused(i -> store.find(key(i)));
        case "write" -> untilRefused(i -> store.begin());
        default -> {
          untilRefused(i -> store.insert(key(ENTRIES + i)));
          untilRefused(i -> store.insert(key(ENTRIES + i)));
          store.end();
        }
      }
      // Whatever comes next says the same.
      untilRefused(i -> store.size());
      untilRefused(i -> store.find(key(i)));
      untilRefused(i -> store.begin());
    }
    System.out.println("closed");
  }

  private static AddressKey key(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4((0x9E37_79B1L * i & 0xFFFF_FFFFL) << 16 | 1000);
    return key;
  }

  private static void untilRefused(IntConsumer call) {
    for (int i = 0; i < ENTRIES; i++) {
      try {
        call.accept(i);
      } catch (FabricException refused) {
        System.out.println(i + " " + refused.getMessage());
        return;
      }
    }
    System.out.println("never refused");
  }
}
