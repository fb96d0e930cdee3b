package org.ofi4j.benchmarks;

import java.io.IOException;
import java.nio.file.Path;

/** The program that drives libfabric, running: a command in, an answer out. */
final class LibfabricProcess implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 120;
  private static final String OK = "ok ";

  private final LineProcess process;
  private final String version;

  LibfabricProcess(Path program, String provider, TimeSource time) throws IOException {
    process =
        new LineProcess(
            "libfabric's " + provider + " provider",
            PATIENCE_SECONDS,
            new ProcessBuilder(program.toString(), provider, time.word())
                .redirectError(ProcessBuilder.Redirect.DISCARD));
    version = answer("starting");
  }

  /** The version of libfabric, such as 1.17. */
  String version() {
    return version;
  }

  /** Gives a command; answers what comes after {@code ok}. */
  String tell(String command) {
    process.say(command);
    return answer(command);
  }

  private String answer(String command) {
    String line = process.hear(command);
    if (!line.startsWith(OK)) {
      throw process.failure("says \"" + line + "\"", command);
    }
    return line.substring(OK.length());
  }

  @Override
  public void close() {
    process.close();
  }
}
