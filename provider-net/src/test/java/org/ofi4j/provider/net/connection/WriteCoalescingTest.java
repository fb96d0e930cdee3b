// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.net.transfer.Departure;
import org.ofi4j.provider.net.wire.TcpLimits;

/** When a send waits for the next one, and what ends that. */
class WriteCoalescingTest {
  private long now = Long.MAX_VALUE - TcpLimits.ROW_GAP / 2;
  private int turn = Integer.MAX_VALUE;
  private final WriteCoalescing coalescing = new WriteCoalescing(() -> now);

  /** A send is posted some time after the one before; says whether it waits. */
  private boolean sendAfter(long pause) {
    now += pause;
    return coalescing.waits(Departure.IN_A_ROW, 1, 1, turn);
  }

  private void sendsThatDoNotWait(int count) {
    for (int i = 0; i < count; i++) {
      assertThat(sendAfter(TcpLimits.ROW_GAP)).as("send %s of %s", i, count).isFalse();
    }
  }

  @Test
  @DisplayName("After some in a row they wait, but for the first one after progress was made")
  void row() {
    sendsThatDoNotWait(TcpLimits.ROW);
    for (int i = 0; i < 10 * TcpLimits.GATHERED; i++) {
      assertThat(sendAfter(TcpLimits.ROW_GAP)).isTrue();
    }
    for (int i = 0; i < 100; i++) {
      turn++;
      assertThat(sendAfter(1)).isFalse();
      assertThat(sendAfter(1)).isTrue();
      assertThat(sendAfter(1)).isTrue();
    }
  }

  @Test
  @DisplayName("If progress is made after each of them none waits")
  void oneByOne() {
    for (int i = 0; i < 10 * TcpLimits.ROW; i++) {
      turn++;
      sendsThatDoNotWait(1);
    }
  }

  @Test
  @DisplayName("A pause begins another row, before any waits and after that")
  void pause() {
    for (int i = 0; i < 10; i++) {
      sendsThatDoNotWait(TcpLimits.ROW - 1);
      assertThat(sendAfter(TcpLimits.ROW_GAP + 1)).isFalse();
      sendsThatDoNotWait(TcpLimits.ROW - 1);
      assertThat(sendAfter(1)).isTrue();
      assertThat(sendAfter(TcpLimits.ROW_GAP + 1)).isFalse();
      coalescing.end();
    }
  }

  @Test
  @DisplayName("Seldom sends never wait")
  void seldom() {
    for (int i = 0; i < 10 * TcpLimits.ROW; i++) {
      assertThat(sendAfter(TcpLimits.ROW_GAP + 1)).isFalse();
    }
  }

  @Test
  @DisplayName("What comes from the peer ends it, and what was counted before")
  void end() {
    sendsThatDoNotWait(TcpLimits.ROW);
    assertThat(sendAfter(1)).isTrue();
    coalescing.end();
    sendsThatDoNotWait(TcpLimits.ROW - 1);
    coalescing.end();
    sendsThatDoNotWait(TcpLimits.ROW);
    assertThat(sendAfter(1)).isTrue();
  }

  @Test
  @DisplayName("Where few come together it is tried less and less often, until many do")
  void few() {
    int row = TcpLimits.ROW;
    for (int i = 0; i < 20; i++) {
      sendsThatDoNotWait(row);
      assertThat(sendAfter(1)).isTrue();
      coalescing.ended(TcpLimits.FEW_GATHERED - 1);
      row = Math.min(2 * row, TcpLimits.LONGEST_ROW);
    }
    assertThat(row).isEqualTo(TcpLimits.LONGEST_ROW);
    sendsThatDoNotWait(row);
    assertThat(sendAfter(1)).isTrue();
    assertThat(coalescing.waits(Departure.IN_A_ROW, 1, TcpLimits.GATHERED, turn)).isFalse();
    assertThat(sendAfter(1)).isTrue();
    coalescing.end();
    sendsThatDoNotWait(TcpLimits.ROW);
    assertThat(sendAfter(1)).isTrue();
  }

  @Test
  @DisplayName("It goes on where some come together, or none was left when progress was made")
  void some() {
    sendsThatDoNotWait(TcpLimits.ROW);
    for (int i = 0; i < 100; i++) {
      assertThat(sendAfter(1)).isTrue();
      coalescing.ended(i % 2 == 0 ? TcpLimits.FEW_GATHERED : 0);
    }
  }

  @Test
  void fewSendsBehindAFullWriteGoOnWaiting() {
    sendsThatDoNotWait(TcpLimits.ROW);
    for (int i = 0; i < 100; i++) {
      assertThat(sendAfter(1)).isTrue();
      assertThat(coalescing.waits(Departure.IN_A_ROW, 1, TcpLimits.GATHERED, turn)).isFalse();
      assertThat(sendAfter(1)).isTrue();
      coalescing.ended(1);
      turn++;
      assertThat(sendAfter(1)).isFalse();
    }
  }

  @Test
  void timeOfAFullWriteIsNoPause() {
    sendsThatDoNotWait(TcpLimits.ROW);
    for (int i = 0; i < 100; i++) {
      assertThat(coalescing.waits(Departure.IN_A_ROW, 1, TcpLimits.GATHERED, turn)).isFalse();
      assertThat(sendAfter(2 * TcpLimits.ROW_GAP)).isTrue();
    }
    assertThat(sendAfter(2 * TcpLimits.ROW_GAP)).isFalse();
  }
}
