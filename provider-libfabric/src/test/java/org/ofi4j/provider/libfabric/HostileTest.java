// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Whatever an application does, the JVM goes on: it is told what was wrong, in words. */
class HostileTest {
  @TestFactory
  List<DynamicTest> hostile() throws Exception {
    CCompiler.needProvider("shm");
    return Scenarios.of(
        HostileProgram.class, List.of(ChildJvm.NATIVE), "shm", "tcp;ofi_rxm", "net");
  }
}
