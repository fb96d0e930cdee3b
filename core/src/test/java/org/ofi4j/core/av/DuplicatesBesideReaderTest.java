// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.testing.Rounds;
import org.ofi4j.core.testing.TestInfo;

/** Searches beside a writer that removes and adds entries of the address that is searched for. */
class DuplicatesBesideReaderTest {
  /** How long each goes on; {@code -Dofi4j.readers} gives other milliseconds. */
  private static final long NANOSECONDS =
      TimeUnit.MILLISECONDS.toNanos(Rounds.of("ofi4j.readers", 200, 500));

  private static AddressKey key(boolean ipv6) {
    AddressKey key = new AddressKey();
    if (ipv6) {
      key.setIpv6(0x2001_0db8L << 32, 1, 5000, 0, 0);
    } else {
      key.setIpv4(0x0A01_0101L << 16 | 5000);
    }
    return key;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("AV-178")
  @DisplayName("D-15: an address of several entries is found as long as one of them lives")
  void addressIsFoundWhileTheLowestEntryGoes(boolean ipv6) throws InterruptedException {
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.NEW_INDEX)) {
      AddressKey key = key(ipv6);
      for (int i = 0; i < 3; i++) {
        assertThat(store.insert(key)).isEqualTo(i);
      }
      long end = System.nanoTime() + NANOSECONDS;
      AtomicLong missed = new AtomicLong();
      AtomicLong found = new AtomicLong();
      Thread reader =
          Thread.ofPlatform()
              .start(() -> {
                AddressKey own = key(ipv6);
                while (System.nanoTime() - end < 0) {
                  for (int i = 0; i < 1000; i++) {
                    (store.find(own) < 0 ? missed : found).incrementAndGet();
                  }
                }
              });
      long removals = 0;
      while (System.nanoTime() - end < 0) {
        int lowest = store.find(key);
        assertThat(store.remove(lowest)).isZero();
        assertThat(store.insert(key)).isEqualTo(lowest);
        removals++;
      }
      reader.join();
      assertThat(removals).isPositive();
      assertThat(missed)
          .as("misses beside %d removals; found %s times", removals, found)
          .hasValue(0);
    }
  }

  @Test
  @Tag("AV-178")
  @DisplayName("so is one of a run, whose entry goes and comes back as one beside it")
  void addressOfARunIsFoundWhileItsEntryGoes() throws InterruptedException {
    long end = System.nanoTime() + 2 * NANOSECONDS;
    AtomicLong missed = new AtomicLong();
    long vectors = 0;
    // Which entries come and go is settled anew with each vector.
    while (System.nanoTime() - end < 0) {
      try (AddressVector vector =
          VectorFixture.open(
              TestInfo.defaults(),
              VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX))) {
        vector.insertSymmetric("10.0.0.0", 1000, "5000", 3);
        FabricAddress address = FabricAddress.parse("fi_sockaddr_in://10.0.0.5:5001");
        vector.insert(List.of(address, address, address));
        AtomicBoolean done = new AtomicBoolean();
        Thread reader =
            Thread.ofPlatform()
                .start(() -> {
                  while (!done.get()) {
                    missed.addAndGet(vector.find(address) == Handles.NOT_AVAILABLE ? 1 : 0);
                  }
                });
        for (int i = 0; i < 20_000; i++) {
          vector.remove(vector.find(address));
          vector.insert(address);
        }
        done.set(true);
        reader.join();
        vectors++;
      }
    }
    assertThat(vectors).isPositive();
    assertThat(missed).hasValue(0);
  }
}
