// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.process.LineProcess;

/** The server of ZooKeeper of a benchmark leaves nothing in the temporary directory. */
class ServerJvmTest {
  private static final int PATIENCE_SECONDS = 180;

  @TempDir Path temporary;
  @TempDir Path data;

  @Test
  void serverWritesToItsDirectoryOnly() throws Exception {
    List<String> command =
        JvmCommand.onClassPath(ServerJvm.class, List.of("-Djava.io.tmpdir=" + temporary));
    command.add(data.toString());
    try (LineProcess server = new LineProcess("the server", PATIENCE_SECONDS, command)) {
      assertThat(server.answer("start")).startsWith("127.0.0.1:");
    }
    assertThat(data).isNotEmptyDirectory();
    assertThat(temporary).isEmptyDirectory();
  }
}
