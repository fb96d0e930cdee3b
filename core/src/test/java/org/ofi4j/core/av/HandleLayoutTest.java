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
    assertThat(layout.index(Handles.atReceiveContext(handle, 200, 8))).isEqualTo(index);
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
    long handle = Handles.atReceiveContext(5, 2, 8);
    assertThat(table(8, 0).index(handle)).isEqualTo(5);
    assertThat(table(4, 0).index(handle)).isEqualTo(-1);
    assertThat(table(0, 0).index(handle)).isEqualTo(-1);
    // The highest index of the highest number of bits.
    assertThat(table(31, 0).index(Handles.atReceiveContext(5, Integer.MAX_VALUE, 31))).isEqualTo(5);
  }

  @Test
  @Tag("AV-034")
  void transfersNameReceiveContextsOnlyWhereThereAreAny() {
    HandleLayout unnamed = HandleLayout.of(true, 8, 0, false);
    assertThat(unnamed.transferIndex(Handles.atReceiveContext(5, 2, 8))).isEqualTo(-1);
    assertThat(unnamed.transferIndex(Handles.atReceiveContext(5, 0, 8))).isEqualTo(5);
    assertThat(unnamed.index(Handles.atReceiveContext(5, 2, 8))).isEqualTo(5);
    assertThat(table(8, 0).transferIndex(Handles.atReceiveContext(5, 2, 8))).isEqualTo(5);
  }

  @Test
  @Tag("AV-147")
  void groupsUpToTheDomainsLimit() {
    HandleLayout layout = table(4, 255);
    assertThat(layout.index(Handles.inGroup(5, 255))).isEqualTo(5);
    assertThat(layout.index(Handles.inGroup(5, 256))).isEqualTo(-1);
    assertThat(layout.refusal(Handles.inGroup(5, 256))).contains("largest is 255");
    assertThat(layout.index(Handles.atReceiveContext(Handles.inGroup(5, 7), 3, 4))).isEqualTo(5);
    assertThat(layout.index(Handles.anySourceInGroup(7))).isEqualTo(-1);
    assertThat(table(0, 0).index(Handles.inGroup(5, 1))).isEqualTo(-1);
  }

  @Test
  @DisplayName(
      "What does not fit is named: receive contexts by rx_ctx_bits, groups by max_group_id")
  void bitsThatDoNotFitAreNamed() {
    for (int bits : new int[] {0, 2}) {
      assertThat(table(bits, 0).refusal(Handles.atReceiveContext(5, 4, 8)))
          .contains("the " + bits + " that", "rx_ctx_bits")
          .doesNotContain("max_group_id");
    }
    assertThat(table(0, 0).refusal(Handles.inGroup(5, 3)))
        .contains("max_group_id")
        .doesNotContain("rx_ctx_bits");
    assertThat(table(0, 7).refusal(Handles.atReceiveContext(5, 4, 8)))
        .contains("rx_ctx_bits", "max_group_id");
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

  @Test
  @Tag("AV-144")
  void groupOfATransfer() {
    HandleLayout layout = table(4, 255);
    assertThat(layout.maxGroup()).isEqualTo(255);
    assertThat(layout.group(5)).isZero();
    assertThat(layout.group(Handles.inGroup(5, 1))).isEqualTo(1);
    assertThat(layout.group(Handles.inGroup(5, 255))).isEqualTo(255);
    assertThat(layout.group(Handles.inGroup(5, 256))).isEqualTo(-1);
    assertThat(layout.group(Handles.atReceiveContext(Handles.inGroup(5, 7), 3, 4))).isEqualTo(7);
    assertThat(layout.group(Handles.anySourceInGroup(7))).isEqualTo(7);
    assertThat(layout.group(Handles.UNSPECIFIED)).as("any source").isZero();
    assertThat(layout.group(Handles.atReceiveContext(Handles.UNSPECIFIED, 3, 4)))
        .as("any source, one of its receive contexts")
        .isZero();
  }

  @Test
  @Tag("AV-144")
  void whereThereAreNoGroupsNoHandleCarriesOne() {
    HandleLayout none = HandleLayout.of(true, 0, HandleLayout.NO_GROUPS, true);
    assertThat(none.maxGroup()).isZero();
    assertThat(none.group(Handles.inGroup(5, 1))).isZero();
    assertThat(none.group(5)).isZero();
    assertThat(map(8).group(map(8).handle(LAST))).isZero();
  }

  @Test
  @DisplayName("D-11: any source in a group is recognised, for receives")
  void anySource() {
    HandleLayout layout = table(4, 255);
    assertThat(layout.isAnySource(Handles.UNSPECIFIED)).isTrue();
    assertThat(layout.isAnySource(Handles.anySourceInGroup(0))).isTrue();
    assertThat(layout.isAnySource(Handles.anySourceInGroup(255))).isTrue();
    assertThat(layout.isAnySource(Handles.anySourceInGroup(256))).isFalse();
    assertThat(layout.isAnySource(Handles.atReceiveContext(Handles.anySourceInGroup(7), 3, 4)))
        .isTrue();
    assertThat(layout.isAnySource(5)).isFalse();
    assertThat(layout.isAnySource(0xFFFF_FFFEL)).isFalse();
    assertThat(layout.refusal(Handles.anySourceInGroup(7))).contains("any source in group 7");

    HandleLayout unnamed = HandleLayout.of(true, 4, 255, false);
    assertThat(unnamed.isAnySource(Handles.anySourceInGroup(7))).isTrue();
    assertThat(unnamed.isAnySource(Handles.atReceiveContext(Handles.anySourceInGroup(7), 3, 4)))
        .isFalse();

    HandleLayout none = HandleLayout.of(true, 0, HandleLayout.NO_GROUPS, true);
    assertThat(none.isAnySource(Handles.UNSPECIFIED)).isTrue();
    assertThat(none.isAnySource(0xFFFF_FFFFL)).isFalse();
  }

  @Test
  @Tag("AV-143")
  void receiveContextOfATransfer() {
    assertThat(table(8, 0).receiveContext(Handles.atReceiveContext(5, 200, 8))).isEqualTo(200);
    assertThat(table(8, 0).receiveContext(5)).isZero();
    assertThat(table(8, 0).receiveContext(Handles.NOT_AVAILABLE)).isZero();
    assertThat(table(0, 0).receiveContext(Handles.atReceiveContext(5, 200, 8))).isZero();
    assertThat(map(8).receiveContext(Handles.atReceiveContext(map(8).handle(5), 200, 8)))
        .isEqualTo(200);
  }

  @Test
  @Tag("AV-045")
  @DisplayName("D-12: handles of a named MAP vector begin where map_addr says")
  void opaqueHandlesFromABase() {
    long base = 0x7000_0000_0000L;
    HandleLayout layout = HandleLayout.opaqueFrom(base, 8, true);
    assertThat(layout.base()).isEqualTo(base);
    assertThat(layout.handlesAreIndices()).isFalse();
    assertThat(layout.handle(0)).isEqualTo(base);
    assertThat(layout.handle(3)).isEqualTo(base + 48);
    assertThat(layout.index(base + 48)).isEqualTo(3);
    assertThat(layout.index(base - 16)).isEqualTo(-1);
    HandleLayout other = layout.from(2 * base);
    assertThat(other.base()).isEqualTo(2 * base);
    assertThat(other.index(Handles.atReceiveContext(2 * base + 48, 200, 8))).isEqualTo(3);
    assertThat(table(0, 0).base()).isZero();
    assertThat(table(0, 0).handlesAreIndices()).isTrue();
  }

  @ParameterizedTest(name = "bits={0} base={1}")
  @Tag("AV-045")
  @DisplayName("D-12: a base is a multiple of 16 and leaves room for 2^35 handles")
  @CsvSource({
    "0, 0, true",
    "0, 16, true",
    "0, 8, false",
    "0, 1, false",
    "0, -16, false",
    "0, 0x3FFFFFF800000000, true",
    "0, 0x3FFFFFF800000010, false",
    "8, 0xFFFFF800000000, true",
    "8, 0xFFFFF800000010, false",
    "28, 0x800000000, true",
    "28, 0x800000010, false",
    "29, 0, false",
  })
  void baseOfOpaqueHandles(int bits, String text, boolean legal) {
    long base = Long.decode(text);
    if (legal) {
      HandleLayout layout = HandleLayout.opaqueFrom(base, bits, true);
      assertThat(layout.index(layout.handle(LAST))).isEqualTo(LAST);
    } else {
      assertThatThrownBy(() -> HandleLayout.opaqueFrom(base, bits, true))
          .isInstanceOfSatisfying(
              FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining(
              bits == 29 ? "ask for at most 28" : "receive context bits, at most");
    }
  }

  @Test
  @Tag("AV-033")
  void baseIsRefusedWithBitsOutsideTheirRange() {
    refused(() -> HandleLayout.opaqueFrom(0, 32, true));
    refused(() -> HandleLayout.opaqueFrom(0, -1, false));
  }

  @Test
  @Tag("AV-033")
  void refusalOfGroupsNamesTheLimit() {
    assertThatThrownBy(() -> table(16, 65_535)).hasMessageContaining("below 2^16 - 1");
    assertThatThrownBy(() -> map(30)).hasMessageContaining("ask for at most 29");
  }

  @Test
  @Tag("AV-164")
  void keyHandles() {
    HandleLayout table = table(8, 255);
    HandleLayout map = map(8);
    for (HandleLayout layout : new HandleLayout[] {table, map}) {
      for (int number : new int[] {0, 1, LAST}) {
        long handle = layout.keyHandle(number);
        assertThat(layout.keyNumber(handle)).isEqualTo(number);
        assertThat(layout.index(handle)).isEqualTo(-1);
        assertThat(layout.keyNumber(layout.handle(number))).isEqualTo(-1);
        assertThat(layout.keyNumber(Handles.atReceiveContext(handle, 200, 8))).isEqualTo(number);
      }
      assertThat(layout.keyNumber(Handles.NOT_AVAILABLE)).isEqualTo(-1);
      assertThat(layout.refusal(layout.keyHandle(0)))
          .contains("names no entry: calls about keys say FI_AUTH_KEY");
      assertThat(layout.keyRefusal(layout.keyHandle(0))).contains("names no authorization key: it");
      assertThat(layout.keyRefusal(layout.handle(0))).contains("is no handle of an authorization");
      assertThat(layout.refusal(layout.handle(0))).contains("names no entry: it was never");
      assertThat(layout.refusal(Handles.NOT_AVAILABLE)).contains("FI_ADDR_NOTAVAIL");
    }
    assertThat(map.keyNumber(map.keyHandle(0) - 16)).isEqualTo(-1);
    assertThat(map.keyNumber(map.keyHandle(LAST) + 16)).isEqualTo(-1);
    assertThat(map.keyNumber(map.handle(0) + (1L << 35) + 1)).isEqualTo(-1);
    assertThat(map.refusal(2)).contains("is no handle of an address in this vector");
    long grouped = Handles.inGroup(5, 255) | Handles.AUTH_KEY_BIT;
    assertThat(table.keyNumber(grouped)).isEqualTo(5);
    assertThat(table.keyNumber(Handles.inGroup(5, 256) | Handles.AUTH_KEY_BIT)).isEqualTo(-1);
    assertThat(table.refusal(0x7FFF_FFFFL)).contains("is no handle of an address in this vector");
  }

  @Test
  void unrecordedRemovalNamesTheHandle() {
    assertThat(HandleLayout.unrecorded(0x2A, "a full disk"))
        .startsWith("handle 0x2a stays")
        .endsWith("a full disk");
  }

  private static void refused(Runnable open) {
    assertThatThrownBy(open::run)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining("receiveContextBits");
  }
}
