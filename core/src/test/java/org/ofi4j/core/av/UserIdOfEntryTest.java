// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;

/** Reading the user id of an entry. */
class UserIdOfEntryTest {
  private static void unset(AddressVector vector, long handle) {
    assertThatThrownBy(() -> vector.userId(handle))
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
  }

  @Test
  @DisplayName("Any number is an id; an entry without one, and an index without an entry, say so")
  void anyNumber() {
    try (TestDomain domain =
            TestDomain.of(TestInfo.defaults().capabilities(Capability.AV_USER_ID));
        AddressVector vector =
            domain.openAddressVector(VectorOptions.table().withFlags(VectorFlag.USER_ID))) {
      long handle = vector.insert(FabricAddress.parse("10.1.1.7:5000"));
      long other = vector.insert(FabricAddress.parse("10.1.1.8:5000"));
      assertThat(vector.userId(handle)).isEmpty();
      for (long id : new long[] {0, 1, -1, Long.MIN_VALUE, handle}) {
        vector.setUserId(handle, new UserId(id));
        assertThat(vector.userId(handle)).hasValue(id);
        assertThat(vector.userId(other)).isEmpty();
      }
      vector.remove(handle);
      unset(vector, handle);
      unset(vector, 77);
      unset(vector, -1);
      long again = vector.insert(FabricAddress.parse("10.1.1.9:5000"));
      assertThat(again).isEqualTo(handle);
      assertThat(vector.userId(again)).isEmpty();
    }
  }
}
