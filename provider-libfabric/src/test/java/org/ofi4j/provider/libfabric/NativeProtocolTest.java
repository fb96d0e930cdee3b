// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.provider.libfabric.offer.NativeProtocol;

class NativeProtocolTest {
  @Test
  @DisplayName("Each number of a protocol has the name that the headers give it")
  void namesOfTheHeaders(@TempDir Path directory) throws Exception {
    CCompiler.need(directory);
    StringBuilder program = new StringBuilder("#include \"layout-prelude.h\"\nint main(void)\n{\n");
    StringBuilder expected = new StringBuilder();
    int number = 0;
    for (String name = NativeProtocol.name(0);
        !name.contains(" ");
        name = NativeProtocol.name(number)) {
      program.append("VALUE(FI_PROTO_").append(name).append(");\n");
      expected.append("FI_PROTO_").append(name).append(' ').append(number++).append('\n');
    }
    Files.writeString(directory.resolve("protocols.c"), program + "return 0;\n}\n");

    CCompiler.compile(
        directory, "protocols", "-I" + CCompiler.SOURCES.toAbsolutePath(), "protocols.c");
    assertThat(CCompiler.run(directory, directory.resolve("protocols").toString())).isEmpty();

    assertThat(number).isGreaterThan(20);
    assertThat(directory.resolve("out")).hasContent(expected.toString());
  }
}
