// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The name that {@link ClusterOptions#defaults} gives to this host. */
class HostNameTest {
  @TempDir private Path directory;

  /** Prints the host name of the default options. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      System.out.println(ClusterOptions.defaults().host());
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void defaultsNameAHostWhoseNameDoesNotResolve() throws Exception {
    Path noHosts = Files.createFile(directory.resolve("hosts"));
    String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    try (ChildJvm child =
        ChildJvm.start(
            Program.class.getName(),
            // The resolver of this JVM knows the names in the file, and no file names this host.
            List.of("-Djdk.net.hosts.file=" + noHosts),
            Redirect.INHERIT,
            List.of())) {
      String said =
          new String(child.process().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(said).isEqualTo(name + "\n");
    }
  }
}
