// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Ranges;
import org.ofi4j.core.store.StoreOptions;

/**
 * Writers that die in changes which few vectors come to, behind each of the first stores; another
 * writer repairs the vector and goes on. Run by {@link SteppingLoader}.
 *
 * <p>Property: {@code halt.directory}.
 */
public final class RareDeaths implements Runnable {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(11);

  private static final AddressRange ROW = new AddressRange(false, 0, 0x0E00_0000L, 0, 1000, 40, 1);
  private static final int STEPS = 20;

  private final Path base = Path.of(System.getProperty("halt.directory"));

  /** For the loader. */
  public RareDeaths() {}

  @Override
  public void run() {
    // The last entry goes while the table moves to a smaller one.
    dies(store -> insertAndLeaveOne(store, 4000), store -> store.remove(3999), RareDeaths::refill);
    // A bucket is full.
    dies(store -> insertAndLeaveOne(store, 27), store -> store.remove(26), RareDeaths::refill);
    dies(
        store -> {
          Ranges.insert(store, ROW);
          store.insert(row(20));
        },
        store -> store.replace(20, address(7)),
        RareDeaths::shareRow);
  }

  private void dies(
      Consumer<EntryStore> prepare, Consumer<EntryStore> change, Consumer<EntryStore> goOn) {
    boolean died = true;
    for (int step = 1; died && step <= STEPS; step++) {
      try {
        Path directory = Files.createTempDirectory(base, "vector");
        died = diesBehind(step, directory, prepare, change, goOn);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (RuntimeException | AssertionError failed) {
        throw new AssertionError("step " + step + ": " + failed.getMessage(), failed);
      }
    }
  }

  private static boolean diesBehind(
      int step,
      Path directory,
      Consumer<EntryStore> prepare,
      Consumer<EntryStore> change,
      Consumer<EntryStore> goOn) {
    NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
    try (NamedStore other = NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
        NamedStore store = NamedStore.of(vector, OPTIONS)) {
      store.begin();
      prepare.accept(store);
      store.end();
      boolean died = false;
      try {
        store.begin();
        Steps.begin(step);
        change.accept(store);
      } catch (Steps.Death death) {
        died = true;
      } finally {
        Steps.end();
      }
      if (died) {
        HaltedTable.release(vector);
      } else {
        store.end();
      }
      other.begin();
      other.end();
      Soundness.check(directory);
      other.begin();
      goOn.accept(other);
      other.end();
      Soundness.check(directory);
      return died;
    }
  }

  private static void insertAndLeaveOne(EntryStore store, int count) {
    for (int i = 0; i < count; i++) {
      store.insert(address(i));
    }
    for (int i = 0; i < count - 1; i++) {
      store.remove(i);
    }
  }

  private static void refill(EntryStore store) {
    for (int i = 0; i < 200; i++) {
      store.insert(address(i));
    }
  }

  /** Each entry of the row gets one more share, also the one that was about to leave it. */
  private static void shareRow(EntryStore store) {
    boolean left = store.find(row(20)) < 0;
    Ranges.insert(store, ROW);
    assertThat(store.count(20)).isEqualTo(left ? 2 : 3);
    assertThat(store.count(21)).isEqualTo(2);
  }

  private static AddressKey address(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4((0x0A00_0000L + (0x9E37_79B1L * i & 0xFF_FFFF)) << 16 | 1000);
    return key;
  }

  private static AddressKey row(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4((0x0E00_0000L + i) << 16 | 1000);
    return key;
  }
}
