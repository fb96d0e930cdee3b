// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.Hints;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Messages that are longer than their receive, and buffers for several messages, over all providers
 * of the installed libfabric. In JVMs of their own, because libfabric's faults end one.
 */
class OverlongTest {
  private static final List<String> PROVIDERS =
      List.of("shm", "net", "tcp;ofi_rxm", "libfabric:tcp", "udp;ofi_rxd", "sockets");

  @TestFactory
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  List<DynamicTest> overlongMessages() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    List<String> options = new ArrayList<>(List.of(ChildJvm.NATIVE));
    String file = System.getProperty(Libfabric.FILE_PROPERTY);
    if (file != null) {
      options.add("-D" + Libfabric.FILE_PROPERTY + "=" + file);
    }
    for (String provider : PROVIDERS) {
      Hints hints = Hints.reliable().withProvider(provider);
      if (!new LibfabricProvider().info(hints).offers().isEmpty()) {
        tests.addAll(Scenarios.of(OverlongProgram.class, options, provider));
      }
    }
    return tests;
  }
}
