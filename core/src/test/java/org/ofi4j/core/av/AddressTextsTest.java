// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.fails;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.Errno;

@Tag("AV-148")
class AddressTextsTest {
  private static final String IB =
      "1b00800100000000fe800000000000000002c9030001000200000000013f1d2fffffffffffffffff"
          + "0000000000000005";

  private static MemorySegment packed(String hex) {
    return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
  }

  @ParameterizedTest
  @DisplayName("Text of packed addresses; null for a family that is not the format's")
  @CsvSource({
    "SOCKADDR_IN, 020013880a0101010000000000000000, fi_sockaddr_in://10.1.1.1:5000",
    "SOCKADDR_IN, 02000000000000000000000000000000, fi_sockaddr_in://0.0.0.0:0",
    "SOCKADDR, 020013880a0101010000000000000000, fi_sockaddr_in://10.1.1.1:5000",
    "SOCKADDR, 630013880a0101010000000000000000,",
    "SOCKADDR, 02,",
    "SOCKADDR_IN, 630013880a0101010000000000000000,",
    "SOCKADDR_IN6, 020013880a0101010000000000000000,",
    "SOCKADDR_IP, " + IB + ",",
    "SOCKADDR, " + IB + ", fi_sockaddr_ib://[fe80::2:c903:1:2]:0x8001:0x13f:0x5",
    "CXI, 4523010000000000, fi_addr_cxi://0x00012345",
    "STR, 78797a00, xyz",
    "UNSPECIFIED, 01,",
    "PSMX, 01,",
    "GNI, 01,",
    "BGQ, 01,",
    "MLX, 01,",
    "UCX, 01,",
  })
  void textOfPacked(AddressFormat format, String hex, String text) {
    assertThat(new AddressTexts(format).text(packed(hex))).isEqualTo(text);
  }

  @ParameterizedTest
  @DisplayName("An address of a known family that is cut short is refused")
  @CsvSource({"SOCKADDR_IN, 02001388", "SOCKADDR, 0a001388", "STR, 78797a", "CXI, 45"})
  void cutShort(AddressFormat format, String hex) {
    fails(Errno.EINVAL, () -> new AddressTexts(format).text(packed(hex)));
  }

  @Test
  @DisplayName("mlx and ucx addresses print as the pointer to them")
  void textOfPointers() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(16);
      String place = Long.toHexString(memory.address());
      assertThat(new AddressTexts(AddressFormat.MLX).text(memory))
          .isEqualTo("fi_addr_mlx://0x" + place);
      String ucx = "fi_addr_ucx://0x" + place;
      AddressText text = new AddressTexts(AddressFormat.UCX).into(memory, arena.allocate(64));
      assertThat(text).isNotNull();
      assertThat(text.length()).isEqualTo(ucx.length() + 1);
      assertThat(text.buffer().getString(0)).isEqualTo(ucx);
    }
  }
}
