// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import org.jspecify.annotations.Nullable;

/** Ends a command: a sentence for standard error and the exit status. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** An end with one of {@link ExitCode}; the message says what was wrong and what to do. */
  public CommandException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  /** The same with its cause. */
  public CommandException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** One of {@link ExitCode}. */
  public int exitCode() {
    return exitCode;
  }

  public String sentence() {
    return String.valueOf(getMessage());
  }
}
