// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.av.ExitingUser;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.VectorFiles;

/**
 * A named vector goes with the last process that has it, however that ends, unless it is killed.
 */
@Tag("AV-039")
class NamedVectorExitTest {
  private static final String DOMAIN = "test:test domain:test fabric";

  @TempDir private Path directory;

  private Process start(String end) throws IOException {
    return Jvm.start(
        ExitingUser.class,
        (Path) null,
        List.of(end),
        "-Dofi4j.share.directory=" + directory.resolve("own"));
  }

  private static void awaitReady(BufferedReader said) throws IOException {
    assertThat(said.readLine()).isEqualTo("ready");
  }

  private List<String> left() throws IOException {
    try (var files = Files.list(directory.resolve("own"))) {
      return files.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  private SharedVectorReport report() {
    ShareDirectory own = ShareDirectory.at(directory.resolve("own"));
    return VectorVerifier.verify(own, DOMAIN, "left", TestDomain.PATIENCE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit", "return", "hook", "term"})
  void anOrderlyEndLeavesNothing(String end) throws Exception {
    Process user = start(end);
    try (BufferedReader said = user.inputReader()) {
      awaitReady(said);
      assertThat(VectorFiles.of(directory.resolve("own"))).hasSize(2);
      if (end.equals("term")) {
        Jvm.signal(user, "TERM");
      } else {
        user.outputWriter().append('\n').flush();
      }
      assertThat(said.readLine()).isNull();
      user.waitFor();
      assertThat(left()).isEmpty();
    } finally {
      user.destroyForcibly();
    }
  }

  @Test
  void whatIsLeftWasKilled() throws Exception {
    Process user = start("halt");
    try (BufferedReader said = user.inputReader()) {
      awaitReady(said);
      user.outputWriter().append('\n').flush();
      user.waitFor();
      assertThat(report().state())
          .isIn(SharedVectorReport.State.LEFT, SharedVectorReport.State.INTERRUPTED);
    } finally {
      user.destroyForcibly();
    }
  }

  /** Of those that end at the same time the last one finds that it is the last. */
  @Test
  void soDoSeveralAtOnce() throws Exception {
    Process one = start("exit");
    Process other = start("exit");
    try (BufferedReader first = one.inputReader();
        BufferedReader second = other.inputReader()) {
      awaitReady(first);
      awaitReady(second);
      Jvm.signal(one, "TERM");
      Jvm.signal(other, "TERM");
      one.waitFor();
      other.waitFor();
      assertThat(left()).isEmpty();
    } finally {
      one.destroyForcibly();
      other.destroyForcibly();
    }
  }

  @Test
  void othersKeepTheVector() throws Exception {
    Process user = start("exit");
    try (BufferedReader said = user.inputReader()) {
      awaitReady(said);
      StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE);
      NamedVector vector =
          NamedVector.open(
              ShareDirectory.at(directory.resolve("own")),
              DOMAIN,
              "left",
              VectorTraits.ANY.withBase().toBytes(),
              false,
              TestDomain.PATIENCE,
              file -> NamedStore.found(file, options));
      try (NamedStore store = NamedStore.of(vector, options)) {
        user.outputWriter().append('\n').flush();
        user.waitFor();
        assertThat(vector.otherProcesses()).isEmpty();
        store.begin();
        store.end();
        assertThat(store.size()).isPositive();
        assertThat(report().violations()).isEmpty();
        assertThat(VectorFiles.of(directory.resolve("own"))).hasSize(2);
      }
      assertThat(left()).isEmpty();
    } finally {
      user.destroyForcibly();
    }
  }
}
