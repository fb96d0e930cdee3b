// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.mapped.HaltedVictim.Part;
import org.ofi4j.core.testing.Jvm;

/** Another process, a {@link HaltedVictim}, as seen by who survives it. */
final class HaltedOther implements AutoCloseable {
  private final Process process;
  private final Writer asks;
  private final BufferedReader answers;

  /** Starts it. */
  HaltedOther() throws IOException {
    process = Jvm.start(HaltedVictim.class, (Path) null);
    asks = process.outputWriter();
    answers = process.inputReader();
  }

  /** Lets it do its part until it dies behind a step; false if it took fewer. */
  boolean dies(Part part, Change change, Path directory, long step) throws IOException {
    return ask(part, change, directory, String.valueOf(step)).startsWith("DIED");
  }

  /** Where all the stores of its part are. */
  StepPlaces places(Part part, Change change, Path directory) throws IOException {
    ask(part, change, directory, "0");
    return StepPlaces.read(directory.resolve("places"));
  }

  /**
   * What it sees when it comes, as {@link View#digest()}.
   *
   * @param indices where it looks; null for all that are there
   */
  long comes(boolean toRead, Change change, Path directory, int @Nullable [] indices)
      throws IOException {
    Part part = toRead ? Part.COME_TO_READ : Part.COME_TO_WRITE;
    String where =
        indices == null
            ? "ALL"
            : IntStream.of(indices).mapToObj(String::valueOf).collect(Collectors.joining(","));
    String seen = ask(part, change, directory, where);
    return Long.parseLong(seen.substring(seen.indexOf(' ') + 1));
  }

  private String ask(Part part, Change change, Path directory, String how) throws IOException {
    asks.write(part + " " + change + " " + how + " " + directory + "\n");
    asks.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the other process has ended");
    }
    if (answer.startsWith("FAILED")) {
      throw new AssertionError("the other process: " + answer.replace('|', '\n'));
    }
    return answer;
  }

  @Override
  public void close() throws IOException {
    asks.close();
    boolean interrupted = false;
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      interrupted = true;
      process.destroyForcibly();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
