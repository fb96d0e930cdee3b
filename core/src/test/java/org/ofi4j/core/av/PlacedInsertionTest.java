// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** Insertions under a handle that the caller chooses. */
class PlacedInsertionTest {
  @Test
  void insertAtTakesTheHandleAndLeavesLowerOnesFree() {
    try (CoreAddressVector vector = table()) {
      for (int i = 0; i < 6; i++) {
        vector.insert(a(i + 1));
      }
      vector.remove(1);
      vector.remove(4);
      vector.insertAt(4, a(20));
      assertThat(vector.lookup(4)).isEqualTo(a(20));
      assertThat(vector.find(a(20))).isEqualTo(4);
      assertThat(vector.size()).isEqualTo(5);
      fails(Errno.EINVAL, () -> vector.lookup(1));
      assertThat(vector.insert(a(21))).isEqualTo(1);
      assertThat(vector.insert(a(22))).isEqualTo(6);
    }
  }

  @Test
  void insertAtRefusesHandlesAndAddressesInUse() {
    try (CoreAddressVector vector = table()) {
      vector.insert(a(1));
      vector.insert(a(2));
      vector.insert(a(3));
      vector.remove(1);
      fails(Errno.EBUSY, () -> vector.insertAt(2, a(4)));
      fails(Errno.EALREADY, () -> vector.insertAt(1, a(3)));
      fails(Errno.EINVAL, () -> vector.insertAt(NA, a(4)));
      fails(Errno.EINVAL, () -> vector.insertAt(1, null));
      assertThat(vector.size()).isEqualTo(2);
      assertThat(vector.find(a(4))).isEqualTo(NA);
      vector.insertAt(1, a(4));
      assertThat(vector.lookup(1)).isEqualTo(a(4));
    }
  }

  @Test
  void duplicatesGetEntriesOfTheirOwnIfThePolicySaysSo() {
    try (CoreAddressVector vector =
        open(
            TestInfo.defaults(), VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX))) {
      vector.insert(a(1));
      vector.insert(a(2));
      vector.remove(0);
      vector.insertAt(0, a(2));
      assertThat(vector.lookup(0)).isEqualTo(a(2));
      assertThat(vector.size()).isEqualTo(2);
    }
  }

  @Test
  @SuppressWarnings("deprecation") // asynchronous vectors have to be refused
  void asynchronousVectorsRefuseIt() {
    VectorOptions asynchronous = VectorOptions.table().withFlags(VectorFlag.EVENT);
    try (CoreAddressVector vector = open(TestInfo.defaults(), asynchronous)) {
      fails(Errno.ENOSYS, () -> vector.insertAt(0, a(1)));
    }
  }

  @Test
  void insertAtAgreesWithAModel() {
    Random random = new Random(20261128);
    try (CoreAddressVector vector = table()) {
      List<FabricAddress> model = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        vector.insert(a(i + 1));
        model.add(a(i + 1));
      }
      for (int step = 0; step < 5_000; step++) {
        int index = random.nextInt(model.size());
        if (model.get(index) != null) {
          vector.remove(index);
          model.set(index, null);
        } else if (random.nextBoolean()) {
          vector.insertAt(index, a(1_000 + step));
          model.set(index, a(1_000 + step));
        } else {
          int lowest = model.indexOf(null);
          assertThat(vector.insert(a(1_000 + step))).isEqualTo(lowest);
          model.set(lowest, a(1_000 + step));
        }
      }
      for (int i = 0; i < model.size(); i++) {
        if (model.get(i) != null) {
          assertThat(vector.lookup(i)).isEqualTo(model.get(i));
          assertThat(vector.find(model.get(i))).isEqualTo(i);
        }
      }
      assertThat(vector.size()).isEqualTo(model.stream().filter(each -> each != null).count());
    }
  }
}
