// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void colourOnlyOnATerminalThatWantsIt() {
    assertThat(terminal(Map.of()).bad("x")).isEqualTo("\033[31mx\033[0m");
    assertThat(terminal(Map.of("NO_COLOR", "1")).bad("x")).isEqualTo("x");
    assertThat(terminal(Map.of("NO_COLOR", "")).bad("x")).isNotEqualTo("x");
    assertThat(terminal(Map.of("TERM", "dumb")).bad("x")).isEqualTo("x");
    assertThat(Terminal.of(InputStream.nullInputStream(), out, err).bad("x")).isEqualTo("x");
  }

  @Test
  void columnsComeFromTheEnvironment() {
    assertThat(terminal(Map.of("COLUMNS", "132")).columns()).isEqualTo(132);
    assertThat(terminal(Map.of("COLUMNS", "wide")).columns()).isEqualTo(80);
  }

  @Test
  void progressAppearsOnATerminalWhenWorkTakesLonger() throws InterruptedException {
    try (Progress progress = new Progress(terminal(Map.of()), "reading", "lines", 100)) {
      progress.at(50);
      while (!err.toString().contains("50/100")) {
        Thread.sleep(1);
      }
    }
    assertThat(err.toString()).contains("reading", "50/100").endsWith("\r\033[K");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void noProgressWhereNobodyLooks() {
    Terminal terminal = Terminal.of(InputStream.nullInputStream(), out, err);
    try (Progress progress = new Progress(terminal, "reading", "lines", 100)) {
      progress.at(50);
    }
    assertThat(err.toString()).isEmpty();
  }

  /** Even when the work does not say anything meanwhile. */
  @Test
  void withoutATerminalALineNowAndThen() throws InterruptedException {
    Terminal terminal = Terminal.of(InputStream.nullInputStream(), out, err);
    try (Progress progress =
        new Progress(terminal, "reading", "lines", 1000, Duration.ofMillis(20))) {
      progress.at(500);
      while (err.toString().lines().filter(line -> line.contains(" 500 of 1,000 ")).count() < 2) {
        Thread.sleep(1);
      }
    }
    assertThat(err.toString().lines()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(err.toString()).contains("ofi4j: reading, 500 of 1,000 lines after ");
    assertThat(out.toString()).isEmpty();
  }

  /** Not that it reads and gets nowhere. */
  @Test
  void theLineSaysWhatTheWorkWaitsFor() throws InterruptedException {
    Terminal terminal = Terminal.of(InputStream.nullInputStream(), out, err);
    try (Progress progress =
        new Progress(terminal, "reading", "bytes", 1000, Duration.ofMillis(20))) {
      progress.note("looking up node17 of line 3");
      while (err.toString().lines().count() < 1) {
        Thread.sleep(1);
      }
    }
    assertThat(err.toString())
        .startsWith("ofi4j: reading, 0 of 1,000 bytes, looking up node17 of line 3 after ");
  }

  /** The first step may be the one that takes long, and what it waits for changes meanwhile. */
  @Test
  void theBarAppearsWithoutAStep() throws InterruptedException {
    try (Progress progress = new Progress(terminal(Map.of()), "reading", "lines", 100)) {
      progress.note("waiting for one");
      while (!err.toString().contains("waiting for one")) {
        Thread.sleep(1);
      }
      progress.note("waiting for another");
      while (!err.toString().contains("waiting for another")) {
        Thread.sleep(1);
      }
    }
    assertThat(err.toString()).endsWith("\r\033[K");
  }

  private Terminal terminal(Map<String, String> environment) {
    return Terminal.interactive(InputStream.nullInputStream(), out, err, environment);
  }
}
