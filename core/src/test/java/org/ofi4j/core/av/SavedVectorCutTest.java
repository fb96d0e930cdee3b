// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.testing.Jvm;

/**
 * A saved vector is read where it is. If somebody cuts its file, whatever way it is read says so,
 * also once it is compiled: then the machine tells of faults later than where they happen.
 */
@Tag("AV-049")
class SavedVectorCutTest {
  @TempDir private Path directory;

  @Test
  void everyWayInSaysThatTheFileWasCut() throws Exception {
    Path said = directory.resolve("said");
    Process user =
        Jvm.start(
            CutSavedUser.class,
            said,
            List.of(directory.toString()),
            "-Djava.io.tmpdir=" + directory,
            "-XX:ErrorFile=" + directory.resolve("crash"));
    int exit = user.waitFor();
    List<String> lines = Files.readAllLines(said);
    assertThat(exit).as("%s", lines).isZero();
    assertThat(lines).hasSize(45).last().isEqualTo("closed");
    assertThat(lines.subList(0, 44))
        .allSatisfy(line ->
            assertThat(line)
                .contains("EIO (5): file saved.av was cut while it was in use: close the vector=")
                .contains("address vector (TABLE)=1")
                .doesNotContain("InternalError"));
    // Those that come to each entry are told each time.
    assertThat(lines.subList(0, 17))
        .allSatisfy(line -> assertThat(line).endsWith("close the vector=20}"));
  }
}
