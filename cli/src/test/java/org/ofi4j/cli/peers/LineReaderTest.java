// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LineReaderTest {
  @Test
  void endsOfLines() throws IOException {
    assertThat(lines("a\nb\r\n\nc")).containsExactly("a", "b", "", "c");
    assertThat(lines("a\n")).containsExactly("a");
    assertThat(lines("")).isEmpty();
    assertThat(lines("\n")).containsExactly("");
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstLine() throws IOException {
    byte[] marked = "\uFEFFa\n\uFEFFb\n".getBytes(StandardCharsets.UTF_8);
    LineReader reader = new LineReader(new ByteArrayInputStream(marked));
    assertThat(reader.next()).isEqualTo("a");
    assertThat(reader.next()).isEqualTo("\uFEFFb");
    assertThat(reader.next()).isNull();
    assertThat(reader.consumed()).isEqualTo(marked.length);
    LineReader bytewise =
        new LineReader(
            new ByteArrayInputStream(marked) {
              @Override
              public int read(byte[] bytes, int offset, int length) {
                return super.read(bytes, offset, 1);
              }
            });
    assertThat(bytewise.next()).isEqualTo("a");
    assertThat(new LineReader(new ByteArrayInputStream(marked, 0, 2)).next()).hasSize(1);
  }

  @Test
  void otherEncodingsAreNamed() {
    for (var charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
      LineReader reader =
          new LineReader(new ByteArrayInputStream("\uFEFF10.0.0.1:5\n".getBytes(charset)));
      assertThatThrownBy(reader::next)
          .isInstanceOf(CharConversionException.class)
          .hasMessageContaining("UTF-16");
    }
  }

  @Test
  void aLineAcrossBuffersStaysWhole() throws IOException {
    String line = "x".repeat(1000);
    String text = (line + "\n").repeat(200);
    assertThat(lines(text)).hasSize(200).allMatch(line::equals);
  }

  @Test
  void aLineWithoutEndIsCutInsteadOfFillingMemory() throws IOException {
    InputStream endless =
        new InputStream() {
          private long left = 64L << 20;

          @Override
          public int read() {
            return left-- > 0 ? 'x' : -1;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            int count = (int) Math.min(length, left);
            java.util.Arrays.fill(bytes, offset, offset + count, (byte) 'x');
            left -= count;
            return count == 0 ? -1 : count;
          }
        };
    LineReader reader = new LineReader(endless);
    assertThat(reader.next()).hasSize(LineReader.MAX_LENGTH + 1);
    assertThat(reader.next()).isNull();
    assertThat(reader.consumed()).isEqualTo(64L << 20);
  }

  private static List<String> lines(String text) throws IOException {
    LineReader reader =
        new LineReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    List<String> lines = new ArrayList<>();
    for (String line = reader.next(); line != null; line = reader.next()) {
      lines.add(line);
    }
    assertThat(reader.consumed()).isEqualTo(text.length());
    return lines;
  }
}
