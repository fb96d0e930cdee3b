// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

/** Seeds of random tests, which have to be printed when such a test fails. */
public final class Seeds {
  /** System property that repeats a run. */
  public static final String PROPERTY = "ofi4j.seed";

  private Seeds() {}

  /** The seed asked for, or a new one. */
  public static long pick() {
    return Long.getLong(PROPERTY, System.nanoTime());
  }

  /** How to repeat a run, for the message of a failure. */
  public static String repeat(long seed) {
    return "repeat with -D" + PROPERTY + "=" + seed;
  }
}
