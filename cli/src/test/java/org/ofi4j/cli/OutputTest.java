// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.Terminal;

/** What becomes of output: where it cannot be written, in which order, and of whose characters. */
class OutputTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "av --print",
        "info",
        "info --json",
        "--help",
        "completion",
        "cluster serve --port 0",
        "cluster serve --port 0 --json"
      })
  void outputThatIsLostIsAFailure(String line) {
    StringWriter err = new StringWriter();
    Terminal full = Terminal.of(list(), failing("No space left on device"), err);
    assertThat(Main.run(full, line.split(" "))).isEqualTo(1);
    assertThat(err.toString())
        .contains("ofi4j: cannot write to standard output: No space left on device");
  }

  @Test
  void aReaderThatWentAwayIsNone() {
    StringWriter err = new StringWriter();
    Terminal gone = Terminal.of(list(), failing("Broken pipe"), err);
    assertThat(Main.run(gone, "av", "--print")).isZero();
    assertThat(err.toString()).doesNotContain("cannot write");
  }

  @Test
  void nobodyIsWatchedForWhoWentAway() {
    String name = "watched/" + UUID.randomUUID();
    Hints hints = Hints.latest().withProvider("udp").withDomain("lo");
    try (Fabric fabric = Fabrics.open(hints);
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table().withName(name))) {
      StringWriter err = new StringWriter();
      Terminal gone = Terminal.of(list(), failing("Broken pipe"), err);
      assertThat(Main.run(gone, "av", "stat", name, "--watch", "0.01")).isZero();
      assertThat(err.toString()).isEmpty();
      assertThat(vector.isOpen()).isTrue();
    }
  }

  @Test
  void aFailureOfTheCommandKeepsItsStatus() {
    StringWriter err = new StringWriter();
    Terminal full = Terminal.of(list(), failing("No space left on device"), err);
    assertThat(Main.run(full, "info", "-p", "udp", "-e", "rdm", "--json")).isEqualTo(61);
    assertThat(err.toString()).contains("FI_ENODATA", "No space left");
  }

  /** Both streams are one file, as with 2>&1 and on a terminal. */
  @Test
  void peersComeBeforeTheirSummary() {
    StringWriter both = new StringWriter();
    Terminal terminal = Terminal.of(list(), new BufferedWriter(both), both);
    assertThat(Main.run(terminal, "av", "--print", "--lookup", "0", "--lookup", "7", "-"))
        .isEqualTo(1);
    List<String> starts =
        both.toString().lines().limit(6).map(line -> line.substring(0, 7).strip()).toList();
    assertThat(starts)
        .containsExactly("0\tfi_so", "1\tfi_so", "handle", "handle", "lines", "peers");
  }

  /** A program that asked for JSON can always read an answer, whatever was wrong. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "info -e bogus --json",
        "av --frobnicate --json",
        "av --json /nowhere/at/all",
        "av --json -p nope",
        "av --lookup seven --json",
        "pingpong --json -I x",
        "pingpong --json -p nope",
        "conformance --json -r AV-999",
        "nope --json"
      })
  void everyFailureIsAJsonDocument(String line) {
    CommandRun run = CommandRun.of(line.split(" "));
    assertThat(run.code()).isNotZero();
    assertThat(run.json().get("error").text()).isNotEmpty();
    assertThat(run.err()).startsWith("ofi4j");
  }

  @Test
  void charactersThatATerminalObeysAreShownInstead() {
    String hostile = "\033[31mred:5\nnul\0:5\n\u202Eback:5\n10.1.1.1\u009b:5\n";
    CommandRun run = CommandRun.withInput(hostile, "av");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("\\u001b[31mred:5\"", "nul\\u0000", "\\u202eback", "10.1.1.1\\u009b")
        .doesNotContain("\033", "\0", "\u202E", "\u009b");
    for (String[] args :
        List.of(
            new String[] {"av", "--convert", "\033[31m"},
            new String[] {"av", "--find", "\033[31m"},
            new String[] {"av", "--lookup", "\033[31m"},
            new String[] {"av", "/nowhere/\033[31m"},
            new String[] {"info", "-n", "\033[31m"},
            new String[] {"info", "-p", "\033[31m"},
            new String[] {"info", "-e", "\033[31m"},
            new String[] {"\033[31m"})) {
      CommandRun each = CommandRun.of(args);
      assertThat(each.code()).as(String.join(" ", args)).isNotZero();
      assertThat(each.err()).contains("\\u001b[31m").doesNotContain("\033");
    }
  }

  @Test
  void wordsOfEveryLanguageStay() {
    CommandRun run = CommandRun.withInput("b\u00fccher-\u65e5\u672c:5\n", "av");
    assertThat(run.err()).contains("b\u00fccher-\u65e5\u672c");
  }

  @Test
  void fileNamesThatTheSystemCannotHave() {
    CommandRun run = CommandRun.of("av", "fi le \0");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("fi le \\u0000", "locale", "LC_ALL=C.UTF-8");
    assertThat(CommandRun.of("av", "--hosts", "fi le \0").err()).contains("LC_ALL=C.UTF-8");
  }

  private static InputStream list() {
    return new ByteArrayInputStream(
        "10.1.1.1:5000\n10.1.1.2:5000\n".getBytes(StandardCharsets.UTF_8));
  }

  private static Writer failing(String reason) {
    return new Writer() {
      @Override
      public void write(char[] characters, int offset, int length) throws IOException {
        throw new IOException(reason);
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
