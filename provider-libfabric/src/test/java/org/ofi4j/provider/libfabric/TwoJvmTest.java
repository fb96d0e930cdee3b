// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Endpoints of several JVMs over the installed libfabric; {@code -Dofi4j.long} has more lives, and
 * over one more provider.
 */
class TwoJvmTest {
  private static final boolean LONG = System.getProperty("ofi4j.long") != null;

  /** The heap is all there from the beginning, so that only what C takes makes the JVM grow. */
  private static final List<String> OPTIONS =
      List.of(ChildJvm.NATIVE, "-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch");

  /** The program ends by itself if it hangs, and says where. */
  @TestFactory
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  List<DynamicTest> jvms() throws Exception {
    CCompiler.needProvider("shm");
    String lives = LONG ? "200" : "20";
    List<DynamicTest> all =
        new ArrayList<>(
            Scenarios.of(TwoJvmProgram.class, OPTIONS, lives, "shm", "tcp;ofi_rxm", "net"));
    if (LONG) {
      all.addAll(Scenarios.of(TwoJvmProgram.class, OPTIONS, lives, "tcp;ofi_rxm"));
    }
    return all;
  }
}
