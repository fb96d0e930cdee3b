// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryUseTest {
  @Test
  void isSharedAmongTheEntries() {
    MemoryUse use = MemoryUse.builder().live(140).held(260).side(20).build();
    assertThat(use.livePerPeer(10)).isEqualTo(14);
    assertThat(use.heldPerPeer(10)).isEqualTo(26);
    assertThat(use.livePerPeer(0)).isZero();
    assertThat(use.heldPerPeer(0)).isZero();
  }
}
