// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a terminal would obey is visible in messages. */
class PrintableTest {
  private static final String HOSTILE = "a\033[31mred\n2nd\u202eback\u009b";
  private static final String SHOWN = "a\\u001b[31mred\\u000a2nd\\u202eback\\u009b";

  @Test
  void controlCharactersBecomeEscapes() {
    assertThat(Printable.line(HOSTILE)).isEqualTo(SHOWN);
    assertThat(Printable.lines("one\ntwo\r\n\033")).isEqualTo("one\ntwo\r\n\\u001b");
    assertThat(Printable.line("h\u00f6st \u4e2d \ud83d\ude00 ~"))
        .isEqualTo("h\u00f6st \u4e2d \ud83d\ude00 ~");
    assertThat(Printable.line("lone \ud83d")).isEqualTo("lone \\ud83d");
  }

  @Test
  @DisplayName("Exceptions and failures of addresses show what was passed in, escaped")
  void messagesAreEscaped() {
    assertThat(new FabricException(Errno.EINVAL, HOSTILE)).hasMessage("EINVAL (22): " + SHOWN);
    assertThat(new FabricException(Errno.EIO, HOSTILE, new Exception("why")))
        .hasMessage("EIO (5): " + SHOWN);
    assertThat(InsertionFailure.of(3, HOSTILE, Errno.ENODATA, "is\tnot known"))
        .hasToString("address 3 \"" + SHOWN + "\": is\\u0009not known");
    assertThat(new Refusal("tcp", Errno.ENODATA, HOSTILE)).hasToString("tcp: " + SHOWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"fi_sockaddr_in://\0331:5", "x\n://1", "fi_sockaddr_in6://[\u009b]:1"})
  void addressesThatCannotBeParsed(String text) {
    assertThatThrownBy(() -> FabricAddress.parse(text))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("\\u00")
        .hasMessageNotContainingAny("\033", "\n", "\u009b");
  }
}
