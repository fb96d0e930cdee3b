// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.SlotWord;

/** The words that the engine packs its state into, at their limits. */
class LayoutTest {
  private static final long MOST_LIVES = (1L << SlotWord.GENERATION_BITS) - 1;
  private static final int MOST_OWNERS = NamedVector.MOST_PARTICIPANTS + 1;

  @Test
  void memoryAsItComesIsAnUnusedIndex() {
    assertThat(SlotWord.state(0)).isEqualTo(SlotWord.UNUSED);
    assertThat(SlotWord.generation(0)).isZero();
    assertThat(SlotWord.isLive(0)).isFalse();
    assertThat(SlotWord.hasSide(0)).isFalse();
  }

  @Test
  void slotKeepsAddressGenerationAndSideBitApart() {
    long address = (1L << 48) - 1;
    long word = SlotWord.withGeneration(SlotWord.ipv4(address), MOST_LIVES) | SlotWord.SIDE;
    assertThat(SlotWord.isLive(word)).isTrue();
    assertThat(SlotWord.state(word)).isEqualTo(SlotWord.IPV4);
    assertThat(SlotWord.body(word)).isEqualTo(address);
    assertThat(SlotWord.lowGeneration(word)).isEqualTo((1 << SlotWord.LOW_GENERATION_BITS) - 1);
    assertThat(SlotWord.sameEntry(word, word & ~SlotWord.SIDE)).isTrue();
    assertThat(SlotWord.sameEntry(word, word ^ 1L << 48)).isFalse();
    assertThat(SlotWord.sameEntry(word, word ^ 1L)).isFalse();
  }

  @Test
  void slotNamesTheLastRecordOfTheLastClass() {
    long word = SlotWord.withGeneration(SlotWord.record(15, (1L << 33) - 1), 0);
    assertThat(SlotWord.state(word)).isEqualTo(SlotWord.RECORD);
    assertThat(SlotWord.sizeClass(word)).isEqualTo(15);
    assertThat(SlotWord.place(word)).isEqualTo((1L << 33) - 1);
    assertThat(SlotWord.lowGeneration(word)).isZero();
  }

  @Test
  void slotOfAnAddressIsToldFromEveryOther() {
    long address = 0x7F00_0001L << 16 | 80;
    long word = SlotWord.ipv4(address);
    assertThat(SlotWord.isIpv4(word, address)).isTrue();
    assertThat(SlotWord.isIpv4(SlotWord.withGeneration(word, MOST_LIVES) | SlotWord.SIDE, address))
        .isTrue();
    assertThat(SlotWord.isIpv4(word, address + 1)).isFalse();
    assertThat(SlotWord.isIpv4(address, address)).as("unused").isFalse();
    assertThat(SlotWord.isIpv4(SlotWord.record(0, address), address)).isFalse();
  }

  @Test
  void unusedAndReservedKeepTheWholeGeneration() {
    for (long generation : new long[] {0, 1, 1 << 13, 1L << 32, MOST_LIVES}) {
      assertThat(SlotWord.generation(SlotWord.unused(generation))).isEqualTo(generation);
      assertThat(SlotWord.generation(SlotWord.reserved(generation, 0))).isEqualTo(generation);
      assertThat(SlotWord.state(SlotWord.reserved(generation, 0))).isEqualTo(SlotWord.RESERVED);
      assertThat(SlotWord.isLive(SlotWord.reserved(generation, 0))).isFalse();
      assertThat(SlotWord.owner(SlotWord.reserved(generation, MOST_OWNERS))).isEqualTo(MOST_OWNERS);
      assertThat(SlotWord.hasSide(SlotWord.reserved(generation, MOST_OWNERS))).isFalse();
    }
  }
}
