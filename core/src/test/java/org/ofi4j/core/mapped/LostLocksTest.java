// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.testing.Jvm;

/**
 * A process whose locks were dropped, because its JVM has read the control file, is not taken for
 * dead; and process numbers do not identify processes.
 */
@Tag("AV-039")
class LostLocksTest {
  @TempDir private Path directory;

  private List<String> run(String mode, int port) throws Exception {
    return said(
        Jvm.start(
            LostLocksUser.class,
            (Path) null,
            List.of(directory.toString(), mode, String.valueOf(port))));
  }

  private static List<String> said(Process user) throws Exception {
    try (BufferedReader said = user.inputReader()) {
      List<String> lines = said.lines().toList();
      user.waitFor();
      return lines;
    } finally {
      user.destroyForcibly();
    }
  }

  private List<Path> files(String suffix) throws IOException {
    try (var files = Files.list(directory.resolve("own"))) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  @Test
  void processThatReadItsFilesKeepsItsVector() throws Exception {
    NamedVector vector = LostLocksUser.open(directory);
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      LostLocksUser.awaitSocket(directory, vector);
      LostLocksUser.dropLocks(directory);
      assertThat(run("visit", 2))
          .containsExactly("size 1 others 1", "writer false at work false", "inserted");
      assertThat(store.size()).isEqualTo(2);
      LostLocksUser.insert(store, 3);
      assertThat(store.size()).isEqualTo(3);
      assertThat(Soundness.check(directory).violations()).isEmpty();
    }
    assertThat(files("")).isEmpty();
  }

  @Test
  void changeThatLostItsLockIsWaitedFor() throws Exception {
    NamedVector vector = LostLocksUser.open(directory);
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      store.begin();
      LostLocksUser.awaitSocket(directory, vector);
      LostLocksUser.dropLocks(directory);
      assertThat(run("visit", 2))
          .containsExactly("size 1 others 1", "writer true at work true", "EAGAIN");
      store.end();
      assertThat(run("visit", 2)).contains("inserted");
      assertThat(vector.repairs()).as("nothing was repaired").isZero();
      assertThat(store.size()).isEqualTo(2);
    }
  }

  @Test
  void failedChangeOfLivingProcessIsRepaired() throws Exception {
    NamedVector vector = LostLocksUser.open(directory);
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      NamedStores.failChange(vector);
      assertThat(run("visit", 2))
          .containsExactly("size 1 others 1", "writer true at work false", "inserted");
      assertThat(vector.repairs()).isOne();
      assertThat(store.size()).isEqualTo(2);
    }
  }

  @Test
  void stoppedProcessWithoutLocksIsWaitedForAndDeadOneIsNot() throws Exception {
    Process holder =
        Jvm.start(LostLocksUser.class, (Path) null, List.of(directory.toString(), "hold"));
    try (BufferedReader said = holder.inputReader()) {
      assertThat(said.readLine()).isEqualTo("ready");
      Jvm.signal(holder, "STOP");
      NamedVector vector = LostLocksUser.open(directory);
      try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
        for (int i = 0; i < 20; i++) {
          // More often than the queue of the socket is long.
          assertThat(vector.dead()).isEmpty();
          assertThat(vector.otherProcesses()).containsExactly(holder.pid());
        }
        assertThatThrownBy(() -> LostLocksUser.insert(store, 2))
            .isInstanceOfSatisfying(
                FabricException.class, late -> assertThat(late.errno()).isEqualTo(Errno.EAGAIN))
            .hasMessageContaining("process " + holder.pid());
        holder.destroyForcibly().waitFor();
        LostLocksUser.insert(store, 2);
        assertThat(store.size()).isEqualTo(2);
        assertThat(vector.repairs()).as("the change of the dead was repaired").isOne();
        assertThat(vector.otherProcesses()).isEmpty();
      }
    } finally {
      holder.destroyForcibly();
    }
    assertThat(files("")).isEmpty();
  }

  /** Only a program that also deletes the socket makes others take a process for dead. */
  @Test
  void processThatWasTakenForDeadStopsWriting() throws Exception {
    NamedVector vector = LostLocksUser.open(directory);
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      LostLocksUser.awaitSocket(directory, vector);
      LostLocksUser.dropLocks(directory);
      LostLocksUser.deleteSockets(directory);
      assertThat(run("halt", 2)).contains("size 0 others 0", "inserted");
      byte[] control = Files.readAllBytes(files(".control").getFirst());
      byte[] entries = Files.readAllBytes(files(".entries").getFirst());
      assertEio(() -> LostLocksUser.insert(store, 3));
      assertThat(Files.readAllBytes(files(".control").getFirst())).isEqualTo(control);
      assertThat(Files.readAllBytes(files(".entries").getFirst())).isEqualTo(entries);
    }
  }

  @Test
  void processThatWasTakenForDeadLeavesTheNextVectorAlone() throws Exception {
    NamedVector vector = LostLocksUser.open(directory);
    Process next;
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      LostLocksUser.awaitSocket(directory, vector);
      LostLocksUser.dropLocks(directory);
      LostLocksUser.deleteSockets(directory);
      next = Jvm.start(LostLocksUser.class, (Path) null, List.of(directory.toString(), "hold"));
      assertThat(next.inputReader().readLine()).isEqualTo("ready");
      assertEio(() -> LostLocksUser.open(directory));
    }
    try {
      assertThat(run("visit", 2))
          .containsExactly("size 1 others 1", "writer true at work true", "EAGAIN");
    } finally {
      next.destroyForcibly().waitFor();
    }
    assertThat(run("visit", 2)).contains("size 0 others 0", "inserted");
    assertThat(files("")).isEmpty();
  }

  /** Paths of sockets have at most 107 bytes. */
  @Test
  void changeIsNotEndedAfterAnotherProcessTookItsProcessForDead() throws Exception {
    directory = Files.createDirectory(directory.resolve("d".repeat(100)));
    NamedVector vector = NamedStores.vector(directory, LostLocksUser.OPTIONS, false);
    try (NamedStore store = NamedStore.of(vector, LostLocksUser.OPTIONS)) {
      LostLocksUser.insert(store, 1);
      assertThat(files("")).as("no socket").hasSize(2);
      assertThat(run("deep", 2)).contains("size 1 others 1", "inserted");
      store.begin();
      store.insert(LostLocksUser.address(3));
      LostLocksUser.dropLocks(directory);
      // It finds no process alive, and begins an empty vector.
      assertThat(run("deep", 4)).contains("size 0 others 0", "inserted");
      byte[] control = Files.readAllBytes(files(".control").getFirst());
      assertEio(store::end);
      assertEio(() -> LostLocksUser.insert(store, 5));
      assertThat(Files.readAllBytes(files(".control").getFirst())).isEqualTo(control);
    }
  }

  @Test
  void socketThatWasLeftBehindIsDeleted() throws Exception {
    assertThat(run("halt", 1)).contains("size 0 others 0", "inserted");
    List<Path> left = files(".alive");
    assertThat(left).hasSize(1);
    assertThat(files(".control")).hasSize(1);
    try (NamedStore store = NamedStore.of(LostLocksUser.open(directory), LostLocksUser.OPTIONS)) {
      assertThat(store.size()).isZero();
      assertThat(run("halt", 2)).contains("size 0 others 1", "inserted");
      assertThat(files(".alive")).hasSize(2);
      LostLocksUser.insert(store, 3);
    }
    assertThat(files("")).isEmpty();
  }

  private static void assertEio(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, taken -> assertThat(taken.errno()).isEqualTo(Errno.EIO))
        .hasMessageContaining("another process took it for dead");
  }

  @Test
  void processOfAnotherNamespaceWithTheSameNumberIsAnotherOne() throws Exception {
    List<String> namespace =
        List.of("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc");
    assumeTrue(works(namespace), "no PID namespace can be made");
    Process holder = start(namespace, List.of(directory.toString(), "hold"));
    try (BufferedReader said = holder.inputReader()) {
      assertThat(said.readLine()).isEqualTo("ready");
      // Both are process 1.
      assertThat(said(start(namespace, List.of(directory.toString(), "visit", "2"))))
          .containsExactly("size 1 others 1", "writer true at work true", "EAGAIN");
    } finally {
      holder.outputWriter().close();
      holder.waitFor();
    }
  }

  private static boolean works(List<String> namespace) throws Exception {
    List<String> command = new ArrayList<>(namespace);
    command.add("true");
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  private static Process start(List<String> namespace, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(namespace);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-cp", Jvm.classPath()));
    command.add(LostLocksUser.class.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
