// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

/** Comparisons in loops of many rounds, in which assertions would take most of the time. */
public final class Quick {
  private Quick() {}

  /**
   * Fails unless two numbers are the same.
   *
   * @param actual what there is
   * @param expected what there should be
   * @param what what they are, as {@link String#format} has it if there is more
   * @param which what the format refers to
   */
  public static void same(long actual, long expected, String what, Object... which) {
    if (actual != expected) {
      differ(actual, expected, what, which);
    }
  }

  /** As {@link #same(long, long, String, Object...)}, for what is true or false. */
  public static void same(boolean actual, boolean expected, String what, Object... which) {
    if (actual != expected) {
      differ(actual, expected, what, which);
    }
  }

  private static void differ(Object actual, Object expected, String what, Object... which) {
    String said = which.length == 0 ? what : String.format(what, which);
    throw new AssertionError(said + ": " + actual + " instead of " + expected);
  }
}
