// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.cli.output.JsonReader;

/** The words that bash offers with the script of {@code ofi4j completion}. */
class CompletionTest {
  private static final Path BASH = Path.of("/bin/bash");

  @TempDir private static Path directory;

  @BeforeAll
  static void writeScript() throws IOException {
    assumeTrue(Files.isExecutable(BASH), "no bash");
    Files.writeString(directory.resolve("script"), CommandRun.of("completion").out());
    Files.createDirectory(directory.resolve("directory"));
    Files.createFile(directory.resolve("directory/peers.txt"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "info --endpoint _ | msg dgram rdm",
        "pingpong -e r | rdm",
        "pingpong -m _ | msg tagged",
        "info -c tagged_ | tagged_directed_receive",
        "info -f i | in in6 ib ib_ud ip",
        "av --format in | in in6",
        "av -d _ | reject share new-index",
        "av -t _ | table map",
        "bench p | pingpong",
        "bench av --time _ | wall cpu",
        "bench pingpong --compare _ | libfabric netty-epoll netty-nio channel batched-channel aeron"
            + " all",
        "bench pingpong --mode _ | spinning domain blocking auto",
        "help c | cluster conformance completion",
        "help av s | stat serve",
        "av --hosts directory/p | directory/peers.txt",
        "av directory/p | directory/peers.txt",
        "bench av --plot directory/p | directory/peers.txt",
        "cluster serve --data dir | directory",
        "conformance -s IN | INS",
      })
  void offers(String line, String words) throws Exception {
    assertThat(offered(line)).containsExactly(words.strip().split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "info",
    "av",
    "av stat",
    "av verify",
    "av unlink",
    "pingpong",
    "bench",
    "cluster join",
    "conformance"
  })
  void offersInstalledProviders(String command) throws Exception {
    List<String> installed =
        CommandRun.of("info", "--list")
            .out()
            .lines()
            .map(name -> name.replace(";", "\\;"))
            .toList();
    assertThat(offered(command + " -p _"))
        .isEqualTo(installed)
        .contains("udp", "tcp", "shm", "tcp\\;ofi_rxm");
    assertThat(offered(command + " --provider ud")).containsExactly("udp", "udp\\;ofi_rxd");
  }

  @Test
  void offersNamesWithSemicolonsWithAndWithoutQuotes() throws Exception {
    assertThat(offered("info -p tcp\\;")).containsExactly("tcp\\;ofi_rxm");
    assertThat(offered("info -p 'tcp;o")).containsExactly("tcp;ofi_rxm");
    assertThat(offered("info -p \"tcp;")).containsExactly("tcp;ofi_rxm");
    assertThat(offered("info -p '")).contains("udp", "udp;ofi_rxd", "libfabric:udp");
    assertThat(offered("av --hosts 'directory/p")).containsExactly("directory/peers.txt");
  }

  @Test
  void offersWhatFollowsAColonOrAnEqualsSign() throws Exception {
    assertThat(offered("info -p libf")).containsExactly("libfabric:tcp", "libfabric:udp");
    assertThat(offered("info -p libfabric :")).containsExactly("tcp", "udp");
    assertThat(offered("info -p libfabric : u")).containsExactly("udp");
    assertThat(offered("info -p 'libfabric:u")).containsExactly("libfabric:udp");
    assertThat(offered("info -p libfabric : udp -e r")).containsExactly("rdm");
    assertThat(offered("info --endpoint =")).containsExactly("msg", "dgram", "rdm");
    assertThat(offered("info --endpoint = r")).containsExactly("rdm");
    assertThat(offered("info --provider = libfabric : u")).containsExactly("udp");
  }

  @Test
  void offersDomainsAndFabrics() throws Exception {
    List<JsonReader.Value> offers = CommandRun.of("info", "--json").json().get("offers").list();
    List<String> domains =
        offers.stream().map(offer -> offer.get("domain").get("name").text()).distinct().toList();
    assertThat(domains).isNotEmpty();
    for (String option : List.of("av --domain", "av stat --domain", "pingpong -d")) {
      assertThat(offered(option + " _")).as(option).isEqualTo(domains);
    }
    assertThat(offered("pingpong -f _"))
        .isEqualTo(offers.stream().map(offer -> offer.get("fabric").text()).distinct().toList());
  }

  @Test
  void offersEveryCommandToExplain() throws Exception {
    assertThat(offered("help _"))
        .contains("info", "av", "cluster", "help")
        .doesNotContain("demo-peer");
  }

  /**
   * Returns what is offered for the last word; {@code _} is an empty one.
   *
   * @param line the words after {@code ofi4j}, where bash separates them
   */
  private static List<String> offered(String line) throws Exception {
    String program =
        """
        source ./script
        compopt() { :; } # only within a completion
        COMP_WORDS=(ofi4j "${@/#_/}")
        COMP_CWORD=$#
        COMP_LINE="${COMP_WORDS[*]}"
        COMP_POINT=${#COMP_LINE}
        replaced=${COMP_WORDS[COMP_CWORD]#[\\'\\"]}
        _complete_ofi4j_words ofi4j "${replaced#[:=]}"
        [ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
        """;
    List<String> command = new ArrayList<>(List.of(BASH.toString(), "--norc", "-c", program, "-"));
    command.addAll(List.of(line.strip().split(" ")));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    List<String> offered = process.inputReader().lines().toList();
    process.waitFor();
    return offered;
  }
}
