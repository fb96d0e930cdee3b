// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who has a lock, as the system lists it. */
@Tag("AV-041")
class VectorLocksTest {
  /** Of number 26. */
  private static final long DEVICE = 0x1a;

  private static final List<String> LINES =
      List.of(
          "0: POSIX  ADVISORY  WRITE 16 00:2a:815 0 EOF",
          "1: FLOCK  ADVISORY  WRITE 10 00:1a:815 0 EOF",
          "2: POSIX  ADVISORY  WRITE 11 00:1a:8150 1000 1000",
          "3: POSIX  ADVISORY  WRITE 12 00:1a:815 1001 1016",
          "3: -> POSIX  ADVISORY  WRITE 13 00:1a:815 1000 1000",
          "4: POSIX  ADVISORY  WRITE 14 00:1a:815 1000 1000",
          "5: OFDLCK ADVISORY  READ  -1 00:1a:815 0 EOF",
          "6: POSIX  ADVISORY  READ  0 00:1a:77 0 EOF",
          "7: POSIX  ADVISORY  READ  15 00:1a:78 500 EOF",
          "8: POSIX  MANDATORY WRITE what 00:1a:79 0 EOF",
          "9: LEASE  ACTIVE",
          "10: POSIX  ADVISORY  WRITE 17 103:12345:815 0 EOF",
          "");

  @Test
  void isTheProcessThatHasAByteOfTheFile() {
    assertThat(VectorLocks.holder(LINES, DEVICE, 815, 1000)).isEqualTo(14);
    assertThat(VectorLocks.holder(LINES, DEVICE, 815, 1001)).isEqualTo(12);
    assertThat(VectorLocks.holder(LINES, DEVICE, 815, 1016)).isEqualTo(12);
    assertThat(VectorLocks.holder(LINES, DEVICE, 8150, 1000)).isEqualTo(11);
    assertThat(VectorLocks.holder(LINES, DEVICE, 78, 1L << 40)).isEqualTo(15);
    assertThat(VectorLocks.holder(LINES, 0x2a, 815, 1000)).as("of another device").isEqualTo(16);
    assertThat(VectorLocks.holder(LINES, 0x1231_0345, 815, 1000)).isEqualTo(17);
    assertThat(VectorLocks.holder(LINES, 99, 8150, 1000)).as("by its inode alone").isEqualTo(11);
    assertThat(VectorLocks.holder(LINES, 99, 815, 1000)).as("of several files").isZero();
  }

  @Test
  void isNobodyWhereNobodyHasItOrTheSystemDoesNotTell() {
    assertThat(VectorLocks.holder(LINES, DEVICE, 815, 1017)).isZero();
    assertThat(VectorLocks.holder(LINES, DEVICE, 15, 1000)).isZero();
    assertThat(VectorLocks.holder(LINES, DEVICE, 77, 1000)).as("of another namespace").isZero();
    assertThat(VectorLocks.holder(LINES, DEVICE, 78, 499)).isZero();
    assertThat(VectorLocks.holder(LINES, DEVICE, 79, 1)).isZero();
  }
}
