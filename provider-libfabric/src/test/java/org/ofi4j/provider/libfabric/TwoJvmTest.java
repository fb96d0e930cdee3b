// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Endpoints of several JVMs over the installed libfabric; {@code -Dofi4j.long} has more lives. */
class TwoJvmTest {
  private static final String LIVES = System.getProperty("ofi4j.long") == null ? "20" : "500";

  @TestFactory
  List<DynamicTest> jvms() throws Exception {
    CCompiler.needProvider("shm");
    return Scenarios.of(
        TwoJvmProgram.class, List.of(ChildJvm.NATIVE), LIVES, "shm", "tcp;ofi_rxm", "net");
  }

  @TestFactory
  @EnabledIfSystemProperty(named = "ofi4j.long", matches = ".*")
  List<DynamicTest> connectedJvms() throws Exception {
    CCompiler.needProvider("tcp;ofi_rxm");
    return Scenarios.of(TwoJvmProgram.class, List.of(ChildJvm.NATIVE), LIVES, "tcp;ofi_rxm");
  }
}
