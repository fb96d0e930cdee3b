// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.SharedFiles;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/** Endpoints of {@code shm} in containers: little memory, and numbers of processes that repeat. */
class SharedMemoryTest {
  /** The size of {@code /dev/shm} in a container by default, in MiB. */
  private static final int CONTAINER = 64;

  @BeforeAll
  static void needShm() {
    CCompiler.needProvider("shm");
  }

  /** Every page of an endpoint is there, so that no write ends the JVM. */
  @Test
  void fullMemoryRefusesEndpointsAndHarmsNone() throws Exception {
    assertThat(said(Namespace.ofSharedMemory(CONTAINER), "full")).isEqualTo("survived");
  }

  /** Messages go through the endpoint's own memory instead of the peer's. */
  @Test
  void fullMemoryHarmsNoLargeMessage() throws Exception {
    List<String> starter = Namespace.ofSharedMemory(CONTAINER, "FI_SHM_DISABLE_CMA=1");
    assertThat(said(starter, "full")).isEqualTo("survived");
  }

  @Test
  void refusalOfOffersNamesLackOfMemory() throws Exception {
    assertThat(said(Namespace.ofSharedMemory(8), "small"))
        .contains("processors of the host", "8192 KiB are free", "--shm-size");
  }

  /** A file for a message would need space that nothing reserves. */
  @Test
  void messagesInFilesAreRefused() throws Exception {
    assumeTrue(Libfabric.installed().isBefore(2, 5));
    assertThat(said(Namespace.ofSharedMemory(400, "FI_SHM_SAR_THRESHOLD=5000"), "small"))
        .contains("unset FI_SHM_SAR_THRESHOLD");
  }

  @Test
  void smallQueuesNeedLessMemory() throws Exception {
    long processors = Runtime.getRuntime().availableProcessors();
    boolean rounds = Libfabric.installed().isBefore(2, 5);
    int enough = (int) ((rounds ? 16 : 9) * (processors + 1));
    assertThat(said(Namespace.ofSharedMemory(enough), "few")).isEqualTo("survived");
  }

  @Test
  void filesOfKilledProcessesAreDeletedWhenNoneNeedsThem() throws Exception {
    assertThat(said(Namespace.ofSharedMemory(400), "left")).isEqualTo("survived");
  }

  private static String said(List<String> starter, String what) throws Exception {
    try (ChildJvm jvm = start(starter, what)) {
      String said = jvm.line();
      assertThat(jvm.exitStatus()).as("%s %s", said, jvm.errors()).isZero();
      return String.valueOf(said);
    }
  }

  private static ChildJvm start(List<String> starter, String... arguments) throws IOException {
    return ChildJvm.startWithin(
        starter, SharedMemoryProgram.class, List.of(ChildJvm.NATIVE), arguments);
  }

  /** Each is process 1 of its namespace. */
  @Test
  void processesOfOneNumberHaveTheirOwnEndpoints() throws Exception {
    List<String> container = Namespace.ofProcesses();
    try (ChildJvm first = start(container, "hold", "")) {
      String address = first.demandedLine();
      try (ChildJvm second = start(container, "hold", "")) {
        String other = second.demandedLine();
        assertThat(other).isNotEqualTo(address);
        assertThat(said(List.of(), "send", address)).isEqualTo("sent");
        assertThat(first.demandedLine()).isEqualTo("received " + address);
        assertThat(said(container, "send", other)).isEqualTo("sent");
        assertThat(second.demandedLine()).isEqualTo("received " + other);
        end(second);
      }
      end(first);
    }
  }

  private static void end(ChildJvm jvm) throws Exception {
    jvm.say("end");
    assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isZero();
  }

  private static Path file(String address) {
    return Path.of("/dev/shm", address.substring(address.lastIndexOf('/') + 1));
  }

  private static String said(List<String> starter, String what, String address) throws Exception {
    try (ChildJvm jvm = start(starter, what, address)) {
      String said = jvm.line();
      assertThat(jvm.exitStatus()).as("%s %s", said, jvm.errors()).isZero();
      return String.valueOf(said);
    }
  }

  /** libfabric would look for the process by its number, and overwrite the file or delete it. */
  @Test
  void addressThatIsInUseIsRefusedAndKept() throws Exception {
    String address = "fi_ns://ofi4j-test-" + ProcessHandle.current().pid();
    for (List<String> place : List.of(List.<String>of(), Namespace.ofProcesses())) {
      try (ChildJvm first = start(Namespace.ofProcesses(), "hold", address)) {
        assertThat(first.demandedLine()).isEqualTo(address);
        try (ChildJvm second = start(place, "hold", address)) {
          assertThat(second.demandedLine()).contains("EBUSY (16)", "in use");
        }
        assertThat(said(List.of(), "send", address)).isEqualTo("sent");
        assertThat(first.demandedLine()).isEqualTo("received " + address);
      }
    }
    try (ChildJvm last = start(List.of(), "hold", address)) {
      assertThat(last.demandedLine()).isEqualTo(address);
      last.say("go on");
      assertThat(said(List.of(), "send", address)).isEqualTo("sent");
      assertThat(last.exitStatus()).isZero();
    }
  }

  @Test
  void fileOfAnotherProgramIsRefusedAndKept() throws Exception {
    String name = "ofi4j-test-" + ProcessHandle.current().pid() + "-other";
    Path file = Files.writeString(Path.of("/dev/shm", name), "nothing of ours");
    try (ChildJvm jvm = start(List.of(), "hold", "fi_ns://" + name)) {
      assertThat(jvm.demandedLine()).contains("EBUSY (16)", name, "remove the file");
      assertThat(file).hasContent("nothing of ours");
    } finally {
      Files.delete(file);
    }
  }

  /** Its number is that of another process here. */
  @Test
  void killedPeerOfAnotherNamespaceIsNoticed() throws Exception {
    ChildJvm peer = start(Namespace.ofProcesses(), "hold", "");
    String address = peer.demandedLine();
    try (peer;
        ChildJvm sender = start(List.of(), "watch", address)) {
      assertThat(sender.demandedLine()).isEqualTo("sent");
      assertThat(peer.demandedLine()).startsWith("received");
      peer.kill();
      sender.say("go on");
      String said = sender.line();
      assertThat(sender.exitStatus()).as("%s", sender.errors()).isZero();
      assertThat(said).isEqualTo("survived");
    } finally {
      Files.deleteIfExists(file(address));
    }
  }

  @Test
  void killedProcessOfAnotherProgramIsNoticed() throws Exception {
    PeerFile file = killed(true);
    awaitTrue(file::isGone);
    Files.delete(file.path());
  }

  /** One that has the file of a process mapped whose number, in its namespace, is the same. */
  @Test
  void processThatMapsTheFileOfAnotherIsNotTakenForIt() throws Exception {
    PeerFile file = killed(false);
    for (int i = 0; i < 5; i++) {
      Thread.sleep(60);
      assertThat(file.isThere()).isTrue();
    }
    Files.delete(file.path());
    file.isThere();
    Thread.sleep(60);
    assertThat(file.isGone()).isTrue();
  }

  /** A process that ends deletes its files, and may answer operations until it has ended. */
  @Test
  void deletedFileIsInUseAsLongAsItIsLocked() throws Exception {
    Path path = SharedFiles.DIRECTORY.resolve("ofi4j-test-" + ProcessHandle.current().pid());
    int descriptor = SharedFiles.create();
    SharedFiles.reserve(descriptor, 4096);
    assertThat(SharedFiles.link(descriptor, path)).isTrue();
    initialize(path);
    SharedFiles.mark(descriptor);
    try (PeerFile file = new PeerFile(path)) {
      assertThat(file.isThere()).isTrue();
      Files.delete(path);
      awaitTrue(file::isGone);
      assertThat(file.isEnded()).isFalse();
      SharedFiles.close(descriptor);
      awaitTrue(file::isEnded);
    }
  }

  /** Writes the version of a region, as libfabric does before peers find it. */
  private static void initialize(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {99}), 0);
    }
  }

  private static void awaitTrue(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static PeerFile killed(boolean makesIt) throws Exception {
    try (ChildJvm other = start(List.of(), "other", Boolean.toString(makesIt))) {
      Path path = Path.of(other.demandedLine());
      PeerFile file = new PeerFile(path);
      assertThat(file.isThere()).isTrue();
      return file;
    }
  }

  /** Before 2.0 there are no releases that are not known. */
  @Test
  void regionsOfUnknownVersionAreLockedToo() throws Exception {
    assumeFalse(Libfabric.installed().isBefore(2, 0));
    assertThat(said(Namespace.ofSharedMemory(200), "unknown")).isEqualTo("survived");
  }
}
