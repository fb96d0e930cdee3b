// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
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
}
