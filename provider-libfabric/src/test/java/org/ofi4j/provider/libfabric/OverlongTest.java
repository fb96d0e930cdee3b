// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Messages that are longer than their receive, and buffers for several messages, over all providers
 * of the installed libfabric. In JVMs of their own, because libfabric's faults end one.
 */
class OverlongTest {
  private static final List<String> PROVIDERS =
      List.of("shm", "net", "tcp;ofi_rxm", "libfabric:tcp", "udp;ofi_rxd");

  @TestFactory
  List<DynamicTest> overlongMessages() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String provider : CCompiler.needSome(PROVIDERS)) {
      tests.addAll(Scenarios.of(OverlongProgram.class, List.of(ChildJvm.NATIVE), provider));
    }
    return tests;
  }
}
