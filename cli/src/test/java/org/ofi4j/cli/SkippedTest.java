// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the build says at its end of tests that were skipped, {@code checks/src/Skipped.java}. */
class SkippedTest {
  @TempDir private Path project;

  private void report(String module, String name, String content) throws IOException {
    Path reports = Files.createDirectories(project.resolve(module + "/target/surefire-reports"));
    Files.writeString(
        reports.resolve("TEST-" + name + ".xml"),
        "<testsuite><testcase name='one' classname='"
            + name
            + "'>"
            + content
            + "</testcase><testcase name='two' classname='"
            + name
            + "'/></testsuite>");
  }

  private String say(String begin) throws Exception {
    Path source = Path.of(System.getProperty("basedir", "."), "..", "checks/src/Skipped.java");
    Path output = project.resolve("output");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                source.toString(),
                project.toString(),
                begin)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    return Files.readString(output);
  }

  @Test
  void whatWasSkippedIsToldAndWhatToInstall() throws Exception {
    report(
        "provider-net", "org.A", "<skipped message='no C program can be linked with libfabric'/>");
    report(
        "cli", "org.B", "<skipped message='Assumption failed: fi_pingpong is not on the PATH'/>");
    report("cli", "org.C", "");
    assertThat(say("2026-01-01T00:00:00Z"))
        .contains(
            "no C program can be linked with libfabric\n    org.A: 1",
            "  fi_pingpong is not on the PATH\n    org.B: 1",
            "apt-get install gcc libc6-dev libfabric-bin libfabric-dev")
        .doesNotContain("org.C");
  }

  @Test
  void nothingIsToInstallForOtherReasons() throws Exception {
    report("core", "org.A", "<skipped message='this system does not tell what is mapped'/>");
    assertThat(say("2026-01-01T00:00:00Z"))
        .contains("this system does not tell what is mapped\n    org.A: 1")
        .doesNotContain("install");
  }

  @Test
  void nothingIsSaidOfAnotherBuild() throws Exception {
    report("cli", "org.B", "<skipped message='fi_pingpong is not on the PATH'/>");
    assertThat(say("2999-01-01T00:00:00Z")).isEmpty();
  }
}
