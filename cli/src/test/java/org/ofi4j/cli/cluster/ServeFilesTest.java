// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.cli.Main;

/** The server of ZooKeeper leaves nothing in the temporary directory. */
class ServeFilesTest {
  @TempDir Path temporary;

  @Test
  void endedServerLeavesNoFiles() throws Exception {
    List<String> command =
        JvmCommand.onClassPath(Main.class, List.of("-Djava.io.tmpdir=" + temporary));
    command.addAll(List.of("cluster", "serve", "--port", "0", "--with-input"));
    Process serve =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = serve.inputReader()) {
      assertThat(lines.readLine()).startsWith("127.0.0.1:");
      assertThat(temporary).as("its data is there").isNotEmptyDirectory();
      serve.getOutputStream().close();
      assertThat(serve.waitFor(3, TimeUnit.MINUTES)).isTrue();
      assertThat(serve.exitValue()).isZero();
    } finally {
      serve.destroyForcibly();
    }
    assertThat(temporary).isEmptyDirectory();
  }
}
