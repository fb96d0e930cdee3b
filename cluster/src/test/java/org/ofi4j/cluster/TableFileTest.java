// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/** The file in which a process tells the others of its node what is in their vector. */
class TableFileTest {
  private final TestNetwork network = new TestNetwork();
  private final String name = "node-" + UUID.randomUUID();

  @AfterEach
  void close() {
    network.close();
  }

  @Test
  @DisplayName("Who opens the file while another one is refused has to look at the vector too")
  void refusedAtOnce() throws Exception {
    Path file = new NodeVector(network.nodeVector(name)).file();
    CompletableFuture<Thread> second = new CompletableFuture<>();
    CompletableFuture<Boolean> hasLooked = new CompletableFuture<>();
    FabricException refusal = new FabricException(Errno.EBUSY, "foreign entries");
    assertThatThrownBy(() ->
            TableFile.open(
                file,
                "group",
                _ -> {
                  second.complete(
                      Thread.startVirtualThread(() ->
                          TableFile.open(file, "group", _ -> hasLooked.complete(true)).close()));
                  Awaited.until(() -> second.join().getState() != Thread.State.RUNNABLE);
                  throw refusal;
                }))
        .isSameAs(refusal);
    second.join().join();
    assertThat(hasLooked).isCompletedWithValue(true);
    assertThat(file).doesNotExist();
  }

  /** A process that opens a file, tells of members, and ends without closing. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      TableFile file = TableFile.open(Path.of(arguments[0]), "group", _ -> {});
      file.alone(() -> file.begin(TableFrame.pack(List.of())));
      if (arguments[1].equals("exit")) {
        System.exit(0);
      }
      Runtime.getRuntime().halt(0);
    }
  }

  private static List<Path> leftBy(String end, Path path) throws Exception {
    List<String> arguments = List.of(path.toString(), end);
    try (ChildJvm child =
        ChildJvm.start(Child.class.getName(), List.of(), Redirect.INHERIT, arguments)) {
      assertThat(child.process().waitFor()).isZero();
    }
    return files(path);
  }

  private static List<Path> files(Path path) throws IOException {
    try (Stream<Path> files = Files.list(path.getParent())) {
      return files.toList();
    }
  }

  @Test
  @DisplayName("A process that ends without closing leaves no file; one that is killed leaves two")
  void exit(@TempDir Path directory) throws Exception {
    Path path = directory.resolve("key.members");
    assertThat(leftBy("exit", path)).isEmpty();
    assertThat(leftBy("halt", path)).hasSize(2);
    // The next one takes them over.
    TableFile.open(path, "group", _ -> {}).close();
    assertThat(files(path)).isEmpty();
  }

  @Test
  @DisplayName("A journal that a process left when it died is removed with the next generation")
  void formerJournal() throws Exception {
    Path path = new NodeVector(network.nodeVector(name)).file();
    try (TableFile file = TableFile.open(path, "group", _ -> {})) {
      file.alone(() -> file.begin(TableFrame.pack(List.of())));
      long generation = file.state().generation();
      Files.createFile(file.journal(generation - 1));
      file.alone(() -> file.begin(TableFrame.pack(List.of())));
      assertThat(file.journal(generation - 1)).doesNotExist();
      assertThat(file.journal(generation)).doesNotExist();
      assertThat(file.journal(generation + 1)).exists();
    }
  }

  @Test
  void fileOfAnotherVersionIsRefused(@TempDir Path directory) throws Exception {
    Path path = directory.resolve("key.members");
    byte[] state = ByteBuffer.allocate(25).putInt(2).putLong(1).putLong(1).array();
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      TableFrame.write(file, 0, state);
    }
    assertThatThrownBy(() -> TableFile.open(path, "group", _ -> {}))
        .hasMessageStartingWith("EINVAL (22)")
        .hasMessageContaining("version 2, and this library reads version 1");
    assertThat(path).exists();
  }
}
