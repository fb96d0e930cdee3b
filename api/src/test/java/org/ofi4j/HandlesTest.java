// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandlesTest {
  private static final long NA = Handles.NOT_AVAILABLE;

  @ParameterizedTest
  @DisplayName("AV-141: the receive context goes to the top bits")
  @CsvSource({
    "5, 3, 8, 0300000000000005",
    "5, 1, 1, 8000000000000005",
    "5, 0, 0, 0000000000000005",
    "5, 0, 8, 0000000000000005",
    "5, 255, 8, ff00000000000005",
    "0, 2147483647, 31, fffffffe00000000",
  })
  void receiveContext(long handle, int index, int bits, String expected) {
    assertThat(Handles.atReceiveContext(handle, index, bits))
        .isEqualTo(Long.parseUnsignedLong(expected, 16));
  }

  @Test
  @DisplayName("AV-144: on NOTAVAIL the receive index is kept")
  void receiveContextOfNothing() {
    assertThat(Handles.atReceiveContext(NA, 3, 8)).isEqualTo(0x03FF_FFFF_FFFF_FFFFL);
    assertThat(Handles.atReceiveContext(NA, 0, 8)).isEqualTo(0x00FF_FFFF_FFFF_FFFFL);
    assertThat(Handles.atReceiveContext(NA, 0, 0)).isEqualTo(NA);
  }

  @ParameterizedTest
  @DisplayName("AV-145: index or bits out of range give NOTAVAIL")
  @CsvSource({"256, 8", "1, 0", "-1, 8", "0, -1", "0, 32", "-2147483648, 31", "0, 2147483647"})
  void receiveContextOutOfRange(int index, int bits) {
    assertThat(Handles.atReceiveContext(5, index, bits)).isEqualTo(NA);
  }

  @Test
  @DisplayName("AV-146: the group is added with a bitwise or")
  void group() {
    assertThat(Handles.inGroup(5, 7)).isEqualTo(0x0000_0007_0000_0005L);
    assertThat(Handles.inGroup(5, 0)).isEqualTo(5);
    assertThat(Handles.inGroup(Handles.inGroup(5, 7), 8)).isEqualTo(0x0000_0008_0000_0005L);
    assertThat(Handles.inGroup(Handles.inGroup(5, 7), 7)).isEqualTo(0x0000_0007_0000_0005L);
    assertThat(Handles.inGroup(Handles.inGroup(5, 6), 0)).isEqualTo(5);
    assertThat(Handles.inGroup(NA, 7)).isEqualTo(NA);
    assertThat(Handles.inGroup(5, -1)).isEqualTo(0xFFFF_FFFF_0000_0005L);
  }

  @Test
  void anySourceOfAGroup() {
    assertThat(Handles.anySourceInGroup(7)).isEqualTo(0x0000_0007_FFFF_FFFFL);
    assertThat(Handles.anySourceInGroup(0)).isEqualTo(0xFFFF_FFFFL).isNotEqualTo(NA);
  }

  @Test
  void constants() {
    assertThat(Handles.UNSPECIFIED).isEqualTo(-1L).isEqualTo(Handles.KEY_NOT_AVAILABLE);
    assertThat(Handles.AUTH_KEY_BIT).isEqualTo(0x8000_0000L);
    assertThat((long) Handles.MAX_ENTRIES).isLessThan(Handles.AUTH_KEY_BIT);
  }
}
