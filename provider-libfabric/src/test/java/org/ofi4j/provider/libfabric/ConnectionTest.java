// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Endpoints that connect, over the installed libfabric, whatever an application or a peer does. */
class ConnectionTest {
  @TestFactory
  List<DynamicTest> connections() throws Exception {
    CCompiler.needProvider("net");
    return Scenarios.of(ConnectionProgram.class, List.of(ChildJvm.NATIVE), "libfabric:tcp", "net");
  }

  @TestFactory
  List<DynamicTest> hostile() throws Exception {
    CCompiler.needProvider("net");
    return Scenarios.of(
        HostileConnectionProgram.class, List.of(ChildJvm.NATIVE), "libfabric:tcp", "net");
  }
}
