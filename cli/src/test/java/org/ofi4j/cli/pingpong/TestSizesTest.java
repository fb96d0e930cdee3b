// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TestSizesTest {
  @Test
  void sizesOfAnEndpointWithDatagramsOf1472Bytes() {
    assertThat(TestSizes.defaults(1472)).containsExactly(64, 256, 1024);
    assertThat(TestSizes.all(1472))
        .containsExactly(
            0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024);
  }

  @Test
  void sizesWithoutLimit() {
    assertThat(TestSizes.defaults(Long.MAX_VALUE))
        .containsExactly(64, 256, 1024, 4096, 65_536, 1_048_576);
    assertThat(TestSizes.all(TestSizes.LONGEST)).endsWith(4_194_304, TestSizes.LONGEST);
  }
}
