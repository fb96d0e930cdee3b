// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class JsonTest {
  private final StringWriter written = new StringWriter();
  private final Json json = new Json(new PrintWriter(written));

  @Test
  void everyKindOfValueReadsBack() {
    json.object()
        .field("text", "quote \" backslash \\ newline \n tab \t bell \u0007 umlaut ü emoji 🙂")
        .field("whole", Long.MIN_VALUE)
        .field("number", 1.23456)
        .field("infinite", Double.POSITIVE_INFINITY)
        .field("yes", true)
        .field("nothing", (String) null)
        .name("empty")
        .array()
        .end()
        .name("nested")
        .array()
        .object()
        .end()
        .value(1)
        .value("two")
        .array()
        .value(3)
        .end()
        .end()
        .end();

    JsonReader.Value read = JsonReader.read(written.toString());

    assertThat(read.get("text").text())
        .isEqualTo("quote \" backslash \\ newline \n tab \t bell \u0007 umlaut ü emoji 🙂");
    assertThat(read.get("whole").number()).isEqualTo((double) Long.MIN_VALUE);
    assertThat(read.get("number").number()).isEqualTo(1.235);
    assertThat(read.get("infinite").isNull()).isTrue();
    assertThat(read.get("yes").isTrue()).isTrue();
    assertThat(read.get("nothing").isNull()).isTrue();
    assertThat(read.get("empty").list()).isEmpty();
    assertThat(read.get("nested").list()).hasSize(4);
    assertThat(written.toString().chars()).allMatch(c -> c < 127);
  }

  @Test
  void whatWouldNotBeJsonIsRefused() {
    json.object();
    assertThatThrownBy(() -> json.value(1)).isInstanceOf(IllegalStateException.class);
    json.name("a");
    assertThatThrownBy(() -> json.name("b")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(json::end).isInstanceOf(IllegalStateException.class);
    json.value(1).end();
    assertThatThrownBy(json::object).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(json::end).isInstanceOf(IllegalStateException.class);
  }
}
