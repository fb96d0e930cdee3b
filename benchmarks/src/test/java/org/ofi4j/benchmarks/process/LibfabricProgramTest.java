// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody reads whose machine has no compiler or no libfabric. */
class LibfabricProgramTest {
  @TempDir private Path directory;

  @Test
  void withoutCompilerItSaysWhatToInstall() {
    assertThatThrownBy(() ->
            LibfabricProgram.compile(
                directory, LibfabricProgram.MEMORY, Map.of("CC", "no-such-compiler")))
        .isInstanceOf(LibfabricUnavailableException.class)
        .hasMessageContainingAll("no C compiler no-such-compiler", "apt-get install", "CFLAGS");
  }

  /** Any program that fails will do for a compiler that finds no header. */
  @Test
  void withoutHeadersItSaysWhatToInstall() {
    assertThatThrownBy(() ->
            LibfabricProgram.compile(directory, LibfabricProgram.MEMORY, Map.of("CC", "false")))
        .isInstanceOf(LibfabricUnavailableException.class)
        .hasMessageContainingAll("cannot be used", "libfabric-dev", "libfabric-devel");
  }
}
