// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

/**
 * Faults of mapped memory, as when somebody cuts the file. In compiled code the machine goes on
 * behind the load that faulted, with anything as what was loaded, and throws the {@link
 * InternalError} at the next place where it looks whether there is something else to be done: at
 * the end of a method that is not part of another one, or where a loop begins again. That may be in
 * whatever called the code that would have caught it.
 */
public final class MappedFaults {
  /** Where each step leads; the compiler does not know that there is one only. */
  private static int[] steps = {0, 0};

  private MappedFaults() {}

  /** Throws what is to be thrown for what was loaded before. */
  public static void surface() {
    int at = 1;
    while (at != 0) {
      at = steps[at];
    }
  }
}
