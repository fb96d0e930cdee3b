// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Endpoints of one domain over TCP, of which some are closed, and get messages at the same time. In
 * JVMs of their own, because libfabric's faults end one.
 */
class IsolationTest {
  private static final List<String> PROVIDERS = List.of("net", "libfabric:tcp", "tcp;ofi_rxm");

  @TestFactory
  List<DynamicTest> endpointsDisturbNoOthers() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String provider : CCompiler.needSome(PROVIDERS)) {
      tests.addAll(Scenarios.of(IsolationProgram.class, List.of(ChildJvm.NATIVE), provider));
    }
    return tests;
  }
}
