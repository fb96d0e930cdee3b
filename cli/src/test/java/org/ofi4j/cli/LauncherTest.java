// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that starts the command, with a JDK that only says how it was called. */
class LauncherTest {
  @TempDir private Path project;

  @BeforeEach
  void aTreeThatIsBuilt() throws IOException {
    Path script = Path.of(System.getProperty("basedir", "."), "..", "ofi4j");
    Files.copy(script, project.resolve("ofi4j"), StandardCopyOption.COPY_ATTRIBUTES);
    Path jdk = project.resolve("jdk");
    Files.createDirectories(jdk.resolve("bin"));
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
    executable(jdk.resolve("bin/java"), "#!/bin/sh\necho \"LC_ALL=${LC_ALL-}\"\necho \"$@\"\n");
    executable(jdk.resolve("bin/javac"), "#!/bin/sh\n");
    // One locale is installed, and this one warns as that of the C library does.
    executable(
        jdk.resolve("bin/locale"),
        """
        #!/bin/sh
        for each in "${LC_CTYPE-}" "${LC_TIME-}" "${LANG-}"; do
          case ${LC_ALL:-$each} in
            '' | de_DE.UTF-8) ;;
            *) echo 'locale: Cannot set LC_ALL to default locale' >&2 ;;
          esac
        done
        case ${LC_ALL:-${LC_CTYPE:-${LANG-}}} in
          de_DE.UTF-8) echo UTF-8 ;;
          *) echo ANSI_X3.4-1968 ;;
        esac
        """);
    Files.createDirectories(project.resolve("target/dist/lib"));
    Path stamp = project.resolve("target/dist/stamp");
    Files.writeString(stamp, jdk + "\n");
    Files.setLastModifiedTime(stamp, FileTime.from(Instant.now().plusSeconds(600)));
  }

  @Test
  void fileNamesBeyondAsciiWorkInTheLocaleC() throws Exception {
    assertThat(run(Map.of("LC_ALL", "C"), "info")).startsWith("LC_ALL=C.UTF-8\n");
    assertThat(run(Map.of("LANG", "POSIX"), "info")).startsWith("LC_ALL=C.UTF-8\n");
    assertThat(run(Map.of(), "info")).startsWith("LC_ALL=C.UTF-8\n").endsWith(" info\n");
    assertThat(run(Map.of("LC_ALL", "de_DE.UTF-8"), "info")).startsWith("LC_ALL=de_DE.UTF-8\n");
    assertThat(run(Map.of("LANG", "de_DE.UTF-8"), "info")).startsWith("LC_ALL=\n");
  }

  @Test
  void fileNamesBeyondAsciiWorkInALocaleThatIsNotInstalled() throws Exception {
    assertThat(run(Map.of("LC_ALL", "xx_YY.UTF-8"), "info")).startsWith("LC_ALL=C.UTF-8\n");
    assertThat(run(Map.of("LANG", "xx_YY.UTF-8"), "info")).startsWith("LC_ALL=C.UTF-8\n");
    assertThat(run(Map.of("LC_CTYPE", "UTF-8", "LANG", "de_DE.UTF-8"), "info"))
        .startsWith("LC_ALL=C.UTF-8\n");
    // The JVM sets all categories at once, so one that is not installed matters to all.
    assertThat(run(Map.of("LANG", "de_DE.UTF-8", "LC_TIME", "xx_YY.UTF-8"), "info"))
        .startsWith("LC_ALL=C.UTF-8\n");
  }

  @Test
  void aStandardStreamThatIsClosedIsNoFileOfTheJvm() throws Exception {
    executable(
        project.resolve("jdk/bin/java"),
        """
        #!/bin/sh
        for each in 0 1 2; do
          (: 3<&$each) || echo "$each is closed" >>"$0.streams"
        done
        cat >/dev/null 2>&1 && echo 'input' >>"$0.streams"
        echo text 2>/dev/null && echo 'output' >>"$0.streams"
        echo text >&2 && echo 'errors' >>"$0.streams"
        """);
    assertThat(streams("</dev/null")).isEqualTo("input\noutput\nerrors\n");
    assertThat(streams("<&-")).isEqualTo("output\nerrors\n");
    assertThat(streams("</dev/null >&-")).isEqualTo("input\nerrors\n");
    assertThat(streams("</dev/null 2>&-")).isEqualTo("input\noutput\nerrors\n");
    assertThat(streams("<&- >&- 2>&-")).isEqualTo("errors\n");
  }

  /** The state of the standard streams as the JDK of the test finds it. */
  private String streams(String redirections) throws Exception {
    Path found = project.resolve("jdk/bin/java.streams");
    Files.deleteIfExists(found);
    end(launcher(Map.of(), "sh", "-c", "exec ./ofi4j info " + redirections));
    return Files.readString(found);
  }

  /** Each other command would start later for modules that it does not need. */
  @Test
  void whatOneCommandNeedsIsOnItsPathAlone() throws Exception {
    assertThat(run(Map.of(), "bench", "av"))
        .contains(
            "dist/lib:",
            "dist/lib-benchmarks ",
            "--add-modules=org.ofi4j.stress,org.ofi4j.benchmarks ")
        .doesNotContain("conformance");
    assertThat(run(Map.of(), "conformance", "-s", "INS"))
        .contains("dist/lib:", "dist/lib-conformance ", "--add-modules=org.ofi4j.conformance ")
        .doesNotContain("benchmarks");
    assertThat(run(Map.of(), "completion")).contains("--add-modules=org.ofi4j.stress,");
    assertThat(run(Map.of(), "av", "peers.txt")).contains("dist/lib ").doesNotContain("lib-");
    assertThat(run(Map.of(), "cluster", "list"))
        .containsPattern("--class-path \\S*dist/lib/[*]:\\S*dist/lib-cluster/[*] org")
        .doesNotContain("--module", "lib-benchmarks");
    assertThat(run(Map.of(), "cluster", "bench")).contains("dist/lib-benchmarks/* org.ofi4j");
  }

  private String run(Map<String, String> locale, String... args) throws Exception {
    ProcessBuilder builder = launcher(locale, project.resolve("ofi4j").toString());
    builder.command().addAll(java.util.List.of(args));
    return end(builder);
  }

  private ProcessBuilder launcher(Map<String, String> locale, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(project.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    environment.putAll(locale);
    environment.put("OFI4J_JAVA_HOME", project.resolve("jdk").toString());
    environment.merge("PATH", project.resolve("jdk/bin") + ":", (path, first) -> first + path);
    return builder;
  }

  private String end(ProcessBuilder builder) throws Exception {
    Path output = project.resolve("output");
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    Process process = builder.start();
    try {
      process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }

  private static void executable(Path file, String content) throws IOException {
    Files.writeString(file, content);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
