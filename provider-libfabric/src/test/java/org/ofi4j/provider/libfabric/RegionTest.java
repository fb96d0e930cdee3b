// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Memory regions over the installed libfabric keep out what their owner has not allowed. */
class RegionTest {
  @TestFactory
  List<DynamicTest> regions() throws Exception {
    CCompiler.needProvider("shm");
    return Scenarios.of(RegionProgram.class, List.of(ChildJvm.NATIVE), "shm");
  }
}
