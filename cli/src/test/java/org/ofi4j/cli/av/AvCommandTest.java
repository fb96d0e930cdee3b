// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader.Value;

class AvCommandTest {
  private static final String LIST =
      """
      # a small cluster
      10.1.1.1:5000
      10.1.1.2:0
      [2001:db8::1]:5000

      0.0.0.0:5000          # wildcard
      10.1.1.1:5000
      fi_sockaddr_in://10.1.1.3:5000
      10.1.1.300:5000
      node1:5000
      node9:5000
      rack-node[009]x3:5000x2
      10.1.2.254x3:65535x2
      """;
  private static final String HOSTS =
      """
      10.2.0.1 node1
      10.3.0.9 rack-node009
      10.3.0.10 rack-node010
      10.3.0.11 rack-node011
      """;

  @TempDir private Path directory;

  @Test
  void everyBadLineIsNamedAndTheOthersGoIn() throws IOException {
    CommandRun run = CommandRun.of("av", list(), "--hosts", hosts(), "--json");
    assertThat(run.code()).isEqualTo(1);
    Value json = run.json();
    List<Value> bad = json.get("badLines").list();
    assertThat(bad.stream().map(line -> (int) line.get("line").number()))
        .containsExactly(3, 6, 7, 9, 11, 13);
    assertThat(bad.stream().map(line -> (int) line.get("errno").number()).limit(4))
        .containsExactly(99, 99, 114, 22);
    assertThat(bad.get(0).get("reason").text()).containsIgnoringCase("port");
    assertThat(bad.get(2).get("reason").text()).contains("handle 0");
    assertThat(bad.get(4).get("reason").text()).contains("node9");
    assertThat(bad.get(5).get("refused").number()).isEqualTo(3);
    assertThat(bad.get(5).get("peers").number()).isEqualTo(6);
    Value summary = json.get("summary");
    assertThat(summary.get("lines").number()).isEqualTo(13);
    assertThat(summary.get("empty").number()).isEqualTo(2);
    assertThat(summary.get("entries").number()).isEqualTo(13);
    assertThat(summary.get("inserted").number()).isEqualTo(13);
    assertThat(summary.get("rangePeers").number()).isEqualTo(9);
    assertThat(summary.get("memory").get("live").number()).isPositive();
    assertThat(summary.get("rates").get("lookupNanos").isNull()).isTrue();

    CommandRun text = CommandRun.of("av", list(), "--hosts", hosts());
    assertThat(text.code()).isEqualTo(1);
    assertThat(text.err().lines()).hasSize(6).allMatch(line -> line.contains("list.txt:"));
    assertThat(text.err()).contains("list.txt:6: \"0.0.0.0:5000", "(3 of 6 peers)");
    assertThat(text.out()).contains("13 in a TABLE of FI_SOCKADDR_IP", "bytes a peer");
    CommandRun quiet = CommandRun.of("av", list(), "--hosts", hosts(), "--quiet");
    assertThat(quiet.err()).isEmpty();
    assertThat(quiet.code()).isEqualTo(1);
  }

  @Test
  void peersStandInTheOrderOfTheirLines() throws IOException {
    CommandRun run = CommandRun.of("av", list(), "--hosts", hosts(), "--print", "-q");
    assertThat(run.out().lines())
        .containsExactly(
            "0\tfi_sockaddr_in://10.1.1.1:5000",
            "1\tfi_sockaddr_in6://[2001:db8::1]:5000",
            "2\tfi_sockaddr_in://10.1.1.3:5000",
            "3\tfi_sockaddr_in://10.2.0.1:5000",
            "4\tfi_sockaddr_in://10.3.0.9:5000",
            "5\tfi_sockaddr_in://10.3.0.9:5001",
            "6\tfi_sockaddr_in://10.3.0.10:5000",
            "7\tfi_sockaddr_in://10.3.0.10:5001",
            "8\tfi_sockaddr_in://10.3.0.11:5000",
            "9\tfi_sockaddr_in://10.3.0.11:5001",
            "10\tfi_sockaddr_in://10.1.2.254:65535",
            "11\tfi_sockaddr_in://10.1.2.255:65535",
            "12\tfi_sockaddr_in://10.1.3.0:65535");
    assertThat(run.err()).contains("13 in a TABLE");
    CommandRun json = CommandRun.of("av", list(), "--hosts", hosts(), "--print", "--json");
    assertThat(json.json().get("peers").list()).hasSize(13);
  }

  @Test
  void lookupAndFindAnswerBothWays() throws IOException {
    CommandRun run =
        CommandRun.withInput(
            "10.1.1.1:5000\n10.1.1.2:5000\n",
            "av",
            "--lookup",
            "1",
            "--lookup",
            "0x0",
            "--find",
            "10.1.1.2:5000");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains(
            "handle 1: fi_sockaddr_in://10.1.1.2:5000",
            "handle 0: fi_sockaddr_in://10.1.1.1:5000",
            "10.1.1.2:5000: handle 1");
    CommandRun wrong =
        CommandRun.withInput(
            "10.1.1.1:5000\n", "av", "--lookup", "7", "--find", "10.9.9.9:1", "--json", "-");
    assertThat(wrong.code()).isEqualTo(1);
    Value json = wrong.json();
    assertThat(json.get("lookups").list().getFirst().get("error").text()).contains("7");
    assertThat(json.get("finds").list().getFirst().get("handle").isNull()).isTrue();
    assertThat(CommandRun.withInput("", "av", "--lookup", "seven").code()).isEqualTo(2);
    CommandRun named =
        CommandRun.of("av", list(), "-q", "--hosts", hosts(), "--find", "node1:5000");
    assertThat(named.out()).contains("node1:5000: handle 3");
  }

  @Test
  void duplicatesAsAskedFor() {
    String twice = "10.1.1.1:5000\n10.1.1.1:5000\n";
    CommandRun rejected = CommandRun.withInput(twice, "av", "--json");
    assertThat(rejected.code()).isEqualTo(1);
    CommandRun shared = CommandRun.withInput(twice, "av", "-d", "share", "--json");
    assertThat(shared.code()).isZero();
    assertThat(shared.json().get("summary").get("entries").number()).isEqualTo(1);
    CommandRun again = CommandRun.withInput(twice, "av", "-d", "new-index", "--json");
    assertThat(again.code()).isZero();
    assertThat(again.json().get("summary").get("entries").number()).isEqualTo(2);
  }

  @Test
  void formatAndTypeOfTheVector() {
    CommandRun only4 =
        CommandRun.withInput("10.1.1.1:5000\n[::1]:5000\n", "av", "-f", "in", "--json");
    assertThat(only4.code()).isEqualTo(1);
    assertThat(only4.json().get("format").text()).isEqualTo("FI_SOCKADDR_IN");
    assertThat(only4.json().get("badLines").list().getFirst().get("line").number()).isEqualTo(2);
    CommandRun text = CommandRun.withInput("10.1.1.1:5000\n", "av", "-f", "str", "--print");
    assertThat(text.out()).isEqualTo("0\tfi_sockaddr_in://10.1.1.1:5000" + System.lineSeparator());
    String longest = "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535\n";
    CommandRun longText = CommandRun.withInput(longest.repeat(2), "av", "-f", "str");
    assertThat(longText.err()).contains("standard input:2: ", "already");
    assertThat(longText.code()).isEqualTo(1);
    CommandRun map = CommandRun.withInput("10.1.1.1:5000\n", "av", "-t", "map", "--json");
    assertThat(map.json().get("type").text()).isEqualTo("FI_AV_MAP");
    assertThat(CommandRun.withInput("", "av", "-f", "opx").code()).isEqualTo(61);
  }

  @Test
  void aServiceForLinesWithoutOne() {
    CommandRun run = CommandRun.withInput("10.1.1.1\n10.1.1.2:6\n", "av", "-s", "5", "--print");
    assertThat(run.out()).contains("10.1.1.1:5", "10.1.1.2:6");
    assertThat(run.code()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "02001d2f0a1f06010000000000000000, fi_sockaddr_in://10.31.6.1:7471, ",
    "0a001d2f00000000fe80000000000000000000000006001200000000, fi_sockaddr_in6://[fe80::6:12]:7471,"
        + " ",
    "efcdab0000000000, fi_addr_opx://0000000000abcdef, opx",
    "cdab341200000000ff00000000000000, fi_addr_psmx2://1234abcd:ff, psmx2"
  })
  void conversionGoesBothWays(String hexadecimal, String text, String format) {
    String chosen = format == null ? "sockaddr" : format;
    CommandRun there = CommandRun.of("av", "-f", chosen, "--convert", hexadecimal);
    assertThat(there.err()).isEmpty();
    assertThat(there.out().strip()).isEqualTo(text + "  " + hexadecimal);
    CommandRun back = CommandRun.of("av", "--convert", text, "--json");
    Value conversion = back.json().get("conversions").list().getFirst();
    assertThat(conversion.get("bytes").text()).isEqualTo(hexadecimal);
    assertThat(conversion.get("text").text()).isEqualTo(text);
    assertThat(back.code()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"0200, ", "abc, odd", "node1:5000, numeric", "10.1.1.1x3:5, numeric"})
  void whatCannotBeConvertedSaysWhy(String input) {
    CommandRun run = CommandRun.of("av", "--convert", input);
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("\"" + input + "\": ");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void aFileThatIsNotThere() {
    CommandRun run = CommandRun.of("av", directory.resolve("nowhere").toString(), "--json");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("nowhere: no such file");
    assertThat(run.json().get("error").text()).contains("nowhere: no such file");
  }

  @Test
  void filesThatAreNoLists() throws IOException {
    CommandRun run = CommandRun.of("av", directory.toString());
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).isEqualTo("ofi4j av: " + directory + ": is a directory\n");
    assertThat(CommandRun.of("av", "--hosts", directory.toString()).err())
        .contains(directory + ": is a directory");
    Path utf16 = directory.resolve("utf16.txt");
    Files.writeString(utf16, "\uFEFF10.0.0.1:5000\n", StandardCharsets.UTF_16LE);
    CommandRun encoded = CommandRun.of("av", utf16.toString());
    assertThat(encoded.code()).isEqualTo(1);
    assertThat(encoded.err()).contains(utf16 + " is in UTF-16");
  }

  @Test
  void byteOrderMarksAreSkipped() throws IOException {
    Path list = directory.resolve("marked.txt");
    Files.writeString(list, "\uFEFFnode1:5000\n");
    Path marked = directory.resolve("marked-hosts");
    Files.writeString(marked, "\uFEFF10.2.0.1 node1\n");
    CommandRun run =
        CommandRun.of("av", list.toString(), "--hosts", marked.toString(), "--lookup", "0");
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("handle 0: fi_sockaddr_in://10.2.0.1:5000");
  }

  /** Failures inside ranges are told as those of single lines are. */
  @Test
  void failuresInRangesNameTheAddressAndTheHandle() {
    CommandRun run =
        CommandRun.withInput(
            "10.0.0.2:5\n10.0.0.1x3:5\n[::1]:7\n[::1]:6x2\n255.255.255.254x3:5\n", "av");
    assertThat(run.err())
        .contains(
            ":2: \"10.0.0.1x3:5\" (1 of 3 peers): "
                + "10.0.0.2:5: is in the vector already, as handle 0",
            "[0:0:0:0:0:0:0:1]:7: is in the vector already, as handle 3",
            "255.255.255.254 + 2:5: ");
  }

  @Test
  void servicesByNameAreFound() {
    String list = "10.1.1.1:80\n127.0.0.1:80\n";
    CommandRun run =
        CommandRun.withInput(
            list,
            "av",
            "-s",
            "http",
            "--find",
            "localhost:http",
            "--find",
            "10.1.1.1:http",
            "--find",
            "10.1.1.1");
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .contains("localhost:http: handle 1", "10.1.1.1:http: handle 0", "10.1.1.1: handle 0");
    CommandRun unknown = CommandRun.withInput(list, "av", "--find", "10.1.1.1:no-such-service");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("no-such-service", "not known");
  }

  @Test
  void ratesOfAFewPeersAreNotMeasured() {
    CommandRun few = CommandRun.withInput("10.1.1.1:5000\n", "av");
    assertThat(few.out()).contains("too few").doesNotContain("insert ", "lookup ");
    CommandRun none = CommandRun.withInput("", "av");
    assertThat(none.out()).contains("memory").doesNotContain("bytes a peer");
    assertThat(CommandRun.withInput("", "av", "--json").json().get("summary").get("memory"))
        .satisfies(memory -> assertThat(memory.get("livePerPeer").isNull()).isTrue());
    CommandRun many = CommandRun.withInput("10.0.0.0x5000:5000\n", "av", "--json");
    Value rates = many.json().get("summary").get("rates");
    assertThat(rates.get("insertPerSecond").isNull()).isTrue();
    assertThat(rates.get("lookupNanos").number()).isPositive();
  }

  /** They go in within milliseconds, which tell of the JVM and not of the vector. */
  @Test
  void insertionOfAFewThousandIsNotMeasured() {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      list.append("10.1.").append(i >> 8).append('.').append(i & 0xFF).append(":5000\n");
    }
    assertThat(CommandRun.withInput(list.toString(), "av").out())
        .contains("too few numeric addresses to measure insertion, lookup ")
        .doesNotContain("insert ");
    Value summary = CommandRun.withInput(list.toString(), "av", "--json").json().get("summary");
    assertThat(summary.get("inserted").number()).isEqualTo(5000);
    assertThat(summary.get("rates").get("insertPerSecond").isNull()).isTrue();
  }

  /** The shipped list: its bad lines are those that are marked as bad. */
  @Test
  void theShippedListIsAsItsMarksSay() throws IOException {
    Path data = Path.of(System.getProperty("basedir", "."), "..", "data");
    CommandRun run =
        CommandRun.of(
            "av",
            data.resolve("peers.txt").toString(),
            "--hosts",
            data.resolve("hosts").toString(),
            "--json");
    List<String> lines = Files.readAllLines(data.resolve("peers.txt"));
    List<Integer> marked =
        java.util.stream.IntStream.range(0, lines.size())
            .filter(i -> lines.get(i).indexOf("# bad: ") > 0 && !lines.get(i).startsWith("#"))
            .mapToObj(i -> i + 1)
            .toList();
    assertThat(
            run.json().get("badLines").list().stream().map(line -> (int) line.get("line").number()))
        .containsExactlyElementsOf(marked);
    assertThat(marked).hasSizeGreaterThan(40);
  }

  /** Nothing is kept for a line, so a million of them are routine: {@code -Dofi4j.lines}. */
  @Test
  void manyLinesAreRoutine() {
    int lines = Integer.getInteger("ofi4j.lines", 100_000);
    CommandRun run = CommandRun.of(new Generated(lines), "av", "--json");
    Value summary = run.json().get("summary");
    assertThat(summary.get("lines").number()).isEqualTo(lines);
    assertThat(summary.get("entries").number()).isEqualTo(lines - 10);
    assertThat(run.json().get("badLines").list()).hasSize(10);
    assertThat(run.code()).isEqualTo(1);
  }

  /** Lines of scattered addresses; ten of them have port 0. */
  private static final class Generated extends InputStream {
    private final int count;
    private int line;
    private byte[] current = new byte[0];
    private int at;

    Generated(int count) {
      this.count = count;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
      int filled = 0;
      while (filled < length) {
        if (at == current.length) {
          if (line == count) {
            break;
          }
          current = next().getBytes(StandardCharsets.US_ASCII);
          at = 0;
        }
        int part = Math.min(length - filled, current.length - at);
        System.arraycopy(current, at, bytes, offset + filled, part);
        at += part;
        filled += part;
      }
      return filled == 0 ? -1 : filled;
    }

    private String next() {
      int scattered = line * 0x9E3779 & 0xFF_FFFF;
      int port = ++line % (count / 10) == 0 ? 0 : 5000;
      return "10."
          + (scattered >> 16)
          + "."
          + (scattered >> 8 & 0xFF)
          + "."
          + (scattered & 0xFF)
          + ":"
          + port
          + "\n";
    }
  }

  private String list() throws IOException {
    return Files.writeString(directory.resolve("list.txt"), LIST).toString();
  }

  private String hosts() throws IOException {
    return Files.writeString(directory.resolve("hosts"), HOSTS).toString();
  }

  @Test
  void aZoneIsTakenWhereverAnAddressIs() throws Exception {
    NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    String zoned = "[fe80::1%" + loopback.getName() + "]:5000";
    CommandRun found = CommandRun.withInput(zoned + "\n", "av", "--find", zoned, "-");
    assertThat(found.code()).as(found.err()).isZero();
    CommandRun twice = CommandRun.withInput(zoned + "\n" + zoned + "\n", "av", "-");
    assertThat(twice.err())
        .contains(":2: \"" + zoned + "\": is in the vector already, as handle 0");
    assertThat(CommandRun.of("av", "--convert", zoned).out())
        .contains(
            "0a001388"
                + "00000000"
                + "fe800000000000000000000000000001"
                + "%08x".formatted(Integer.reverseBytes(loopback.getIndex())));
    CommandRun absent = CommandRun.withInput("", "av", "--find", "[fe80::1%absent0]:5000", "-");
    assertThat(absent.code()).isEqualTo(1);
    assertThat(absent.err()).contains("absent0", "no network interface of this host");
    assertThat(CommandRun.of("av", "--convert", "[fe80::1%absent0]:5000").err())
        .contains("absent0", "no network interface of this host");
  }

  @Test
  void standardInputThatCannotBeReadIsNamed() {
    InputStream closed =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("Bad file descriptor");
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            throw new IOException("Bad file descriptor");
          }
        };
    CommandRun run = CommandRun.of(closed, "av");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("standard input cannot be read: Bad file descriptor");
  }
}
