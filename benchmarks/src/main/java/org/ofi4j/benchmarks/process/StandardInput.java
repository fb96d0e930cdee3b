// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The commands that a process that measures reads. */
public final class StandardInput {
  private StandardInput() {}

  /** The lines as they come. The process exits at the end of its input, even in a command. */
  public static BlockingQueue<String> lines() {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread.ofPlatform().daemon().name("commands").start(() -> read(lines));
    return lines;
  }

  /** The process that started this one is gone when the input ends. */
  private static void read(BlockingQueue<String> into) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        into.add(line);
      }
    } catch (IOException e) {
      // As good as its end.
    }
    System.exit(0);
  }
}
