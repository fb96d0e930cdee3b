// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How to start a JVM that measures: with the Java and the modules of this process, and with its
 * options for the JVM as far as they can change what is measured.
 */
public final class JvmCommand {
  /** The heap is there from the beginning, so that it does not count. */
  private static final List<String> FIXED_HEAP =
      List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch");

  /** The optimising compiler takes a megabyte or two, which among more peers do not count. */
  private static final int LEAST_OPTIMISED = 10_000_000;

  private JvmCommand() {}

  /** The command, to which arguments may be added, with more options for the JVM. */
  public static List<String> of(Class<?> main, List<String> options) {
    List<String> command = java(options);
    Module module = main.getModule();
    if (module.isNamed()) {
      command.add("--module-path");
      command.add(System.getProperty("jdk.module.path", ""));
      command.add("--module");
      command.add(module.getName() + "/" + main.getName());
    } else {
      command.add("--class-path");
      command.add(System.getProperty("java.class.path", ""));
      command.add(main.getName());
    }
    return command;
  }

  /**
   * Options for a JVM whose own memory does not change by anything that matters with so many peers.
   */
  public static List<String> forMemory(int peers) {
    List<String> options = new ArrayList<>(FIXED_HEAP);
    if (peers < LEAST_OPTIMISED) {
      options.add("-XX:TieredStopAtLevel=1");
    }
    return options;
  }

  /**
   * The same on the class path, for what uses jars that cannot be modules. The jars of yardsticks,
   * which only such a JVM has, are in a folder beside those of the command.
   */
  public static List<String> onClassPath(Class<?> main, List<String> options) {
    List<String> path = new ArrayList<>();
    for (String entry : System.getProperty("jdk.module.path", "").split(File.pathSeparator, -1)) {
      // A module path may name directories of jars.
      boolean hasJars =
          Files.isDirectory(Path.of(entry)) && !Files.exists(Path.of(entry, "module-info.class"));
      path.add(hasJars ? entry + File.separator + '*' : entry);
    }
    path.add(System.getProperty("java.class.path", ""));
    String home = System.getProperty("ofi4j.home");
    if (home != null) {
      path.add(String.join(File.separator, home, "lib-yardsticks", "*"));
    }
    path.removeIf(String::isEmpty);
    List<String> command = java(options);
    command.addAll(List.of("--class-path", String.join(File.pathSeparator, path), main.getName()));
    return command;
  }

  private static List<String> java(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    List<String> passedOn = passedOn();
    if (passedOn.stream().noneMatch(option -> option.endsWith("GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(passedOn);
    command.addAll(options);
    return command;
  }

  /** Returns the options of this JVM that can change what another JVM measures. */
  public static List<String> passedOn() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(JvmCommand::isPassedOn)
        .toList();
  }

  /** The cache of loaded classes was made for other modules than those of the benchmark. */
  private static boolean isPassedOn(String option) {
    return option.startsWith("-X") && !option.startsWith("-XX:AOT") && !option.startsWith("-Xlog");
  }
}
