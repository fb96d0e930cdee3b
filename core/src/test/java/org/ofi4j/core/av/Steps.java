package org.ofi4j.core.av;

/**
 * Counts the stores of this process to memory and files, where {@link SteppingLoader} loaded the
 * engine, and lets it die after one of them. For one thread.
 */
public final class Steps {
  /** What a process answers that halted itself. */
  static final int HALTED = 77;

  /**
   * Death of a writer, in a process that goes on: nothing catches it, so all memory stays as it is.
   */
  public static final class Death extends Error {
    private static final long serialVersionUID = 1;

    Death() {
      super(null, null, false, false);
    }
  }

  private static boolean counting;
  private static Runnable death = Steps::die;
  private static long taken;
  private static long last;

  private Steps() {}

  /** From now on steps count; behind the last one the writer dies. */
  static void begin(long lastStep) {
    counting = true;
    taken = 0;
    last = lastStep;
  }

  /** From now on they do not count; how many there were. */
  static long end() {
    counting = false;
    return taken;
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
    throw new Death();
  }

  /** Called behind every store. */
  public static void step() {
    if (counting && ++taken == last) {
      counting = false;
      death.run();
    }
  }
}
