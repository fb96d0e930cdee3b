// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.internal.Ipv4Text;
import org.ofi4j.internal.Ipv6Text;

/** Internet addresses as text, side by side with {@code inet_ntop} and {@code inet_pton}. */
class InternetTextTest {
  private static final int CASES = 20_000;
  private static final String ALPHABET = "0123456789abcdefABCDEFg:::...%x ";
  private static final String PROGRAM =
      """
      #include <arpa/inet.h>
      #include <stdio.h>
      #include <string.h>
      static void hex(const unsigned char *bytes, int count) {
        for (int i = 0; i < count; i++) printf("%02x", bytes[i]);
        printf("\\n");
      }
      int main(void) {
        char line[256], text[64];
        unsigned char bytes[16];
        while (fgets(line, sizeof line, stdin)) {
          line[strcspn(line, "\\n")] = 0;
          if (line[0] == 'p') {
            for (int i = 0; i < 16; i++) sscanf(line + 1 + 2 * i, "%2hhx", &bytes[i]);
            puts(inet_ntop(AF_INET6, bytes, text, sizeof text));
          } else if (line[0] == '6') {
            if (inet_pton(AF_INET6, line + 1, bytes) == 1) hex(bytes, 16); else puts("-");
          } else {
            if (inet_pton(AF_INET, line + 1, bytes) == 1) hex(bytes, 4); else puts("-");
          }
        }
        return 0;
      }
      """;

  /** At the edges of what is allowed, where chance seldom comes. */
  private static final List<String> EDGES =
      List.of(
          "1:2:3:4:5:6:1.2.3.4",
          "1:2:3:4:5:6:7:1.2.3.4",
          "::0.0.0.0",
          "1:0:0:2:0:0:3:4",
          "1:2:3:4:5:6:7::",
          "::2:3:4:5:6:7:8:9",
          ":1:2:3:4:5:6:7:8");

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Random random = new Random(seed);

  @Test
  @DisplayName("Section 5.2: printing and reading agree with the C library")
  void agreesWithTheLibrary(@TempDir Path directory) throws IOException, InterruptedException {
    CProgram program = new CProgram(directory);
    program.need("arpa/inet.h");
    List<String> questions = new ArrayList<>();
    List<String> answers = new ArrayList<>();
    for (int i = 0; i < CASES; i++) {
      long high = sparse();
      long low = sparse();
      questions.add("p" + hex(high) + hex(low));
      answers.add(Ipv6Text.print(high, low));
      ask(mutated(Ipv6Text.print(high, low)), questions, answers);
      String four = mutated(Ipv4Text.print((int) low));
      long address = Ipv4Text.parse(four);
      questions.add("4" + four);
      answers.add(address < 0 ? "-" : HexFormat.of().toHexDigits((int) address));
    }
    for (String edge : EDGES) {
      ask(edge, questions, answers);
    }

    List<String> expected = program.run(PROGRAM, String.join("\n", questions) + "\n");

    assertThat(expected).hasSameSizeAs(answers);
    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i))
          .as("%s, -Dofi4j.seed=%d", questions.get(i), seed)
          .isEqualTo(expected.get(i));
    }
    assertThat(expected.stream().filter("-"::equals).count()).isBetween(CASES / 4L, 2L * CASES);
  }

  /** Asks what an address is, and, if it is one, how it is printed. */
  private static void ask(String text, List<String> questions, List<String> answers) {
    long[] halves = Ipv6Text.parse(text);
    questions.add("6" + text);
    if (halves == null) {
      answers.add("-");
      return;
    }
    answers.add(hex(halves[0]) + hex(halves[1]));
    questions.add("p" + hex(halves[0]) + hex(halves[1]));
    answers.add(Ipv6Text.print(halves[0], halves[1]));
  }

  private static String hex(long half) {
    return HexFormat.of().toHexDigits(half);
  }

  private long sparse() {
    long value = random.nextLong();
    for (int group = 0; group < 4; group++) {
      int choice = random.nextInt(4);
      if (choice < 2) {
        value &= ~(0xFFFFL << 16 * group);
      } else if (choice == 2 && random.nextBoolean()) {
        value |= 0xFFFFL << 16 * group;
      }
    }
    return value;
  }

  /** The text with none, one or two characters put in, taken out or replaced. */
  private String mutated(String text) {
    StringBuilder mutated = new StringBuilder(text);
    for (int edits = random.nextInt(3); edits > 0; edits--) {
      int place = random.nextInt(mutated.length() + 1);
      char character = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
      switch (random.nextInt(3)) {
        case 0 -> mutated.insert(place, character);
        case 1 -> mutated.delete(place, Math.min(place + 1, mutated.length()));
        default -> mutated.replace(place, Math.min(place + 1, mutated.length()), "" + character);
      }
    }
    return mutated.toString();
  }
}
