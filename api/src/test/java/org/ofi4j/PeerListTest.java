// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerListTest {
  @TempDir private Path directory;

  @Test
  void blankLinesAndCommentsAreSkippedAndCounted() throws IOException {
    PeerList list = list("# nodes\n\n a:1 # first\r\n\n\t#\nb:2");
    assertThat(list.next()).isEqualTo(new PeerLine.Named(3, "a:1 # first", "a", "1"));
    assertThat(list.linesRead()).isEqualTo(3);
    assertThat(list.next()).isEqualTo(new PeerLine.Named(6, "b:2", "b", "2"));
    assertThat(list.next()).isNull();
    assertThat(list.linesRead()).isEqualTo(6);
    assertThat(list).hasToString("peer list list, 6 lines read");
    assertThat(list("").next()).isNull();
    assertThat(list("\n").next()).isNull();
  }

  @Test
  void malformedLinesNameSourceLineTextAndRule() throws IOException {
    Path file = directory.resolve("peers.txt");
    Files.writeString(file, "10.1.1.7:5000\n10.1.1.7 # no port\n10.1.1.8:5000\n");
    List<String> wrong = new ArrayList<>();
    int good = 0;
    try (PeerList list = PeerList.open(file)) {
      for (PeerLine line = list.next(); line != null; line = list.next()) {
        switch (line) {
          case PeerLine.Malformed malformed -> wrong.add(malformed.toString());
          default -> good++;
        }
      }
    }
    assertThat(good).isEqualTo(2);
    assertThat(wrong)
        .containsExactly(
            file
                + ":2: \"10.1.1.7\": \"10.1.1.7\" has no port: write 10.1.1.7:5000, or give a"
                + " default service");
    assertThatThrownBy(() -> PeerList.open(directory.resolve("absent")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aDefaultServiceIsForTheLinesBehindTheCall() throws IOException {
    PeerList list = list("a\nb\nc\n");
    assertThat(list.next()).isInstanceOf(PeerLine.Malformed.class);
    assertThat(list.defaultService("7471").next())
        .isEqualTo(new PeerLine.Named(2, "b", "b", "7471"));
    assertThat(list.defaultService(null).next()).isInstanceOf(PeerLine.Malformed.class);
  }

  @Test
  void aByteOrderMarkIsNoPartOfTheFirstLine() throws IOException {
    byte[] marked = "\uFEFFa:1\n\uFEFFb:1\n".getBytes(StandardCharsets.UTF_8);
    PeerList list = PeerList.of(new ByteArrayInputStream(marked), "list");
    assertThat(list.next()).isEqualTo(new PeerLine.Named(1, "a:1", "a", "1"));
    assertThat(list.next()).isInstanceOf(PeerLine.Malformed.class);
    assertThat(list.next()).isNull();
    assertThat(list.bytesRead()).isEqualTo(marked.length);
    InputStream bytewise =
        new ByteArrayInputStream(marked) {
          @Override
          public int read(byte[] bytes, int offset, int length) {
            return super.read(bytes, offset, 1);
          }
        };
    assertThat(PeerList.of(bytewise, "list").next()).isInstanceOf(PeerLine.Named.class);
    assertThat(PeerList.of(new ByteArrayInputStream(marked, 0, 2), "list").next())
        .isInstanceOf(PeerLine.Malformed.class);
  }

  @Test
  void otherEncodingsAreNamed() {
    for (var charset : List.of(StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
      PeerList list =
          PeerList.of(new ByteArrayInputStream("\uFEFF10.0.0.1:5\n".getBytes(charset)), "list");
      assertThatThrownBy(list::next)
          .isInstanceOf(CharConversionException.class)
          .hasMessageStartingWith("list is in UTF-16");
    }
  }

  @Test
  void aBinaryListIsRefusedAtItsTenthLineWithControlCharacters() throws IOException {
    PeerList list = list("a\0b:5000\n".repeat(9) + "10.1.1.2:5000\t# \u001B[1mbold\n\0\n");
    for (int i = 0; i < 9; i++) {
      assertThat(list.next()).isInstanceOf(PeerLine.Malformed.class);
    }
    assertThat(list.next()).isInstanceOf(PeerLine.Single.class);
    assertThatThrownBy(list::next)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("list is no list of peers but a binary file");
  }

  @Test
  void aLineAcrossBuffersStaysWhole() throws IOException {
    String peer = "x".repeat(1000) + ":1";
    PeerList list = list((peer + "\n").repeat(200));
    for (int i = 1; i <= 200; i++) {
      assertThat(Objects.requireNonNull(list.next()).text()).isEqualTo(peer);
      assertThat(list.bytesRead()).isEqualTo(i * (peer.length() + 1L));
    }
    assertThat(list.next()).isNull();
  }

  @Test
  void aListOfMillionsOfLinesIsNotKeptInMemory() throws IOException {
    byte[] lines = "10.1.1.7:5000\n".repeat(1000).getBytes(StandardCharsets.UTF_8);
    InputStream endless =
        new InputStream() {
          private long position;

          @Override
          public int read() {
            throw new AssertionError("bytewise");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) {
            int at = (int) (position % lines.length);
            int count = Math.min(length, lines.length - at);
            System.arraycopy(lines, at, bytes, offset, count);
            position += count;
            return count;
          }
        };
    PeerList list = PeerList.of(endless, "list");
    long number = 0;
    while (number < 1_000_000) {
      number = Objects.requireNonNull(list.next()).number();
    }
    assertThat(list.linesRead()).isEqualTo(number);
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
            Arrays.fill(bytes, offset, offset + count, (byte) 'x');
            left -= count;
            return count == 0 ? -1 : count;
          }
        };
    PeerList list = PeerList.of(endless, "list");
    assertThat(list.next())
        .isInstanceOfSatisfying(
            PeerLine.Malformed.class,
            malformed -> {
              assertThat(malformed.reason()).isEqualTo("is longer than 4096 bytes");
              assertThat(malformed.toString()).hasSizeLessThan(200);
            });
    assertThat(list.next()).isNull();
    assertThat(list.bytesRead()).isEqualTo(64L << 20);
  }

  private static PeerList list(String text) {
    return PeerList.of(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "list");
  }
}
