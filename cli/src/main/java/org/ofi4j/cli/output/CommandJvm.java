// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of another JVM that runs an ofi4j command, as the launcher starts it: with the
 * same modules and, if it is there, the cache of loaded classes.
 */
public final class CommandJvm {
  private static final String MAIN = "org.ofi4j.cli.Main";

  private CommandJvm() {}

  /**
   * Returns the command line, to which arguments may be added.
   *
   * @param options more options for the JVM
   * @param command the name of the command
   */
  public static List<String> of(List<String> options, String command) {
    List<String> line = new ArrayList<>();
    line.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    line.add("-XX:+UseSerialGC");
    line.addAll(options);
    String home = System.getProperty("ofi4j.home");
    String modules = System.getProperty("jdk.module.path", "");
    if (home != null && Files.isReadable(Path.of(home, "ofi4j.aot"))) {
      // The cache is for a JVM with these modules alone, which may call native code.
      modules = Path.of(home, "lib").toString();
      line.add("-XX:AOTCache=" + Path.of(home, "ofi4j.aot"));
      ModuleLayer.boot().modules().stream()
          .filter(module -> module.isNativeAccessEnabled() && !isOfTheJdk(module))
          .forEach(module -> line.add("--enable-native-access=" + module.getName()));
      // A cache that does not fit is no reason for words: everything works without.
      line.add("-Xlog:disable");
      line.add("-Xlog:all=warning,aot*=off,cds*=off:stderr");
    } else {
      // The JVM says of this one whether that may call C; to say it again of the other is enough.
      line.add("--illegal-native-access=allow");
    }
    Module module = CommandJvm.class.getModule();
    if (module.isNamed()) {
      line.addAll(List.of("--module-path", modules, "--module", module.getName() + "/" + MAIN));
    } else {
      line.addAll(List.of("--class-path", System.getProperty("java.class.path", ""), MAIN));
    }
    line.add(command);
    return line;
  }

  private static boolean isOfTheJdk(Module module) {
    return module.getName().startsWith("java.") || module.getName().startsWith("jdk.");
  }
}
