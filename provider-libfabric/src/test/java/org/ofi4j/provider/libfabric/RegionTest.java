// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Memory regions keep out what their owner has not allowed, over all providers of the installed
 * libfabric with remote access.
 */
class RegionTest {
  private static final List<String> PROVIDERS =
      List.of("shm", "net", "tcp;ofi_rxm", "libfabric:tcp", "udp;ofi_rxd");

  @TestFactory
  List<DynamicTest> regions() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (String provider : CCompiler.needSome(PROVIDERS)) {
      tests.addAll(Scenarios.of(RegionProgram.class, List.of(ChildJvm.NATIVE), provider));
    }
    return tests;
  }
}
