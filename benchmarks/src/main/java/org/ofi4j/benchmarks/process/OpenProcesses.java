// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** All processes of a run, so that none outlives it however it ends. For one thread. */
public final class OpenProcesses implements AutoCloseable {
  /** A hundred million peers take minutes. */
  private static final int PATIENCE_SECONDS = 7200;

  private final Deque<LineProcess> open = new ArrayDeque<>();

  /** None yet. */
  public OpenProcesses() {}

  /** Takes over a process, which may be closed before. */
  public LineProcess add(LineProcess process) {
    open.push(process);
    return process;
  }

  /** Starts a JVM whose main class calls {@link FreshJvm#run}. */
  public LineProcess start(List<String> command) throws IOException {
    return add(new LineProcess("a JVM that measures", PATIENCE_SECONDS, command));
  }

  @Override
  public void close() {
    open.forEach(LineProcess::close);
  }
}
