// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;

/**
 * A process that takes commands as lines on its standard input and answers with lines. It ends with
 * its input, so it cannot outlive this process. One thread speaks with it; any may close it.
 */
public final class LineProcess implements AutoCloseable {
  private static final int GRACE_SECONDS = 2;

  /** Begins the last line of an answer. */
  static final String OK = "ok";

  private final String name;
  private final int patienceSeconds;
  private final Process process;
  private final Writer commands;
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

  /** A line, or the end of all lines. */
  private record Answer(String line, boolean end) {}

  /** Starts a process whose errors are seen; the name is for messages. */
  public LineProcess(String name, int patienceSeconds, List<String> command) throws IOException {
    this(
        name,
        patienceSeconds,
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
  }

  /** Starts a process; the name is for messages. */
  public LineProcess(String name, int patienceSeconds, ProcessBuilder builder) throws IOException {
    this.name = name;
    this.patienceSeconds = patienceSeconds;
    process = builder.start();
    commands = process.outputWriter();
    Thread.ofPlatform().daemon().name("answers of " + name).start(this::readAnswers);
  }

  /**
   * In a thread of its own, because an answer may never come; no virtual one, whose carrier a read
   * from a pipe would keep.
   */
  private void readAnswers() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        answers.add(new Answer(line, false));
      }
    } catch (IOException e) {
      // The process was ended; there are no more answers.
    }
    answers.add(new Answer("", true));
  }

  /** Returns the number of the process. */
  public long pid() {
    return process.pid();
  }

  /** Returns the processor time of all threads so far, to a hundredth of a second. */
  public Duration processorTime() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Gives a command. */
  public void say(String command) {
    try {
      commands.write(command + "\n");
      commands.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " ended before \"" + command + "\"", e);
    }
  }

  /** The next line of its answer to a command. */
  public String hear(String command) {
    Answer answer;
    try {
      answer = answers.poll(patienceSeconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("was interrupted", command);
    }
    if (answer == null) {
      throw failure("gives no answer within " + patienceSeconds + " s", command);
    }
    if (answer.end()) {
      throw failure("ended", command);
    }
    return answer.line();
  }

  /** Gives a command that measures nothing; returns its result. */
  public String tell(String command) {
    say(command);
    return answer(command);
  }

  /** Gives a command, and passes on its figures. */
  public void tell(String command, FigureSink figures) {
    say(command);
    answer(command, figures);
  }

  /** Returns the result of a command that measures nothing. */
  public String answer(String command) {
    return answer(
        command,
        figure -> {
          throw new IllegalStateException("a figure without a round: " + figure);
        });
  }

  /** Returns the result of a command, and passes on its figures. */
  @SuppressWarnings("SystemOut")
  public String answer(String command, FigureSink figures) {
    while (true) {
      String line = hear(command);
      if (line.startsWith(FreshJvm.FIGURE)) {
        figures.add(Figure.of(line.substring(FreshJvm.FIGURE.length())));
      } else if (line.startsWith(OK)) {
        return line.substring(OK.length()).strip();
      } else if (line.startsWith(FreshJvm.ERROR)) {
        throw failure("says \"" + line + "\"", command);
      } else {
        // The JVM itself prints it, if its options ask for it.
        System.err.println(line);
      }
    }
  }

  /** Says what went wrong at which command. */
  private UncheckedIOException failure(String what, String command) {
    String sentence = name + " " + what + " at \"" + command + "\"";
    return new UncheckedIOException(sentence, new IOException(sentence));
  }

  @Override
  public void close() {
    end(GRACE_SECONDS);
  }

  /** Ends the input of the process and waits for its end; kills the process after that time. */
  public void end(int seconds) {
    try {
      commands.close();
      if (process.waitFor(seconds, TimeUnit.SECONDS)) {
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
