package org.ofi4j.benchmarks;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * {@link FreshJvm}, running: with the Java and the modules of this process, and with its options
 * for the JVM as far as they can change what is measured.
 */
final class FreshJvmProcess implements AutoCloseable {
  /** A hundred million peers take minutes. */
  private static final int PATIENCE_SECONDS = 7200;

  private final LineProcess process;

  /**
   * Starts one.
   *
   * @param time what time is measured by
   * @param options more options for the JVM
   */
  FreshJvmProcess(TimeSource time, List<String> options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    List<String> passedOn =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(FreshJvmProcess::isPassedOn)
            .toList();
    if (passedOn.stream().noneMatch(option -> option.endsWith("GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    command.addAll(passedOn);
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
    command.add(time.name());
    process =
        new LineProcess(
            "a JVM that measures",
            PATIENCE_SECONDS,
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
  }

  /** The cache of loaded classes was made for other modules than those of the benchmark. */
  private static boolean isPassedOn(String option) {
    return option.startsWith("-X") && !option.startsWith("-XX:AOT") && !option.startsWith("-Xlog");
  }

  /** Gives a command, and returns when it is done. */
  void tell(String command, FigureSink figures) {
    process.say(command);
    for (String line = process.hear(command);
        !line.equals(FreshJvm.DONE);
        line = process.hear(command)) {
      if (line.startsWith(FreshJvm.FIGURE)) {
        figures.add(Figure.of(line.substring(FreshJvm.FIGURE.length())));
      } else if (line.startsWith(FreshJvm.FAILURE)) {
        throw process.failure(
            "says \"" + line.substring(FreshJvm.FAILURE.length()) + "\"", command);
      } else {
        forward(line);
      }
    }
  }

  /** Gives a command that measures nothing. */
  void tell(String command) {
    tell(
        command,
        figure -> {
          throw new IllegalStateException("a figure without a round: " + figure);
        });
  }

  /** What the JVM itself prints, if its options ask for it. */
  @SuppressWarnings("SystemOut")
  private static void forward(String line) {
    System.err.println(line);
  }

  @Override
  public void close() {
    process.close();
  }
}
