// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.InputStream;
import java.io.StringWriter;
import java.util.concurrent.CompletableFuture;
import org.ofi4j.cli.output.Terminal;

/** A command that runs until it is interrupted, in a thread of its own, and what it has printed. */
public final class RunningCommand {
  private final StringWriter out;
  private final StringWriter err = new StringWriter();
  private final CompletableFuture<Integer> code = new CompletableFuture<>();
  private final Thread thread;

  private RunningCommand(Terminal given, StringWriter out, String... args) {
    this.out = out;
    Terminal terminal =
        given != null ? given : Terminal.of(InputStream.nullInputStream(), out, err);
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("ofi4j " + String.join(" ", args))
            .start(() -> {
              try {
                code.complete(Main.run(terminal, args));
              } catch (Throwable failure) {
                code.completeExceptionally(failure);
              }
            });
  }

  public static RunningCommand start(String... args) {
    return new RunningCommand(null, new StringWriter(), args);
  }

  /** Starts one with a terminal of the test's. */
  public static RunningCommand start(Terminal terminal, StringWriter out, String... args) {
    return new RunningCommand(terminal, out, args);
  }

  public String out() {
    return out.toString();
  }

  /** Waits until it has printed something. */
  public void await(String text) throws Exception {
    await(out, text);
  }

  /** Waits until it has printed something as an error. */
  public void awaitError(String text) throws Exception {
    await(err, text);
  }

  private void await(StringWriter written, String text) throws Exception {
    while (!written.toString().contains(text)) {
      if (code.isDone()) {
        throw new AssertionError(thread.getName() + " does not print " + text + ": " + out() + err);
      }
      Thread.sleep(5);
    }
  }

  /** Ends it, and waits for its end. */
  public void interrupt() throws Exception {
    thread.interrupt();
    var _ = code.get();
  }

  /** What it was, once it has ended. */
  public CommandRun run() throws Exception {
    return new CommandRun(code.get(), out(), err.toString());
  }
}
