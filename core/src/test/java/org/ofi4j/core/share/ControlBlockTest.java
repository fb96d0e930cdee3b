// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a control file says of the names that it is for, though its path has them. */
class ControlBlockTest {
  private static final String LONG = "a name of more than four and twenty bytes, ";
  private static final VectorTraits TRAITS = new VectorTraits(1, 2, 1, 2, 3, 0, 0, 0, 100);

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "\u00e4\u00f6\ud83d\ude00", LONG + 1})
  void fitsItsNamesOnly(String name) {
    try (Arena arena = Arena.ofConfined()) {
      ControlBlock block = new ControlBlock(arena.allocate(ControlBlock.BYTES, 8));
      block.begin(7, 8, "lo", name, new byte[32], TRAITS);
      block.check("file", "lo", name);
      for (String other : new String[] {"y", name + "\0", LONG + 2, "z" + name}) {
        assertThatThrownBy(() -> block.check("file", "lo", other))
            .hasMessageContaining("EINVAL (22)")
            .hasMessageContaining("is not of vector \"" + other.replace("\0", "\\u0000") + "\"");
        assertThatThrownBy(() -> block.check("file", other, name))
            .hasMessageContaining("is not of domain \"" + other.replace("\0", "\\u0000") + "\"");
      }
    }
  }

  @Test
  void theNextFieldStaysAsItIs() {
    try (Arena arena = Arena.ofConfined()) {
      ControlBlock block = new ControlBlock(arena.allocate(ControlBlock.BYTES, 8));
      byte[] salt = new byte[32];
      salt[0] = 5;
      block.begin(7, 8, LONG, LONG, salt, TRAITS);
      assertThat(block.traits()).isEqualTo(TRAITS);
      assertThat(block.salt()).isEqualTo(salt);
      assertThat(block.inode()).isEqualTo(8);
    }
  }
}
