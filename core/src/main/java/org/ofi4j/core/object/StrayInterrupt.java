// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.object;

/**
 * The interrupt of a thread that nobody interrupted. Whoever closes a shared arena ends the
 * accesses of all threads that are in its memory at that moment: the JVM throws into them from
 * outside, and interrupts them so that they wake up and see it.
 */
public final class StrayInterrupt {
  private StrayInterrupt() {}

  /**
   * Takes the interrupt back, to be called where an access found its memory closed and is made
   * again elsewhere, so that the caller hears nothing of it.
   *
   * <p>Nothing tells who interrupted the thread: a genuine interrupt that it has by then is lost.
   * Leaving a stray one would be worse: it closes channels of the application, and ends waits of
   * it, at any later time. Where a vector is closed under its readers, they are told so by an
   * exception, and often interrupted to end: there nothing is taken back.
   *
   * @param failed what was caught; only what may have come with an interrupt counts
   */
  public static void takeBack(Throwable failed) {
    if (failed instanceof IllegalStateException) {
      Thread.interrupted();
    }
  }
}
