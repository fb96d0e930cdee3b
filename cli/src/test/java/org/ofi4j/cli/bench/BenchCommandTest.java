// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.benchmarks.named.Opening;
import org.ofi4j.cli.ClassPath;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader;
import org.ofi4j.cli.output.JsonReader.Value;

class BenchCommandTest {
  /** As for whoever has the artifact of the command, to which the benchmarks are optional. */
  @ParameterizedTest
  @CsvSource({"bench av, 69", "bench --help, 0"})
  void theCommandWorksWithoutTheBenchmarks(String line, int code) throws Exception {
    String classPath =
        ClassPath.entries().stream()
            .filter(each ->
                !each.matches(".*/((benchmarks|stress)/target|ofi4j-(benchmarks|stress)-[^/]*$).*"))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("--class-path", classPath, "org.ofi4j.cli.Main"));
    command.addAll(List.of(line.split(" ")));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = process.inputReader().lines().collect(Collectors.joining("\n"));
    assertThat(process.waitFor()).as(output).isEqualTo(code);
    assertThat(output)
        .contains(code == 0 ? "--rounds" : "the benchmarks are not on the module path");
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
    assertThat(document.get("machine").text()).contains("cores");
    assertThat(document.get("libfabric").isNull()).isTrue();
    assertThat(document.get("seconds").number()).isPositive();
    List<Value> rows = document.get("rows").list();
    assertThat(rows)
        .extracting(row -> row.get("bytes").number())
        .containsOnly(1.0, 4096.0)
        .startsWith(1.0);
    Value median = rows.getFirst();
    assertThat(median.get("id").text()).isEqualTo("round-trip");
    assertThat(median.get("unit").text()).isEqualTo("us");
    Value ours = median.get("sides").get("ofi4j");
    assertThat(ours.get("rounds").list()).hasSize(1);
    assertThat(ours.get("least").number()).isLessThanOrEqualTo(ours.get("median").number());
    assertThat(ours.get("median").number()).isBetween(Double.MIN_VALUE, ours.get("most").number());
    assertThat(document.get("bars").list())
        .hasSize(6)
        .allMatch(bar -> bar.get("met").isNull() && bar.get("bytes").number() > 0);
    assertThat(Files.readString(plot)).contains("Messages over TCP", "4,096 bytes");
  }

  @Test
  void contestantsAsJson() throws Exception {
    CommandRun run =
        CommandRun.of(
            "bench",
            "pingpong",
            "--mode=blocking,spinning",
            "--compare=channel,batched-channel",
            "--sizes=64",
            "--rounds=1",
            "--json");
    assertThat(run.code()).as(run.err()).isZero();
    Value median = run.json().get("rows").list().getFirst();
    Value sides = median.get("sides");
    for (String side : List.of("ofi4j", "ofi4jBlocking", "channel", "batchedChannel")) {
      assertThat(sides.get(side).get("median").number()).as(side).isPositive();
    }
    assertThat(median.get("channelToOfi4jBlocking").number()).isPositive();
    assertThat(median.get("batchedChannelToOfi4j").number()).isPositive();
    assertThat(median.has("ofi4jBlockingToOfi4j")).isFalse();
  }

  /** Over libfabric, which may be missing, as may the compiler. */
  @Test
  void costsAsJson() throws Exception {
    String line = "bench costs -p shm --mode spinning,domain --compare libfabric --rounds 1 --json";
    CommandRun run = CommandRun.of(line.split(" "));
    boolean needed = System.getProperty("ofi4j.interop", "optional").equals("required");
    assumeTrue(run.code() != 69 || needed, run.err());
    assertThat(run.code()).as(run.err()).isZero();
    Value row = run.json().get("rows").list().getFirst();
    assertThat(row.get("id").text()).isEqualTo("to-itself");
    assertThat(row.get("unit").text()).isEqualTo("ns");
    assertThat(row.get("connections").number()).isEqualTo(1);
    assertThat(row.get("tcpToOfi4j").number()).isPositive();
    assertThat(row.get("tcpToOfi4jDomain").number()).isPositive();
  }

  @Test
  void namedVectorsAsJson() {
    Quantity opening = Opening.SAVED_READ.quantity();
    Row row =
        new Row(
            opening,
            1000,
            Map.of(
                Side.OFI4J, series(2, 4, 9),
                Side.OFI4J_FIRST, series(100),
                Side.PRIVATE, series(1, 2, 3)));
    Bar met = new Bar(opening, 1000, "at most 5 ms", 4.0, 5, false, 5.0);
    Bar unknown = new Bar(opening, 0, "at most 5 ms", null, 5, false, null);
    StringWriter out = new StringWriter();
    BenchJson.print(
        new PrintWriter(out),
        new BenchmarkReport(
            "2 cores", "25", null, Topic.NAMED_VECTORS, List.of(row), List.of(met, unknown), 1));
    Value document = JsonReader.read(out.toString());
    Value written = document.get("rows").list().getFirst();
    assertThat(written.get("id").text()).isEqualTo("open-saved-read");
    assertThat(written.get("unit").text()).isEqualTo("ms");
    assertThat(written.get("peers").number()).isEqualTo(1000);
    assertThat(written.get("privateToOfi4j").number()).isEqualTo(0.5);
    assertThat(written.has("udpToOfi4j")).isFalse();
    Value sides = written.get("sides");
    assertThat(sides.get("ofi4j").get("median").number()).isEqualTo(4);
    assertThat(sides.get("ofi4j").get("least").number()).isEqualTo(2);
    assertThat(sides.get("ofi4j").get("most").number()).isEqualTo(9);
    assertThat(sides.get("ofi4jFirst").get("rounds").list()).hasSize(1);
    assertThat(sides.has("udp")).isFalse();
    List<Value> bars = document.get("bars").list();
    assertThat(bars.get(0).get("met").isTrue()).isTrue();
    assertThat(bars.get(0).get("measured").number()).isEqualTo(4);
    assertThat(bars.get(0).get("allowed").number()).isEqualTo(5);
    assertThat(bars.get(1).get("met").isNull()).isTrue();
    assertThat(bars.get(1).get("measured").isNull()).isTrue();
  }

  private static Series series(double... rounds) {
    return new Series(Arrays.stream(rounds).boxed().toList());
  }

  @ParameterizedTest
  @CsvSource({
    "bench, 'ofi4j bench: WHAT is missing: av, pingpong, costs, named or chaos'",
    "bench udp, 'ofi4j bench: WHAT: \"udp\" is none of [av, pingpong, costs, named, chaos]'",
    "bench pingpong --sizes 65M, 'ofi4j bench: --sizes: \"65M\" is no length of a message: a"
        + " number from 1 to 64M, such as 64k'",
    "bench named --processes 0, 'ofi4j bench: --processes 0 is not within 1 to 128'",
    "bench costs --connections 0, 'ofi4j bench: --connections 0 must be at least 1'",
    "bench costs --only start, 'ofi4j bench: --only: \"start\" is none of [first-message,"
        + " first-message-cached, warm-up, first-round-trips, stream, connections, to-itself]'",
    "bench costs --only first-round-trips, 'ofi4j bench: --only: first-round-trips is not measured"
        + " over tcp of [ofi4j-blocking]'",
    "bench av --sizes x, 'ofi4j bench: --sizes: \"x\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 1G, 'ofi4j bench: --peers: \"1G\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 0, 'ofi4j bench: --peers: \"0\" is no number of peers: a number from 1 to"
        + " 2147483646, such as 64k or 16M'",
    "bench av --peers 1 --sizes 2, ofi4j bench: --peers and --sizes exclude each other",
    "bench av --rounds 0, ofi4j bench: --rounds takes at least 1",
    "bench av --peers 200M, ofi4j bench: --sizes: 200000000 is not in 1 to 100000000",
    "bench av --compare ucx, 'ofi4j bench: --compare: \"ucx\" is none of [libfabric, netty-epoll,"
        + " netty-nio, channel, batched-channel, aeron, all]'",
    "bench av --compare aeron, 'ofi4j bench: --compare takes only libfabric for av'",
    "bench pingpong --mode fast, 'ofi4j bench: --mode: \"fast\" is none of [spinning, domain,"
        + " blocking, auto]'",
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
    "pingpong, --peers 1k, '--provider, --mode, --sizes, --compare, --rounds, --strict, --plot,"
        + " --json'",
    "pingpong, --large, '--provider, --mode, --sizes, --compare, --rounds, --strict, --plot,"
        + " --json'",
    "named, --compare libfabric, '--peers, --sizes, --rounds, --processes, --strict, --plot,"
        + " --json'",
    "named, --shown-peers 1k, '--peers, --sizes, --rounds, --processes, --strict, --plot, --json'",
    "costs, --sizes 64, '--provider, --mode, --only, --compare, --connections, --seconds,"
        + " --rounds, --plot, --json'",
    "chaos, --rounds 3, '--kills, --processes, --seed, --json'",
    "chaos, --strict, '--kills, --processes, --seed, --json'",
    "av, --seed 1, '--peers, --sizes, --large, --compare, --rounds, --shown-peers, --time,"
        + " --strict, --plot, --json'",
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
