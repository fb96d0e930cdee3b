// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

/** How many rounds a test has that could go on for ever. */
public final class Rounds {
  private Rounds() {}

  /**
   * As many as a system property says.
   *
   * @param property its name
   * @param few how many there are without it
   * @param many how many then, with {@code -Dofi4j.long}
   */
  public static int of(String property, int few, int many) {
    return Integer.getInteger(property, System.getProperty("ofi4j.long") == null ? few : many);
  }
}
