// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;

/** Interfaces of this host that come and go, as those of containers do. */
class InterfacesThatGoTest {
  private static final String NAME = "ofi" + ProcessHandle.current().pid() % 1_000_000;

  private static Process shell(String commands) throws IOException {
    return new ProcessBuilder("sh", "-c", commands).redirectErrorStream(true).start();
  }

  private static String output(Process process) throws Exception {
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : text + "exit status " + process.exitValue();
  }

  @Test
  @DisplayName("An interface that goes while interfaces are listed hides no others")
  void othersAreOffered() throws Exception {
    // One without an address would not be listed.
    String once =
        """
        ip link add %1$s type veth peer name %1$sp && ip addr add 192.0.2.1/32 dev %1$s \
        && ip link del %1$s\
        """
            .formatted(NAME);
    String complaint = output(shell(once));
    assumeTrue(complaint.isEmpty(), "no interface can be made: " + complaint);
    Process others = shell("for i in $(seq 100); do " + once + " || exit 1; done");
    try {
      int listed = 0;
      while (others.isAlive() || listed == 0) {
        assertThat(Fabrics.info(Hints.latest().withProvider("udp")).refusals()).isEmpty();
        listed++;
      }
      assertThat(output(others)).isEmpty();
    } finally {
      others.destroyForcibly().waitFor();
      output(shell("ip link del " + NAME));
    }
  }
}
