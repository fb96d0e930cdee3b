// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server of the tests leaves no file in the temporary directory. */
class TestTreeTest {
  @TempDir Path temporary;

  /** A server that is started twice. */
  static final class Restart {
    private Restart() {}

    public static void main(String[] arguments) throws Exception {
      try (TestTree tree = new TestTree()) {
        tree.server.restart();
      }
    }
  }

  @Test
  void closedServerLeavesNoFiles() throws Exception {
    List<String> options = List.of("-Djava.io.tmpdir=" + temporary);
    try (ChildJvm child =
        ChildJvm.start(Restart.class.getName(), options, Redirect.INHERIT, List.of())) {
      assertThat(child.process().waitFor()).isZero();
    }
    assertThat(temporary).isEmptyDirectory();
  }
}
