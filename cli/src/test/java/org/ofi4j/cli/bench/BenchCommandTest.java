// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader.Value;

@Timeout(value = 240, unit = TimeUnit.SECONDS)
class BenchCommandTest {
  @Test
  void figuresAsJsonAndAsAPlot(@TempDir Path directory) throws Exception {
    Path plot = directory.resolve("plot.svg");
    CommandRun run =
        CommandRun.of(
            "bench",
            "av",
            "--peers",
            "1k",
            "--rounds",
            "2",
            "--range",
            "1k",
            "--exchanges",
            "10k",
            "--time",
            "cpu",
            "--json",
            "--plot",
            plot.toString());
    assertThat(run.code()).as(run.err()).isZero();
    Value document = run.json();
    assertThat(document.get("machine").text()).contains("cores");
    assertThat(document.get("libfabric").isNull()).isTrue();
    assertThat(document.get("seconds").number()).isPositive();
    List<Value> rows = document.get("rows").list();
    Value lookup =
        rows.stream()
            .filter(row -> row.get("id").text().equals("lookup"))
            .findFirst()
            .orElseThrow();
    assertThat(lookup.get("peers").number()).isEqualTo(1000);
    assertThat(lookup.get("unit").text()).isEqualTo("ns");
    Value ours = lookup.get("sides").get("ofi4j");
    assertThat(ours.get("rounds").list()).hasSize(2);
    assertThat(ours.get("least").number()).isLessThanOrEqualTo(ours.get("median").number());
    assertThat(ours.get("median").number()).isLessThanOrEqualTo(ours.get("most").number());
    assertThat(lookup.get("sides").has("udp")).isFalse();
    assertThat(lookup.get("sides").has("memory")).isFalse();
    List<Value> bars = document.get("bars").list();
    assertThat(bars).hasSizeGreaterThan(15);
    assertThat(bars).anyMatch(bar -> bar.get("met").isNull() && bar.get("measured").isNull());
    assertThat(bars).anyMatch(bar -> !bar.get("met").isNull() && !bar.get("measured").isNull());
    assertThat(Files.readString(plot))
        .startsWith("<svg ")
        .contains("1,000 IPv4 peers")
        .endsWith("</svg>\n");
  }

  @Test
  void messagesAsJson(@TempDir Path directory) throws Exception {
    Path plot = directory.resolve("plot.svg");
    CommandRun run =
        CommandRun.of(
            "bench",
            "pingpong",
            "--sizes",
            "4k,1",
            "--rounds",
            "1",
            "--json",
            "--plot",
            plot.toString());
    assertThat(run.code()).as(run.err()).isZero();
    Value document = run.json();
    List<Value> rows = document.get("rows").list();
    assertThat(rows)
        .extracting(row -> row.get("bytes").number())
        .containsOnly(1.0, 4096.0)
        .startsWith(1.0);
    Value median = rows.getFirst();
    assertThat(median.get("id").text()).isEqualTo("round-trip");
    assertThat(median.get("unit").text()).isEqualTo("us");
    assertThat(median.get("sides").get("ofi4j").get("median").number()).isPositive();
    assertThat(document.get("bars").list())
        .hasSize(6)
        .allMatch(bar -> bar.get("met").isNull() && bar.get("bytes").number() > 0);
    assertThat(Files.readString(plot)).contains("Messages over TCP", "4,096 bytes");
  }

  @Test
  void namedVectorsAsJson() {
    CommandRun run =
        CommandRun.of(
            "bench", "named", "--peers", "1k", "--rounds", "1", "--processes", "1", "--json");
    assertThat(run.code()).as(run.err()).isZero();
    Value document = run.json();
    List<Value> rows = document.get("rows").list();
    assertThat(rows).allMatch(row -> row.get("peers").number() == 1000);
    Value lookup = row(rows, "lookup-named");
    assertThat(lookup.get("privateToOfi4j").number()).isPositive();
    assertThat(lookup.get("sides").get("private").get("median").number()).isPositive();
    Value opening = row(rows, "open-saved-read");
    assertThat(opening.get("unit").text()).isEqualTo("ms");
    assertThat(opening.get("sides").get("ofi4jFirst").get("rounds").list()).hasSize(1);
    assertThat(row(rows, "insert-named-singly-1-rate").get("unit").text()).isEqualTo("million/s");
    assertThat(document.get("bars").list()).hasSize(12).allMatch(bar -> bar.has("allowed"));
  }

  private static Value row(List<Value> rows, String id) {
    return rows.stream().filter(row -> row.get("id").text().equals(id)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "bench, 'ofi4j bench: WHAT is missing: av, pingpong, named or chaos'",
    "bench udp, 'ofi4j bench: WHAT: \"udp\" is none of [av, pingpong, named, chaos]'",
    "bench pingpong --sizes 65M, 'ofi4j bench: --sizes: \"65M\" is no length of a message: a"
        + " number from 1 to 64M, such as 64k'",
    "bench named --processes 0, 'ofi4j bench: --processes 0 is not within 1 to 128'",
    "bench av --sizes x, 'ofi4j bench: --sizes: \"x\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 1G, 'ofi4j bench: --peers: \"1G\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 0, 'ofi4j bench: --peers: \"0\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 1 --sizes 2, ofi4j bench: --peers and --sizes exclude each other",
    "bench av --rounds 0, ofi4j bench: --rounds and --other-rounds take at least 1",
    "bench av --compare ucx, 'ofi4j bench: --compare: \"ucx\" is none of [libfabric]'",
    "bench av --plot /no/such/plot.svg, ofi4j bench: --plot: there is no directory /no/such"
  })
  void mistakesCostNoTime(String line, String sentence) {
    CommandRun run = CommandRun.of(line.split(" "));
    assertThat(run.err().lines().findFirst()).contains(sentence);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "pingpong, --peers 1k, '--sizes, --compare, --rounds, --strict, --plot, --json'",
    "pingpong, --large, '--sizes, --compare, --rounds, --strict, --plot, --json'",
    "named, --compare libfabric, '--peers, --sizes, --rounds, --processes, --strict, --plot,"
        + " --json'",
    "named, --shown-peers 1k, '--peers, --sizes, --rounds, --processes, --strict, --plot, --json'",
    "chaos, --rounds 3, '--kills, --processes, --seed, --json'",
    "chaos, --strict, '--kills, --processes, --seed, --json'",
    "av, --seed 1, '--peers, --sizes, --large, --compare, --rounds, --other-rounds, --shown-peers,"
        + " --range, --exchanges, --time, --strict, --plot, --json'",
  })
  void optionsOfNoEffectAreRefused(String subject, String option, String taken) {
    mistakesCostNoTime(
        "bench " + subject + " " + option,
        "ofi4j bench: "
            + option.split(" ")[0]
            + " does not go with "
            + subject
            + ", which takes "
            + taken);
  }

  @Test
  void sizesInShort() {
    assertThat(BenchSizes.parseBytes("64k")).isEqualTo(65_536);
    assertThat(BenchSizes.parseBytes("1M")).isEqualTo(1 << 20);
    assertThat(BenchSizes.ofMessages(List.of(7L, 3L, 7L))).containsExactly(3, 7);
    assertThat(BenchSizes.ofMessages(List.of())).hasSize(11).startsWith(1, 4).endsWith(1 << 20);
    assertThat(BenchSizes.parse("64k")).isEqualTo(64_000);
    assertThat(BenchSizes.parse("16M")).isEqualTo(16_000_000);
    assertThat(BenchSizes.parse("1_000_000")).isEqualTo(1_000_000);
    assertThat(BenchSizes.parse("2147483646")).isEqualTo(Integer.MAX_VALUE - 1);
    assertThat(BenchSizes.chosen(null, List.of(), true))
        .containsExactly(1_000L, 64_000L, 1_000_000L, 16_000_000L, 100_000_000L);
    assertThat(BenchSizes.fitting(1_000_000)).containsExactly(1_000L, 64_000L, 1_000_000L);
    assertThat(BenchSizes.fitting(0)).containsExactly(1_000L);
    assertThat(BenchSizes.chosen(5L, List.of(), false)).containsExactly(5L);
    assertThat(BenchSizes.chosen(null, List.of(7L, 3L, 7L), false)).containsExactly(3L, 7L);
  }
}
