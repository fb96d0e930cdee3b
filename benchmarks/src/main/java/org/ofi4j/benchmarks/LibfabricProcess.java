package org.ofi4j.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The program that drives libfabric, running: a command in, an answer out. It ends with its
 * standard input, so it cannot outlive this process.
 */
final class LibfabricProcess implements AutoCloseable {
  private static final String END = "";
  private static final int PATIENCE_SECONDS = 120;

  private final Process process;
  private final Writer commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final String provider;
  private final String version;

  LibfabricProcess(Path program, String provider, TimeSource time) throws IOException {
    this.provider = provider;
    process =
        new ProcessBuilder(program.toString(), provider, time.word())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    commands = process.outputWriter();
    Thread.ofPlatform().daemon().name("libfabric " + provider).start(this::readAnswers);
    version = answer("starting");
  }

  /**
   * In a thread of its own, because an answer may never come; no virtual one, whose carrier a read
   * from a pipe would keep.
   */
  private void readAnswers() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(line);
      }
    } catch (IOException e) {
      // The process was ended; there are no more answers.
    }
    answers.add(END);
  }

  /** The version of libfabric, such as 1.17. */
  String version() {
    return version;
  }

  /** Gives a command; answers what comes after {@code ok}. */
  String tell(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "libfabric's " + provider + " provider ended before \"" + command + "\"", e);
    }
    return answer(command);
  }

  private String answer(String command) {
    String line;
    try {
      line = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("was interrupted", command);
    }
    if (line == null) {
      throw failure("gives no answer within " + PATIENCE_SECONDS + " s", command);
    }
    if (line.equals(END)) {
      throw failure("ended", command);
    }
    if (!line.startsWith("ok ")) {
      throw failure("says \"" + line + "\"", command);
    }
    return line.substring(3);
  }

  private UncheckedIOException failure(String what, String command) {
    String sentence = "libfabric's " + provider + " provider " + what + " at \"" + command + "\"";
    return new UncheckedIOException(sentence, new IOException(sentence));
  }

  @Override
  public void close() {
    try {
      commands.close();
      if (process.waitFor(2, TimeUnit.SECONDS)) {
        return;
      }
    } catch (IOException e) {
      // It is gone already.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
