// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** A fabric of the installed libfabric is closed with all that is open below it. */
class CloseAllTest {
  private static final List<String> PROVIDERS =
      List.of("shm", "net", "tcp;ofi_rxm", "libfabric:tcp", "udp;ofi_rxd");

  @TestFactory
  List<DynamicTest> fabrics() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String provider : CCompiler.needSome(PROVIDERS)) {
      tests.addAll(Scenarios.of(CloseAllProgram.class, List.of(ChildJvm.NATIVE), provider));
    }
    return tests;
  }
}
