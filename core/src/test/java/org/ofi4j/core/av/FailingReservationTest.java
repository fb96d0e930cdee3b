// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.openOn;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.ForwardingStore;
import org.ofi4j.core.testing.TestInfo;

/** A store that fails while indices are reserved, as when its file was cut. */
@Tag("AV-091")
@Tag("AV-172")
class FailingReservationTest {
  private static final int COUNT = 5;
  private static final int FAILING = 3;

  private final Failing store = new Failing();
  private final CoreAddressVector vector = openOn(TestInfo.defaults().keysInVector(2), store);

  /** A store of which one reservation fails. */
  private static final class Failing extends ForwardingStore {
    private int reservations;

    Failing() {
      super(EntryStore.open(0, true, DuplicatePolicy.SHARE));
    }

    @Override
    public int reserve() {
      if (++reservations == FAILING) {
        throw new FabricException(Errno.EIO, "the file was cut");
      }
      return store.reserve();
    }
  }

  @Test
  void itKeepsNeitherKeysNorIndices() {
    VectorKeys keys = vector.keys();
    EntryWriter writer = new EntryWriter(store, keys);
    long key = keys.insert(new byte[AddressVector.AUTH_KEY_SIZE]);
    long[] input = new long[COUNT];
    Arrays.fill(input, key);
    long flags = InsertFlag.AUTH_KEY.mask();
    vector.begin();
    try {
      MemorySegment memory = MemorySegment.ofArray(input);
      fails(Errno.EIO, "cut", () -> writer.reserve(new int[COUNT], memory, flags));
    } finally {
      vector.end();
    }
    assertThatCode(() -> keys.remove(longs(key), 1))
        .as("the key is not in use")
        .doesNotThrowAnyException();
    AddressKey address = new AddressKey();
    AddressCodec.of(AddressFormat.SOCKADDR_IN).read(a(1), address);
    assertThat(store.insert(address)).as("the lowest index is unused").isZero();
  }
}
