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

  /** The launcher waited in vain for another build of the command. */
  public static final int BUSY = 75;

  /** Ended by SIGHUP, as shells count it; the JVM's own status. */
  public static final int HUNG_UP = 129;

  /** Ended by SIGINT, as shells count it; the JVM's own status. */
  public static final int INTERRUPTED = 130;

  /** Ended by SIGTERM, as shells count it; the JVM's own status. */
  public static final int TERMINATED = 143;

  private ExitCode() {}
}
