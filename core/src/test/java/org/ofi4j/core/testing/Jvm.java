// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Other processes of the tests. */
public final class Jvm {
  private Jvm() {}

  /**
   * Starts a process.
   *
   * @param main what it runs
   * @param said where what it says goes, errors too; null if it is to be read as it comes
   * @param properties options of the virtual machine
   */
  public static Process start(Class<?> main, Path said, String... properties) throws IOException {
    return start(main, said, List.of(), properties);
  }

  /** As {@link #start(Class, Path, String...)}, with arguments. */
  public static Process start(
      Class<?> main, Path said, List<String> arguments, String... properties) throws IOException {
    return start(said, command(main, arguments, properties));
  }

  /**
   * A process that cannot write more than so much to a file, as if the system were full.
   *
   * @param blocks of 512 or 1,024 bytes, as the shell has it
   */
  public static Process startWithoutRoom(Class<?> main, Path said, int blocks, String... properties)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "ulimit -f " + blocks + " && exec \"$@\"", "sh"));
    command.addAll(command(main, List.of(), properties));
    // Which the machine itself would write otherwise.
    command.add(5, "-XX:-UsePerfData");
    return start(said, command);
  }

  private static List<String> command(Class<?> main, List<String> arguments, String... properties) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // As most live for less than a second, the quicker compiler is enough.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(properties));
    command.add("-cp");
    command.add(classPath());
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  private static Process start(Path said, List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    if (said == null) {
      return builder.redirectError(Redirect.INHERIT).start();
    }
    return builder.redirectErrorStream(true).redirectOutput(said.toFile()).start();
  }

  /** Wherever the classes of this process come from, in whichever way it was told. */
  public static String classPath() {
    String name = Jvm.class.getName().replace('.', '/') + ".class";
    URL here = Jvm.class.getResource("/" + name);
    String own = here == null ? "" : here.getPath();
    return String.join(
        File.pathSeparator,
        own.endsWith(name) ? own.substring(0, own.length() - name.length()) : "",
        System.getProperty("jdk.module.path", ""),
        System.getProperty("java.class.path"));
  }

  /** Sends a signal, STOP or CONT, and waits until it has been sent. */
  public static void signal(Process process, String signal)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("kill -" + signal + " answered " + kill.exitValue());
    }
  }
}
