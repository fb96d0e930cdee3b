// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.ofi4j.Hints;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Endpoints of one domain over TCP, of which some are closed, and get messages at the same time. In
 * JVMs of their own, because libfabric's faults end one.
 */
class IsolationTest {
  private static final List<String> PROVIDERS = List.of("net", "libfabric:tcp", "tcp;ofi_rxm");

  @TestFactory
  List<DynamicTest> endpointsDisturbNoOthers() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    List<String> options = new ArrayList<>(List.of(ChildJvm.NATIVE));
    String file = System.getProperty(Libfabric.FILE_PROPERTY);
    if (file != null) {
      options.add("-D" + Libfabric.FILE_PROPERTY + "=" + file);
    }
    for (String provider : PROVIDERS) {
      Hints hints = Hints.reliable().withProvider(provider);
      if (!new LibfabricProvider().info(hints).offers().isEmpty()) {
        tests.addAll(Scenarios.of(IsolationProgram.class, options, provider));
      }
    }
    return tests;
  }
}
