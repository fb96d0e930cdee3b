// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.StoreOptions;

/** Counts of a named vector, as its writer and as others see them. */
class NamedStoreCountsTest {
  private static final StoreOptions OPTIONS =
      new StoreOptions(0, true, DuplicatePolicy.SHARE, 1000, 7, false);

  @TempDir private Path directory;

  private NamedStore open() {
    return NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
  }

  private static AddressKey address(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4((0x0A00_0000L + i) << Short.SIZE | 80);
    return key;
  }

  @Test
  void othersSeeTheCountsOfTheLastChangeThatEnded() {
    try (NamedStore one = open();
        NamedStore other = open()) {
      one.begin();
      one.insert(address(1));
      one.insert(address(2));
      assertThat(one.size()).isEqualTo(2);
      assertThat(other.size()).isZero();
      one.end();
      assertThat(other.size()).isEqualTo(2);

      other.begin();
      other.remove(0);
      other.end();
      one.begin();
      one.insert(address(3));
      one.insert(address(4));
      one.end();
      assertThat(one.size()).isEqualTo(3);
      assertThat(other.size()).isEqualTo(3);
      assertThat(other.highWaterMark()).isEqualTo(3);
      Soundness.check(directory);
    }
  }

  @Test
  void aChangeThatNeverEndedIsCountedByRepair() {
    try (NamedStore other = open()) {
      NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
      try (NamedStore dying = NamedStore.of(vector, OPTIONS)) {
        dying.begin();
        dying.insert(address(1));
        dying.insert(address(2));
        vector.locks().fail();
      }
      assertThat(other.size()).isZero();
      other.begin();
      other.insert(address(3));
      other.end();
      assertThat(other.size()).isEqualTo(3);
      Soundness.check(directory);
    }
  }

  @Test
  void theMostEntriesSoFarAreKnownAfterARepairByAnotherProcess() {
    try (NamedStore other = open()) {
      NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
      try (NamedStore dying = NamedStore.of(vector, OPTIONS)) {
        dying.begin();
        for (int i = 0; i < 3; i++) {
          dying.insert(address(i));
        }
        dying.end();
        dying.begin();
        for (int i = 0; i < 3; i++) {
          dying.remove(i);
        }
        dying.end();
        dying.begin();
        vector.locks().fail();

        other.begin();
        other.insert(address(4));
        other.end();
        assertThat(other.size()).isOne();
        assertThat(other.highWaterMark()).isEqualTo(3);
      }
    }
  }

  @Test
  void aChangeThatFailedCountsNothingOnceOthersHaveRepairedIt() {
    try (NamedStore one = open();
        NamedStore other = open()) {
      one.begin();
      one.insert(address(1));
      one.insert(address(2));
      assertThatThrownBy(() ->
              one.change((_, _, _) -> {
                throw new IllegalStateException("planted");
              }))
          .isInstanceOf(FabricException.class);
      one.end();
      assertThat(one.size()).isZero();
      other.begin();
      other.insert(address(3));
      other.end();
      assertThat(other.size()).isEqualTo(3);
      assertThat(one.size()).isEqualTo(3);
      assertThat(one.highWaterMark()).isEqualTo(3);
    }
  }
}
