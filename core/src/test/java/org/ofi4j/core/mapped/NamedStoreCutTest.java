// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.testing.Jvm;

/** A file that is cut while it is mapped ends the use of the vector, with a reason, and no more. */
@Tag("AV-039")
class NamedStoreCutTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"read", "write", "middle"})
  void afterTheCutEveryCallSaysWhy(String mode) throws Exception {
    // Reads nothing but the control file, so that it is not cut off itself.
    try (NamedVector vector = NamedStores.vector(directory, CutFileUser.OPTIONS, false)) {
      Process user = Jvm.start(CutFileUser.class, (Path) null, List.of(directory.toString(), mode));
      try (BufferedReader said = user.inputReader()) {
        assertThat(said.readLine()).isEqualTo("ready");
        long changes = vector.locks().changes();
        Path entries = directory.resolve("own/domain+vector.entries");
        try (FileChannel file = FileChannel.open(entries, StandardOpenOption.WRITE)) {
          assertThat(file.size()).isGreaterThan(200_000);
          // Header, table and root stay.
          file.truncate(12_288);
        }
        user.outputWriter().append('\n').flush();
        List<String> lines = said.readAllLines();
        assertThat(user.waitFor()).as("%s", lines).isZero();
        int calls = mode.equals("middle") ? 5 : 4;
        assertThat(lines).hasSize(calls + 1).last().isEqualTo("closed");
        assertThat(lines.subList(0, calls))
            .allSatisfy(line ->
                assertThat(line)
                    .contains("EIO (5)", "domain+vector", "its mapped file lost memory"));
        // At once, but for the one that came upon it.
        assertThat(lines.subList(1, calls)).allSatisfy(line -> assertThat(line).startsWith("0 "));
        // Nothing was published, and what was begun is for others to repair, who cannot.
        assertThat(vector.locks().changes()).isEqualTo(changes);
        assertThat(vector.writer()).isEqualTo(mode.equals("middle") ? user.pid() : 0);
        assertThatThrownBy(() -> NamedStore.of(vector, CutFileUser.OPTIONS))
            .hasMessageContaining("EIO (5)")
            .hasMessageContaining("12288 bytes");
      } finally {
        user.destroyForcibly();
      }
    }
  }

  @Test
  void afterACutOfTheControlFileWritersAreRefused() throws Exception {
    List<String> arguments = List.of(directory.toString(), "control");
    Process user = Jvm.start(CutFileUser.class, (Path) null, arguments);
    try (BufferedReader said = user.inputReader()) {
      assertThat(said.readLine()).isEqualTo("ready");
      Path control = directory.resolve("own/domain+vector.control");
      try (FileChannel file = FileChannel.open(control, StandardOpenOption.WRITE)) {
        file.truncate(0);
      }
      user.outputWriter().append('\n').flush();
      List<String> lines = said.readAllLines();
      assertThat(user.waitFor()).as("%s", lines).isZero();
      assertThat(lines).hasSize(5).last().isEqualTo("closed");
      // Nothing of the entries is lost, so readers go on.
      assertThat(lines.subList(0, 3)).containsOnly("never refused");
      assertThat(lines.get(3)).startsWith("0 ").contains("EIO (5)", "its control file was cut");
    } finally {
      user.destroyForcibly();
    }
  }
}
