// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands that start another one in namespaces of its own, as containers have them. Needs {@code
 * unshare} of util-linux, and root or namespaces for users; a test is skipped without, unless the
 * system property {@code ofi4j.interop} is {@code required}: then it fails.
 */
final class Namespace {
  private static final List<String> PROCESSES =
      List.of("--pid", "--fork", "--kill-child", "--mount-proc");
  private static final List<String> FILES = List.of("--mount");

  private Namespace() {}

  /** Numbers of processes that begin with 1. */
  static List<String> ofProcesses() throws IOException, InterruptedException {
    return checked(PROCESSES);
  }

  /**
   * A {@code /dev/shm} of its own.
   *
   * @param mebibytes how large it is
   * @param variables of the environment, each with its value
   */
  static List<String> ofSharedMemory(int mebibytes, String... variables)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(checked(FILES));
    String mount = "mount -t tmpfs -o size=%dm,mode=1777 tmpfs /dev/shm".formatted(mebibytes);
    command.addAll(List.of("sh", "-c", mount + " && exec env \"$@\"", "sh"));
    command.addAll(List.of(variables));
    return command;
  }

  private static List<String> checked(List<String> options)
      throws IOException, InterruptedException {
    String complaint = "";
    for (List<String> user : List.of(List.<String>of(), List.of("--user", "--map-root-user"))) {
      List<String> command = new ArrayList<>(List.of("unshare"));
      command.addAll(user);
      command.addAll(options);
      complaint = complaint(command);
      if (complaint.isEmpty()) {
        return command;
      }
    }
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(complaint).as("namespaces can be made: run as root, or allow users to").isEmpty();
    }
    assumeTrue(false, "no namespace can be made: " + complaint);
    return List.of();
  }

  private static String complaint(List<String> command) throws InterruptedException {
    List<String> trial = new ArrayList<>(command);
    trial.add("true");
    try {
      Process process = new ProcessBuilder(trial).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? "" : trial + ": " + output;
    } catch (IOException absent) {
      return String.valueOf(absent.getMessage());
    }
  }
}
