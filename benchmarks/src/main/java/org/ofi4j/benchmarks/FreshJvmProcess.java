package org.ofi4j.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs {@link FreshJvm} with the Java and the modules of this process. */
final class FreshJvmProcess {
  private FreshJvmProcess() {}

  /** The figures that it printed, by the id of their quantity. */
  static Map<String, Double> run(List<String> options, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.add("-XX:+UseSerialGC");
    command.addAll(options);
    Module module = FreshJvm.class.getModule();
    if (module.isNamed()) {
      command.add("--module-path");
      command.add(System.getProperty("jdk.module.path", ""));
      command.add("--module");
      command.add(module.getName() + "/" + FreshJvm.class.getName());
    } else {
      command.add("--class-path");
      command.add(System.getProperty("java.class.path", ""));
      command.add(FreshJvm.class.getName());
    }
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Map<String, Double> figures = new HashMap<>();
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        figures.put(words[0], Double.valueOf(words[1]));
      }
      int status = process.waitFor();
      if (status != 0) {
        throw new IOException("a fresh JVM ended with status " + status + ": " + command);
      }
    } finally {
      process.destroyForcibly();
    }
    return figures;
  }
}
