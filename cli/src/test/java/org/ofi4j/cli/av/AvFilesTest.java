// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.CommandRun;

/** Named vectors in a directory of the test's, where nobody else has any. */
@Isolated("where named vectors are holds for the whole JVM")
class AvFilesTest {
  private static final String PROPERTY = "ofi4j.share.directory";

  /** Where a control file has the process that changes the vector. */
  private static final long WRITER = 40;

  private final String former = System.getProperty(PROPERTY);

  @TempDir private Path directory;

  @BeforeEach
  void useTheDirectory() {
    System.setProperty(PROPERTY, share().toString());
  }

  @AfterEach
  void useTheFormerOne() {
    if (former == null) {
      System.clearProperty(PROPERTY);
    } else {
      System.setProperty(PROPERTY, former);
    }
  }

  private Path share() {
    return directory.resolve("share");
  }

  private List<Path> controlFiles() throws IOException {
    try (Stream<Path> files = Files.list(share())) {
      return files.filter(each -> each.toString().endsWith(".control")).toList();
    }
  }

  private String list(String text) throws IOException {
    return Files.writeString(directory.resolve("peers.txt"), text).toString();
  }

  /** What a test does while a vector "job" is open that rejects duplicates. */
  private interface Use {
    void of(AddressVector vector) throws IOException;
  }

  private static void whileOpen(Hints hints, Use use) throws IOException {
    FabricInfo info =
        Fabrics.info(
                hints
                    .withProvider("udp")
                    .withDomain("lo")
                    .withAddressFormat(AddressFormat.SOCKADDR_IN))
            .best();
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain();
        AddressVector vector =
            domain.openAddressVector(
                VectorOptions.table().withName("job").withDuplicates(DuplicatePolicy.REJECT))) {
      use.of(vector);
    }
  }

  private static void assertFails(CommandRun run, String... words) {
    assertThat(run.code()).as(run.out()).isEqualTo(1);
    assertThat(run.err()).contains(words);
  }

  @Test
  @DisplayName(
      "A vector that cannot be looked at is not made a second time, and the reason is said")
  void aVectorThatCannotBeLookedAt() throws IOException {
    String peers = list("10.1.1.7:5000\n");
    List<Path> control = new ArrayList<>();
    whileOpen(Hints.latest(), vector -> control.addAll(controlFiles()));
    Path open = Files.createFile(control.getFirst());
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertFails(CommandRun.of("av", peers, "--name", "job"), "cannot be looked at", "chmod");
    assertFails(CommandRun.of("av", "--name", "job", "--lookup", "0"), "cannot be looked at");
    assertThat(controlFiles()).containsExactly(open);
  }

  @Test
  @DisplayName("Peers are added to a vector of a version without FI_SYNC_ERR, and bad ones named")
  void aVectorOfAnOldVersion() throws IOException {
    String peers = list("10.9.9.9:5\n0.0.0.0:7\n10.9.9.9:5\n10.9.9.10:7\n");
    whileOpen(
        Hints.of(ApiVersion.V1_0),
        vector -> {
          assertFails(
              CommandRun.of("av", peers, "--name", "job"),
              "peers.txt:2: \"0.0.0.0:7\": ",
              "any-address",
              "peers.txt:3: \"10.9.9.9:5\": is in the vector already, as handle 0");
          assertThat(vector.size()).isEqualTo(2);
          assertThat(vector.lookup(1))
              .isEqualTo(FabricAddress.parse("fi_sockaddr_in://10.9.9.10:7"));
        });
  }

  @Test
  @DisplayName("A process that lives and is named as the writer is at work, or has failed")
  void aLivingWriter() throws IOException {
    whileOpen(
        Hints.latest(),
        vector -> {
          long pid = ProcessHandle.current().pid();
          writer(1L << 32 | pid);
          assertThat(CommandRun.of("av", "stat", "job").out())
              .contains("process " + pid + " is at work");
          writer(-1L << 32 | pid);
          assertThat(CommandRun.of("av", "stat", "job").out())
              .contains("process " + pid + " died or failed at work");
          assertThat(CommandRun.of("av", "verify", "job").out())
              .contains("interrupted by the death or a failure of process " + pid);
          writer(0);
        });
  }

  private void writer(long process) throws IOException {
    ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
    word.putLong(0, process);
    try (FileChannel file = FileChannel.open(controlFiles().getFirst(), StandardOpenOption.WRITE)) {
      assertThat(file.write(word, WRITER)).isEqualTo(Long.BYTES);
    }
  }

  @Test
  @DisplayName("Where there is no vector, --watch says so once, as without it")
  void nothingToWatch() {
    String[] args = {"av", "stat", "--watch", "1", "--times", "2", "--json"};
    CommandRun json = CommandRun.of(args);
    assertThat(json.code()).as(json.err()).isZero();
    assertThat(json.json().get("vectors").list()).isEmpty();
    assertThat(CommandRun.of("av", "stat", "--watch", "1").out()).contains("no named vectors");
  }
}
