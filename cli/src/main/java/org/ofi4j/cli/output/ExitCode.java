// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

/** The exit status of every command. */
public final class ExitCode {
  /** All went well. */
  public static final int OK = 0;

  /** Something was not as it should be: a bad line, a failed check, a peer that went away. */
  public static final int FAILED = 1;

  /** The command line was wrong. */
  public static final int USAGE = 2;

  /** No provider meets the hints: the number of {@code FI_ENODATA}, as fi_info exits with. */
  public static final int NOTHING_FITS = 61;

  /** Something that the command needs is not there, such as a provider or the conformance suite. */
  public static final int UNAVAILABLE = 69;

  /** A mistake in ofi4j itself. */
  public static final int INTERNAL = 70;

  /** Ended by an interrupt, as shells count it; the JVM's own status. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
