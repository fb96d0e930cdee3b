// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.ClassPath;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.Main;
import org.ofi4j.cli.output.JsonReader.Value;

/** {@code ofi4j av} on vectors that several processes share. */
class AvNamedTest {
  private final String name = "cli test/" + UUID.randomUUID();

  @TempDir private Path directory;

  private String list(String text) throws IOException {
    Path file = directory.resolve("peers.txt");
    Files.writeString(file, text);
    return file.toString();
  }

  private static CommandRun good(String... args) {
    CommandRun run = CommandRun.of(args);
    assertThat(run.code()).as(run.err() + run.out()).isZero();
    return run;
  }

  private static CommandRun failed(String words, String... args) {
    CommandRun run = CommandRun.of(args);
    assertThat(run.code()).as(run.out()).isEqualTo(1);
    assertThat(run.err()).contains(words);
    return run;
  }

  @Test
  void aVectorThatNobodyElseUsesIsMadeAndGoes() throws IOException {
    String peers = list("10.1.1.0x4:5000x2\n");
    CommandRun made = good("av", peers, "--name", name, "--lookup", "7", "--print");
    assertThat(made.out()).contains("7: fi_sockaddr_in://10.1.1.3:5001", "0\tfi_sockaddr_in");
    failed("there is no vector", "av", "stat", name);
    failed("there is no vector", "av", "--name", name, "--lookup", "7");
    failed("there is no vector", "av", "verify", name);
    failed("there is no vector", "av", "unlink", name);
    assertThat(CommandRun.of("av", "--stay", peers).code()).isEqualTo(2);
    assertThat(CommandRun.of("av", "--name", "", "--lookup", "7").code()).isEqualTo(1);
  }

  @Test
  void theVectorOfAnotherProgramIsTakenAsItIs() throws IOException {
    FabricInfo info =
        Fabrics.info(
                Hints.latest()
                    .withProvider("udp")
                    .withDomain("lo")
                    .withAddressFormat(AddressFormat.SOCKADDR_IN))
            .best();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain();
        AddressVector vector =
            domain.openAddressVector(
                VectorOptions.table()
                    .withName(name)
                    .withReceiveContextBits(3)
                    .withDuplicates(DuplicatePolicy.NEW_INDEX))) {
      vector.insertSymmetric("10.2.0.1", 100, "5000", 4);
      for (int i = 0; i < 3; i++) {
        vector.insert(FabricAddress.parse("fi_sockaddr_in://10.9.9.9:" + (i * i + 1)));
      }
      vector.remove(0);

      CommandRun asked =
          good("av", "--name", name, "--lookup", "399", "--find", "10.9.9.9:5", "--print");
      assertThat(asked.out())
          .contains(
              "handle 399: fi_sockaddr_in://10.2.0.100:5003",
              "10.9.9.9:5: handle 402",
              "402\tfi_sockaddr_in://10.9.9.9:5")
          .doesNotContain("\n0\t");
      good("av", list("10.9.9.9:5\n10.9.9.10:7\n"), "--name", name, "-p", "udp");
      assertThat(vector.size()).as("NEW_INDEX, as the vector has it").isEqualTo(404);
      failed("duplicate policy", "av", "--name", name, "-d", "share", "--lookup", "1");

      Value stat = good("av", "stat", name, "--json").json().get("vectors").list().getFirst();
      assertThat(stat.get("name").text()).isEqualTo(name);
      assertThat(stat.get("domain").text()).isEqualTo("lo");
      assertThat(stat.get("entries").number()).isEqualTo(404);
      assertThat(stat.get("receiveContextBits").number()).isEqualTo(3);
      assertThat(stat.get("duplicates").text()).isEqualTo("new-index");
      assertThat(stat.get("runs").number()).isPositive();
      assertThat(stat.get("changes").number()).isPositive();
      assertThat(stat.get("writer").number()).isZero();
      assertThat(stat.get("memory").get("held").number()).isPositive();
      CommandRun all = good("av", "stat");
      assertThat(all.out()).contains(name, "404 (at most 404 at once)", "none is at work");
      CommandRun watched = good("av", "stat", name, "--watch", "0.01", "--times", "3");
      assertThat(watched.out().lines()).hasSize(3).allMatch(line -> line.contains("404 entries"));
      CommandRun timed = good("av", "stat", name, "--watch", "1", "--times", "1", "--json");
      assertThat(Instant.parse(timed.json().get("time").text())).isAfter(Instant.EPOCH);

      CommandRun verified = good("av", "verify", name);
      assertThat(verified.out()).contains("all is as it must be", "404 entries");
      failed("in use", "av", "unlink", name);
      assertThat(vector.lookup(1)).isEqualTo(FabricAddress.parse("fi_sockaddr_in://10.2.0.1:5001"));
    }
    failed("there is no vector", "av", "stat", name);
  }

  /** {@code ofi4j av --stay} in a JVM of its own. */
  private Process hold() throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--class-path",
            ClassPath.text(),
            Main.class.getName(),
            "av",
            list("10.1.1.0x250:5000x8\n10.3.3.3:9\n"),
            "--name",
            name,
            "--stay");
    return new ProcessBuilder(command)
        .redirectOutput(directory.resolve("held.txt").toFile())
        .redirectError(directory.resolve("held.err").toFile())
        .start();
  }

  private void awaitOpen(Process held) throws Exception {
    while (!Files.readString(directory.resolve("held.err")).contains("end with Ctrl-C")) {
      assertThat(held.isAlive()).as(Files.readString(directory.resolve("held.err"))).isTrue();
      Thread.sleep(50);
    }
  }

  @Test
  void heldVectorsStayAndGoWithTheirProcess() throws Exception {
    Process held = hold();
    try {
      awaitOpen(held);
      assertThat(good("av", "stat", name).out()).contains("2,001 (at most", "1: " + held.pid());
      assertThat(good("av", "--name", name, "--find", "10.3.3.3:9").out())
          .contains("10.3.3.3:9: handle 2000");
      held.destroy();
      held.waitFor();
      failed("there is no vector", "av", "stat", name);
    } finally {
      held.destroyForcibly();
    }
  }

  @Test
  void whatKilledProcessesLeaveIsShownCheckedAndRemoved() throws Exception {
    Process held = hold();
    try {
      awaitOpen(held);
      held.destroyForcibly().waitFor();

      assertThat(good("av", "stat", name).out()).contains("left by processes that were killed");
      assertThat(good("av", "stat", name, "--json").json().get("vectors").list().getFirst())
          .satisfies(stat -> assertThat(stat.get("inUse").isTrue()).isFalse());
      Value report = good("av", "verify", name, "--json").json().get("vectors").list().getFirst();
      assertThat(report.get("state").text()).isEqualTo("LEFT");
      assertThat(report.get("provider").text()).isEqualTo("udp");
      assertThat(report.get("domain").text()).isNotEmpty();
      assertThat(report.get("entries").number()).isEqualTo(2001);
      failed("there is no vector", "av", "--name", name, "--lookup", "1");
      assertThat(good("av", "unlink", name).out()).contains("removed");
      failed("there is no vector", "av", "unlink", name);
    } finally {
      held.destroyForcibly();
    }
  }

  /**
   * The interface of the domain is gone, or no command asks libfabric without a name of its own.
   */
  @ParameterizedTest
  @CsvSource({
    "udp, gone0, 10.9.9.0/24, udp%3Agone0%3A10%2E9%2E9%2E0%2F24",
    "shm, shm, shm, shm%3Ashm%3Ashm",
    "libfabric:net;ofi_rxm, gone0, fe80::/64, libfabric%3Anet%3Bofi_rxm%3Agone0%3Afe80%3A%3A%2F64",
  })
  void vectorsOfDomainsThatAreNotOfferedAreShownAndRemoved(
      String provider, String domain, String fabric, String encoded) throws Exception {
    Process held = hold();
    try {
      awaitOpen(held);
      held.destroyForcibly().waitFor();
      for (Path file : files()) {
        String of = file.getFileName().toString();
        Files.move(file, file.resolveSibling(encoded + of.substring(of.indexOf('+'))));
      }

      assertThat(good("av", "stat").out()).contains(name);
      Value stat = good("av", "stat", name, "--json").json().get("vectors").list().getFirst();
      assertThat(stat.get("provider").text()).isEqualTo(provider);
      assertThat(stat.get("domain").text()).isEqualTo(domain);
      assertThat(stat.get("fabric").text()).isEqualTo(fabric);
      assertThat(good("av", "verify", name).out()).contains("2,001 entries", "domain " + domain);
      failed("there is no vector", "av", "stat", name, "-p", "tcp");
      failed("there is no vector", "av", "unlink", name, "--domain", "lo");
      assertThat(good("av", "unlink", name, "-p", provider, "--domain", domain).out())
          .contains("removed " + name + " (" + provider + ", domain " + domain);
      assertThat(files()).isEmpty();
    } finally {
      held.destroyForcibly();
    }
  }

  /** Returns the control file and the files of entries of the vector. */
  private List<Path> files() throws IOException {
    String unique = name.substring(name.indexOf('/') + 1);
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> users = Files.newDirectoryStream(Path.of("/dev/shm"), "ofi4j-*")) {
      for (Path user : users) {
        if (Files.isReadable(user)) {
          try (DirectoryStream<Path> found = Files.newDirectoryStream(user, "*" + unique + "*")) {
            found.forEach(files::add);
          }
        }
      }
    }
    return files;
  }
}
