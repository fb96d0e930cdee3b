// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A process of ours on libfabric: one of the C programs in {@code src/test/c}, compiled against the
 * libfabric of this machine and started. The test tells it what to do in lines and hears lines
 * back; {@code peer.h} says how such a program is written.
 *
 * <pre>{@code
 * try (LibfabricPeer peer = LibfabricPeer.start("messages", "127.0.0.1")) {
 *   long handle = rig.vector.insert(peer.name());
 *   long toUs = peer.insert(rig.name());
 *   peer.ask("send 1 " + toUs + " 1000", "posted");
 *   ...                                           // receive it here
 *   assertThat(peer.ask("await 1")).isEqualTo("sent");
 *   peer.finish();                                // it is content, too
 * }
 * }</pre>
 *
 * <p>A test with such a peer is skipped where the compiler or libfabric's headers are missing,
 * unless the system property {@code ofi4j.interop} is {@code required}: then it fails. To be used
 * by one thread.
 */
final class LibfabricPeer extends PeerProcess {
  private static final Path SOURCES =
      Path.of(System.getProperty("basedir", "provider-net"), "src", "test", "c");

  private LibfabricPeer(String program, Process process, Path errors) {
    super(program, process, errors);
  }

  /**
   * Compiles a program if this JVM has not yet done so, and starts it.
   *
   * @param program the name of its source, without {@code .c}
   * @param arguments of its {@code main}
   */
  static LibfabricPeer start(String program, String... arguments) throws Exception {
    Path executable = Executables.of(program);
    List<String> command = new ArrayList<>(List.of(executable.toString()));
    command.addAll(List.of(arguments));
    Path errors = Files.createTempFile(program, ".err");
    errors.toFile().deleteOnExit();
    return new LibfabricPeer(
        program + " on libfabric",
        new ProcessBuilder(command).redirectError(errors.toFile()).start(),
        errors);
  }

  /** The compiled programs of this JVM. */
  private static final class Executables {
    private static final Map<String, Path> COMPILED = new HashMap<>();

    private Executables() {}

    static synchronized Path of(String program) throws Exception {
      Path compiled = COMPILED.get(program);
      if (compiled == null) {
        need();
        compiled = compile(program);
        COMPILED.put(program, compiled);
      }
      return compiled;
    }

    /** Skips or fails the test unless a program that includes libfabric's headers can be linked. */
    private static void need() throws Exception {
      Path probe = temporary("probe", ".c");
      Files.writeString(
          probe, "#include <rdma/fabric.h>\nint main(void) { return fi_version() == 0; }\n");
      String complaint = gcc(probe, temporary("probe", ""));
      if ("required".equals(System.getProperty("ofi4j.interop"))) {
        assertThat(complaint)
            .as("a C compiler and libfabric are there: apt-get install gcc libc6-dev libfabric-dev")
            .isEmpty();
      }
      assumeTrue(complaint.isEmpty(), "no C program can be linked with libfabric: " + complaint);
    }

    private static Path compile(String program) throws Exception {
      Path executable = temporary(program, "");
      assertThat(gcc(SOURCES.resolve(program + ".c"), executable)).isEmpty();
      return executable;
    }

    /** What the compiler has to complain about. */
    private static String gcc(Path source, Path executable) throws Exception {
      Path messages = temporary("gcc", ".txt");
      Process compiler;
      try {
        compiler =
            new ProcessBuilder(
                    "gcc",
                    "-std=gnu11",
                    "-O2",
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-o",
                    executable.toString(),
                    source.toString(),
                    "-lfabric")
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
      } catch (IOException absent) {
        return "there is no gcc";
      }
      return compiler.waitFor() == 0
          ? ""
          : "gcc ends with %d: %s".formatted(compiler.exitValue(), Files.readString(messages));
    }

    private static Path temporary(String name, String ending) throws IOException {
      Path file = Files.createTempFile(name, ending);
      file.toFile().deleteOnExit();
      return file;
    }
  }
}
