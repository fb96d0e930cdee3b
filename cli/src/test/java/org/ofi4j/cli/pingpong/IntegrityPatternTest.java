// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class IntegrityPatternTest {
  private final MemorySegment message = MemorySegment.ofArray(new byte[128]);

  @Test
  void eachMessageBeginsSevenCharactersLater() {
    IntegrityPattern pattern = new IntegrityPattern(128);
    assertThat(filled(pattern, 12)).isEqualTo("0123456789ab");
    assertThat(filled(pattern, 5)).isEqualTo("789ab");
    for (int i = 2; i < 9; i++) {
      filled(pattern, 1);
    }
    // 9 * 7 = 63 is one more than the alphabet has.
    assertThat(filled(pattern, 64))
        .isEqualTo("123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012");
  }

  @Test
  void receivedMessagesAreCountedApart() {
    IntegrityPattern sender = new IntegrityPattern(128);
    IntegrityPattern receiver = new IntegrityPattern(128);
    for (int i = 0; i < 200; i++) {
      sender.fill(message, i % 128);
      assertThat(receiver.firstMismatch(message, i % 128)).isEqualTo(-1);
    }
    sender.fill(message, 100);
    message.set(ValueLayout.JAVA_BYTE, 42, (byte) '!');
    assertThat(receiver.firstMismatch(message, 100)).isEqualTo(42);
    assertThat(receiver.checked()).isEqualTo(201);
  }

  private String filled(IntegrityPattern pattern, int size) {
    pattern.fill(message, size);
    return new String(
        message.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII);
  }
}
