// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * What hardware demands, and no fabric of this machine does: registered memory, contexts, regions
 * of endpoints, short queues, completions out of order. See {@code demanding.c}.
 */
class DemandingTest {
  @TestFactory
  List<DynamicTest> demands(@TempDir Path directory) throws Exception {
    Path library = compile(directory);
    return Scenarios.of(
        DemandingProgram.class,
        List.of(ChildJvm.NATIVE, "-D" + Libfabric.FILE_PROPERTY + "=" + library));
  }

  private static Path compile(Path directory) throws Exception {
    CCompiler.need(directory);
    String[] arguments = {
      "-shared",
      "-fPIC",
      "demanding.c",
      "demanding-info.c",
      "demanding-endpoint.c",
      "demanding-transfer.c",
      "demanding-calls.c"
    };
    for (int i = 2; i < arguments.length; i++) {
      arguments[i] = CCompiler.SOURCES.resolve(arguments[i]).toAbsolutePath().toString();
    }
    CCompiler.compile(directory, "libdemanding.so", arguments);
    return directory.resolve("libdemanding.so");
  }
}
