// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RemotePlaceTest {
  private static final RemotePlace PLACE = new RemotePlace(0x7f00_0102_0304_0506L, 4096, -2);

  @Test
  void bytesHaveFixedLayout() {
    byte[] bytes = PLACE.toBytes();
    assertThat(bytes).hasSize(RemotePlace.BYTES);
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo("7f00010203040506" + "0000000000001000" + "fffffffffffffffe");
    assertThat(RemotePlace.of(bytes)).isEqualTo(PLACE);
    byte[] message = new byte[100];
    System.arraycopy(bytes, 0, message, 3, bytes.length);
    assertThat(RemotePlace.of(MemorySegment.ofArray(message).asSlice(3, bytes.length)))
        .isEqualTo(PLACE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 23, 25, 4096})
  void otherLengthsAreRefused(int length) {
    assertThatThrownBy(() -> RemotePlace.of(new byte[length]))
        .isInstanceOfSatisfying(
            FabricException.class, wrong -> assertThat(wrong.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContainingAll(length + " bytes", "24");
  }

  @Test
  void negativeLengthIsRefused() {
    byte[] bytes = PLACE.toBytes();
    bytes[8] = -1;
    assertThatThrownBy(() -> RemotePlace.of(bytes))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("length");
  }
}
