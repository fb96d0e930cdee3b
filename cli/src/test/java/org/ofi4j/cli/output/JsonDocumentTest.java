// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class JsonDocumentTest {
  private final StringWriter written = new StringWriter();
  private final JsonDocument json = new JsonDocument(new PrintWriter(written));

  @Test
  void everyKindOfValueReadsBack() {
    json.writeStartObject()
        .writeStringProperty(
            "text", "quote \" backslash \\ newline \n tab \t bell \u0007 umlaut ü emoji 🙂")
        .writeNumberProperty("whole", Long.MIN_VALUE)
        .writeNumberProperty("number", 1.23456)
        .writeNumberProperty("infinite", Double.POSITIVE_INFINITY)
        .writeBooleanProperty("yes", true)
        .writeStringProperty("nothing", null)
        .writeArrayPropertyStart("empty")
        .writeEndArray()
        .writeArrayPropertyStart("nested")
        .writeStartObject()
        .writeEndObject()
        .writeNumber(1)
        .writeString("two")
        .writeStartArray()
        .writeNumber(3)
        .close();

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
  void eachElementHasALineOfItsOwn() {
    json.writeStartObject()
        .writeStringProperty("text", "b\u00fccher")
        .writeNumberProperty("number", 1e7)
        .writeArrayPropertyStart("empty")
        .writeEndArray()
        .writeObjectPropertyStart("nothing")
        .writeEndObject()
        .writeArrayPropertyStart("array")
        .writeNumber(1)
        .writeNumber(2)
        .close();

    assertThat(written.toString().lines())
        .containsExactly(
            "{",
            "  \"text\": \"b\\u00fccher\",",
            "  \"number\": 1.0E7,",
            "  \"empty\": [],",
            "  \"nothing\": {},",
            "  \"array\": [",
            "    1,",
            "    2",
            "  ]",
            "}");
    assertThat(written.toString()).endsWith("}" + System.lineSeparator());
  }
}
