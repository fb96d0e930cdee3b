// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import org.jspecify.annotations.Nullable;

/**
 * Counts the stores of this process to memory and files, where {@link SteppingLoader} loaded the
 * engine, and lets it die after one of them. For one thread.
 */
public final class Steps {
  /** What a process answers that halted itself. */
  static final int HALTED = 77;

  /**
   * Death of a writer, in a process that goes on. Whatever catches it, or is done on the way out,
   * changes nothing any more: each further store dies of it, too.
   */
  public static final class Death extends Error {
    private static final long serialVersionUID = 1;

    Death() {
      super(null, null, false, false);
    }
  }

  private static boolean counting;
  private static boolean dead;
  private static Runnable death = Steps::die;
  private static @Nullable StepPlaces places;
  private static long taken;
  private static long last;

  private Steps() {}

  /** From now on steps count; behind the last one the writer dies. */
  static void begin(long lastStep) {
    counting = true;
    taken = 0;
    last = lastStep;
  }

  /** From now on steps count, and where each one is is noted. */
  static void begin(StepPlaces noted) {
    begin(Long.MAX_VALUE);
    places = noted;
  }

  /** From now on they do not count, and nobody is dead; how many there were. */
  static long end() {
    counting = false;
    dead = false;
    places = null;
    return taken;
  }

  /** Whether the writer has died. */
  static boolean isDead() {
    return dead;
  }

  /** Lets the whole process die, as by the kernel, not only the writer. */
  static void halt() {
    death = () -> Runtime.getRuntime().halt(HALTED);
  }

  /** Lets the writer do something else instead of dying, and go on. */
  static void instead(Runnable other) {
    death = other;
  }

  private static void die() {
    dead = true;
    throw new Death();
  }

  /** Called before every store. */
  public static void check() {
    if (dead) {
      throw new Death();
    }
  }

  /** Called behind every store. */
  public static void step() {
    if (!counting) {
      return;
    }
    taken++;
    if (places != null) {
      places.note();
    }
    if (taken == last) {
      counting = false;
      death.run();
    }
  }
}
