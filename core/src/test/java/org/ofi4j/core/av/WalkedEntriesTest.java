// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.table;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** All entries of a vector, one after the other. */
class WalkedEntriesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private static Map<Long, FabricAddress> walked(CoreAddressVector vector) {
    Map<Long, FabricAddress> entries = new LinkedHashMap<>();
    vector.forEach(
        (handle, address) -> entries.put(handle, FabricAddress.of(vector.format(), address)));
    return entries;
  }

  @Test
  void everyEntryIsSeenOnceInTheOrderOfItsIndex() {
    Random random = new Random(SEED);
    try (CoreAddressVector vector = table()) {
      Map<Long, FabricAddress> model = new TreeMap<>();
      for (long handle : vector.insertSymmetric("10.9.0.1", 20, "6000", 30).handles()) {
        model.put(handle, vector.lookup(handle));
      }
      for (int step = 0; step < 600; step++) {
        if (random.nextInt(3) > 0) {
          FabricAddress address = a(random.nextInt(100_000));
          model.put(vector.insert(address), address);
        } else {
          List<Long> handles = new ArrayList<>(model.keySet());
          long handle = handles.get(random.nextInt(handles.size()));
          vector.remove(handle);
          if (vector.find(model.get(handle)) != handle) {
            model.remove(handle);
          }
        }
      }
      assertThat(vector.handles().boxed())
          .as("seed %d", SEED)
          .containsExactlyElementsOf(model.keySet());
      assertThat(walked(vector)).as("seed %d", SEED).containsExactlyEntriesOf(model);
    }
  }

  @Test
  void addressesOfEveryFormatAreShown() {
    try (CoreAddressVector vector =
        open(TestInfo.defaults().format(AddressFormat.SOCKADDR), VectorOptions.table())) {
      assertThat(walked(vector)).isEmpty();
      vector.insert(a(1));
      vector.insert(v6(2));
      assertThat(walked(vector).values()).containsExactly(a(1), v6(2));
    }
  }

  @Test
  void theVisitorMayCallTheVector() {
    try (CoreAddressVector vector = table()) {
      vector.insert(List.of(a(1), a(2), a(3), a(4)), InsertOptions.none()).orThrow();
      List<Long> seen = new ArrayList<>();
      vector.forEach((handle, address) -> {
        assertThat(vector.find(v6(1))).isEqualTo(VectorFixture.NA);
        byte[] bytes = address.toArray(ValueLayout.JAVA_BYTE);
        assertThat(bytes).isEqualTo(vector.lookup(handle).toBytes());
        seen.add(handle);
        // What goes before it was reached is not shown.
        if (handle == 1) {
          vector.remove(2);
        }
      });
      assertThat(seen).containsExactly(0L, 1L, 3L);
    }
  }

  @Test
  void whatTheVisitorThrowsEndsTheCall() {
    try (CoreAddressVector vector = table()) {
      vector.insert(a(1));
      RuntimeException own = new IllegalStateException("enough");
      assertThatThrownBy(() ->
              vector.forEach((_, _) -> {
                throw own;
              }))
          .isSameAs(own);
      fails(Errno.EINVAL, () -> vector.forEach(null));
    }
  }

  @Test
  void aClosedVectorIsRefused() {
    CoreAddressVector vector = table();
    vector.insert(List.of(a(1), a(2)), InsertOptions.none()).orThrow();
    PrimitiveIterator.OfLong handles = vector.handles().iterator();
    assertThat(handles.nextLong()).isZero();
    vector.close();
    fails(Errno.EINVAL, handles::nextLong);
    fails(Errno.EINVAL, vector::handles);
    fails(Errno.EINVAL, () -> vector.forEach((_, _) -> {}));
  }
}
