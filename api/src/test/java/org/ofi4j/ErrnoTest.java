// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("AV-209")
class ErrnoTest {
  @ParameterizedTest
  @DisplayName("AV-209: words of either sign")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0|Success
          1|Operation not permitted
          22|Invalid argument
          99|Cannot assign requested address
          133|Memory page has hardware error
          41|Unknown error 41
          134|Unknown error 134
          255|Unknown error 255
          256|Unspecified error
          261|Missing or unavailable event queue
          266|Required key not available
          267|Missing or unavailable address vector
          271|Host unreachable due to firewall
          272|Unspecified error
          2147483647|Unspecified error
          """)
  void words(int number, String words) {
    assertThat(Errno.describe(number)).isEqualTo(words);
    assertThat(Errno.describe(-number)).isEqualTo(words);
  }

  @Test
  void leastInteger() {
    assertThat(Errno.describe(Integer.MIN_VALUE)).isEqualTo("Unspecified error");
    assertThat(Errno.of(Integer.MIN_VALUE)).isEqualTo(Errno.EOTHER);
  }

  @ParameterizedTest
  @EnumSource
  void constants(Errno errno) {
    assertThat(Errno.of(errno.number())).isEqualTo(errno);
    assertThat(Errno.of(-errno.number())).isEqualTo(errno);
    assertThat(errno.text()).isEqualTo(Errno.describe(errno.number())).doesNotStartWith("Unknown");
  }

  @ParameterizedTest
  @DisplayName("Numbers that fabrics do not use become EOTHER")
  @CsvSource({"3", "126", "133", "134", "255", "272", "-1000", "2147483647"})
  void otherNumbers(int number) {
    assertThat(Errno.of(number)).isEqualTo(Errno.EOTHER);
  }
}
