// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.DynamicTest;

/**
 * What is tested one after the other in a JVM of its own. Lines tell the other JVM how each has
 * ended: {@code well NAME}, or {@code not NAME} with lines of the reason, each after a bar.
 */
final class Scenarios {
  /** What a scenario does; it fails by throwing. */
  interface Scenario {
    void run() throws Exception;
  }

  private static final String WELL = "well ";
  private static final String NOT = "not ";
  private static final String REASON = "| ";

  private final Map<String, Scenario> all = new LinkedHashMap<>();
  private final long watchedSeconds;

  Scenarios() {
    this(0);
  }

  /**
   * No scenario yet.
   *
   * @param moreSeconds how long all may take, beyond what is enough for most
   */
  Scenarios(long moreSeconds) {
    watchedSeconds = ChildJvm.SECONDS + moreSeconds;
  }

  Scenarios add(String name, Scenario scenario) {
    all.put(name, scenario);
    return this;
  }

  /** Runs all, in a JVM that was started for them, and ends it. */
  void runAndExit() {
    Thread main = Thread.currentThread();
    Thread.ofPlatform().daemon().start(() -> endLate(main));
    all.forEach(Scenarios::run);
    System.exit(0);
  }

  private static void run(String name, Scenario scenario) {
    try {
      scenario.run();
      System.out.println(WELL + name);
    } catch (Exception | AssertionError failed) {
      StringWriter text = new StringWriter();
      failed.printStackTrace(new PrintWriter(text, true));
      System.out.println(NOT + name);
      text.toString().lines().forEach(line -> System.out.println(REASON + line));
    }
  }

  /** Ends a JVM that hangs, which says first where it does. */
  private void endLate(Thread main) {
    try {
      if (!main.join(Duration.ofSeconds(watchedSeconds))) {
        Thread.getAllStackTraces()
            .forEach((thread, stack) -> {
              System.out.println(REASON + thread);
              for (StackTraceElement each : stack) {
                System.out.println(REASON + "  at " + each);
              }
            });
        System.out.flush();
        Runtime.getRuntime().halt(1);
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Runs the scenarios of a program.
   *
   * @return a test for each, and one whether the JVM ends well
   */
  static List<DynamicTest> of(Class<?> program, List<String> options, String... arguments)
      throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    try (ChildJvm jvm = ChildJvm.start(program, options, arguments)) {
      String name = null;
      StringBuilder reason = new StringBuilder();
      for (String line = jvm.line(); line != null; line = jvm.line()) {
        if (line.startsWith(REASON)) {
          reason.append(line.substring(REASON.length())).append('\n');
          continue;
        }
        addFailed(tests, name, reason);
        name = line.startsWith(NOT) ? line.substring(NOT.length()) : null;
        if (line.startsWith(WELL)) {
          tests.add(dynamicTest(line.substring(WELL.length()), () -> {}));
        }
      }
      addFailed(tests, name, reason);
      int status = jvm.exitStatus();
      String errors = jvm.errors();
      String hung = reason.toString();
      tests.add(
          dynamicTest(
              "the JVM ends well",
              () -> {
                assertThat(status).as("%s%s", errors, hung).isZero();
                // Even what it only grumbles about.
                assertThat(errors).isEmpty();
              }));
    }
    return tests;
  }

  private static void addFailed(List<DynamicTest> tests, String name, StringBuilder reason) {
    if (name != null) {
      String said = reason.toString();
      reason.setLength(0);
      tests.add(
          dynamicTest(
              name,
              () -> {
                throw new AssertionError(said);
              }));
    }
  }

  /** What several threads do at the same time; the first failure of any of them. */
  static void together(Scenario... parts) throws Exception {
    ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (Scenario part : parts) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  part.run();
                } catch (Exception | AssertionError failed) {
                  failures.add(failed);
                }
              }));
    }
    for (Thread each : threads) {
      each.join();
    }
    for (Throwable each : failures) {
      throw new AssertionError("a thread of several", each);
    }
  }
}
