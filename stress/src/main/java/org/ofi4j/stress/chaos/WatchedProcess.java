// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ChaosProcess} as the referee sees it: its life, and the journal of what it said. A
 * thread of its own reads along, so that the process never waits; the journal is the referee's once
 * the process is dead.
 */
final class WatchedProcess {
  private final int number;
  private final Process process;
  private final Thread reader;

  /** What it is sure to have: handles by address. */
  private final Map<Long, Long> confirmed = new HashMap<>();

  /** What it may have or not: the change was announced, and nothing said that it was done. */
  private final Set<Long> uncertain = new HashSet<>();

  private final Map<Long, Long> byHandle = new HashMap<>();
  private String announced = "";

  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong looks = new AtomicLong();
  private volatile @Nullable String complaint;
  private volatile boolean killed;

  /** The shell that lets the process go on when its input ends; null unless it is stopped. */
  private volatile @Nullable Process stopping;

  /** Starts one with a number, which its addresses carry. */
  WatchedProcess(int number, List<String> command) throws IOException {
    this.number = number;
    this.process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    this.reader =
        Thread.ofPlatform().daemon().name("journal of process " + number).start(this::readAlong);
  }

  private void readAlong() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.endsWith(ChaosProcess.END)) {
          hear(line.substring(0, line.length() - ChaosProcess.END.length()));
        }
        // What has no end was cut off by the kill, before what it announces had begun.
      }
    } catch (IOException e) {
      complaint("its journal cannot be read: " + e);
    } catch (RuntimeException e) {
      complaint("its journal makes no sense: " + e);
    }
    leaveOpen();
  }

  private void complaint(String text) {
    if (complaint == null) {
      complaint = "process " + number + ": " + text;
    }
  }

  private void hear(String line) {
    switch (line.isEmpty() ? ' ' : line.charAt(0)) {
      case '+', '-' -> announced = line;
      case '=' -> done(numbers(announced), numbers(line));
      case '?' -> looks.addAndGet(Long.parseLong(line.substring(1)));
      case '!' -> complaint(line.substring(1));
      default -> complaint("it said " + line);
    }
  }

  private static long[] numbers(String line) {
    return line.length() == 1
        ? new long[0]
        : Arrays.stream(line.substring(1).split(" ")).mapToLong(Long::parseLong).toArray();
  }

  private void done(long[] what, long[] outcomes) {
    if (what.length != outcomes.length) {
      complaint("it said " + outcomes.length + " outcomes of " + what.length + " changes");
      return;
    }
    for (int i = 0; i < what.length; i++) {
      if (announced.startsWith("+")) {
        confirmed.put(what[i], outcomes[i]);
        byHandle.put(outcomes[i], what[i]);
      } else {
        confirmed.remove(byHandle.remove(what[i]));
      }
    }
    announced = "";
    changes.incrementAndGet();
  }

  /** What was announced and not said to be done may have happened or not. */
  private void leaveOpen() {
    if (announced.isEmpty()) {
      return;
    }
    for (long what : numbers(announced)) {
      if (announced.startsWith("+")) {
        uncertain.add(what);
      } else {
        Long word = byHandle.remove(what);
        if (word != null) {
          confirmed.remove(word);
          uncertain.add(word);
        }
      }
    }
  }

  int number() {
    return number;
  }

  /** How many changes it said to be done. */
  long changes() {
    return changes.get();
  }

  /** How many entries it looked up and searched for. */
  long looks() {
    return looks.get();
  }

  /** What it found wrong, or is wrong with itself; null if nothing. */
  @Nullable String complaint() {
    if (complaint == null && !killed && !process.isAlive()) {
      return "process " + number + ": ended by itself with status " + process.exitValue();
    }
    return complaint;
  }

  /** Whether it has begun to work. */
  boolean isAtWork() {
    return changes() + looks() > 0 && process.isAlive();
  }

  /** Whether it runs, or is stopped. */
  boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Stops the process until {@link #resume}. A shell lets it go on if this JVM ends before, however
   * that happens: a stopped process would not notice the end of its input.
   */
  void stop() throws IOException {
    String script = "trap '' HUP INT TERM; kill -STOP \"$0\"; echo; read -r _; kill -CONT \"$0\"";
    Process shell =
        new ProcessBuilder("sh", "-c", script, Long.toString(process.pid()))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    stopping = shell;
    shell.inputReader().readLine();
  }

  /** Lets the stopped process go on. */
  void resume() throws IOException {
    Process shell = stopping;
    if (shell != null) {
      stopping = null;
      shell.getOutputStream().close();
      shell.onExit().join();
    }
  }

  /**
   * Ends it as {@code kill -9} does, and reads its journal to the end; says whether that was in the
   * middle of a change.
   */
  boolean kill() throws InterruptedException {
    if (process.isAlive()) {
      killed = true;
    }
    destroy();
    if (!reader.join(Duration.ofMinutes(1))) {
      complaint("its journal does not end");
    }
    return !announced.isEmpty();
  }

  /** Ends it as {@code kill -9} does, whether or not this thread was interrupted. */
  void destroy() {
    // The shell first: it must not signal a process that is gone.
    Process shell = stopping;
    if (shell != null) {
      shell.destroyForcibly().onExit().join();
    }
    // By its handle: the process itself would close the stream, with lines in it that count.
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  // The journal, once it is dead.

  /** What must be there: handles by address. */
  Map<Long, Long> confirmed() {
    return confirmed;
  }

  /** What may be there. */
  Set<Long> uncertain() {
    return uncertain;
  }
}
