// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.object.SystemRandom;

class SystemRandomTest {
  @Test
  void everyBitIsAnyAndNoNumberComesTwice() {
    Set<Long> seen = new HashSet<>();
    long set = 0;
    long clear = 0;
    for (int i = 0; i < 200; i++) {
      long number = SystemRandom.nextLong();
      assertThat(seen.add(number)).isTrue();
      set |= number;
      clear |= ~number;
    }
    assertThat(set).isEqualTo(-1);
    assertThat(clear).isEqualTo(-1);
  }

  @Test
  void asManyBytesAsAskedFor() {
    assertThat(SystemRandom.bytes(0)).isEmpty();
    assertThat(SystemRandom.bytes(32)).hasSize(32).isNotEqualTo(SystemRandom.bytes(32));
  }
}
