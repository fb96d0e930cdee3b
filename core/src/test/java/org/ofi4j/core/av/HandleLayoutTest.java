// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;

class HandleLayoutTest {
  private static final int LAST = Handles.MAX_ENTRIES - 1;

  private static HandleLayout table(int bits, int maxGroup) {
    return HandleLayout.of(true, bits, maxGroup, true);
  }

  private static HandleLayout map(int bits) {
    return HandleLayout.of(false, bits, 0, true);
  }

  @ParameterizedTest
  @Tag("AV-025")
  @Tag("AV-085")
  @ValueSource(ints = {0, 1, 65_536, LAST})
  void tableHandleIsTheIndex(int index) {
    assertThat(table(0, 0).handle(index)).isEqualTo(index);
    assertThat(table(0, 0).index(index)).isEqualTo(index);
  }

  @ParameterizedTest
  @Tag("AV-021")
  @Tag("AV-024")
  @ValueSource(ints = {0, 1, 65_536, LAST})
  void mapHandleLeadsBackToTheIndex(int index) {
    HandleLayout layout = map(8);
    long handle = layout.handle(index);
    assertThat(layout.index(handle)).isEqualTo(index);
    assertThat(handle & 0xFF00_0000_0000_0000L).as("AV-032").isZero();
    assertThat(layout.index(handle + 1)).as("low bits are a key's").isEqualTo(-1);
    assertThat(layout.index(handle + 8)).isEqualTo(-1);
    assertThat(layout.index(Handles.rxAddress(handle, 200, 8))).isEqualTo(index);
  }

  @Test
  void mapHandlesOutsideTheSpanNameNothing() {
    HandleLayout layout = map(0);
    assertThat(layout.index(0)).isEqualTo(-1);
    assertThat(layout.index(5)).isEqualTo(-1);
    assertThat(layout.index(layout.handle(0) - 16)).isEqualTo(-1);
    assertThat(layout.index(layout.handle(LAST) + 16)).isEqualTo(-1);
    assertThat(layout.index(Long.MIN_VALUE)).isEqualTo(-1);
  }

  @ParameterizedTest
  @Tag("AV-223")
  @ValueSource(longs = {-1, 0x8000_0000L, 0xFFFF_FFFFL, 0x7FFF_FFFEL, 0x7FFF_FFFFL, 1L << 32, -2})
  void noEntryCanHaveTheseHandles(long handle) {
    assertThat(table(0, 0).index(handle)).isEqualTo(-1);
    assertThat(table(0, 0).refusal(handle)).contains(Long.toHexString(handle));
  }

  @Test
  @Tag("AV-143")
  void receiveContextIsMaskedWithTheVectorsBitsOnly() {
    long handle = Handles.rxAddress(5, 2, 8);
    assertThat(table(8, 0).index(handle)).isEqualTo(5);
    assertThat(table(4, 0).index(handle)).isEqualTo(-1);
    assertThat(table(0, 0).index(handle)).isEqualTo(-1);
    // The highest index of the highest number of bits.
    assertThat(table(31, 0).index(Handles.rxAddress(5, Integer.MAX_VALUE, 31))).isEqualTo(5);
  }

  @Test
  @Tag("AV-034")
  void transfersNameReceiveContextsOnlyWhereThereAreAny() {
    HandleLayout unnamed = HandleLayout.of(true, 8, 0, false);
    assertThat(unnamed.transferIndex(Handles.rxAddress(5, 2, 8))).isEqualTo(-1);
    assertThat(unnamed.transferIndex(Handles.rxAddress(5, 0, 8))).isEqualTo(5);
    assertThat(unnamed.index(Handles.rxAddress(5, 2, 8))).isEqualTo(5);
    assertThat(table(8, 0).transferIndex(Handles.rxAddress(5, 2, 8))).isEqualTo(5);
  }

  @Test
  @Tag("AV-147")
  void groupsUpToTheDomainsLimit() {
    HandleLayout layout = table(4, 255);
    assertThat(layout.index(Handles.groupAddress(5, 255))).isEqualTo(5);
    assertThat(layout.index(Handles.groupAddress(5, 256))).isEqualTo(-1);
    assertThat(layout.refusal(Handles.groupAddress(5, 256))).contains("peer group up to 255");
    assertThat(layout.index(Handles.rxAddress(Handles.groupAddress(5, 7), 3, 4))).isEqualTo(5);
    assertThat(layout.index(Handles.anySourceInGroup(7))).isEqualTo(-1);
    assertThat(table(0, 0).index(Handles.groupAddress(5, 1))).isEqualTo(-1);
  }

  @ParameterizedTest(name = "n={0} maxGroup={1} ok={2}")
  @DisplayName("D-11: max_group_id below 2^(32-n) - 1")
  @CsvSource({
    "0, 2147483647, true",
    "1, 2147483646, true",
    "1, 2147483647, false",
    "16, 65534, true",
    "16, 65535, false",
    "31, 0, true",
    "31, 1, false",
    "30, 2, true",
    "30, 3, false",
  })
  void groupsAndReceiveContextsMustNotOverlap(int bits, int maxGroup, boolean legal) {
    if (legal) {
      assertThat(table(bits, maxGroup).index(7)).isEqualTo(7);
    } else {
      refused(() -> table(bits, maxGroup));
    }
  }

  @ParameterizedTest
  @Tag("AV-033")
  @ValueSource(ints = {-1, 32, 33, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void bitsOutsideTheirRange(int bits) {
    refused(() -> table(bits, 0));
    refused(() -> map(bits));
  }

  @Test
  @DisplayName("D-12: base + 2^35 <= 2^(64-n)")
  void mapHandlesNeed35Bits() {
    for (int bits = 0; bits <= 29; bits++) {
      HandleLayout layout = map(bits);
      assertThat(layout.handle(LAST) >>> Long.SIZE - Math.max(bits, 1) & (1L << bits) - 1)
          .as("bits " + bits)
          .isZero();
      assertThat(layout.index(layout.handle(LAST))).isEqualTo(LAST);
    }
    refused(() -> map(30));
    refused(() -> map(31));
  }

  private static void refused(Runnable open) {
    assertThatThrownBy(open::run)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining("rxContextBits");
  }
}
