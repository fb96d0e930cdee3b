// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import java.lang.reflect.Method;

/**
 * How much the current thread has allocated. By reflection, so that the module under test need not
 * read the one that knows.
 */
public final class Allocation {
  private static final Object THREADS;
  private static final Method ALLOCATED;

  static {
    try {
      THREADS =
          Class.forName("java.lang.management.ManagementFactory")
              .getMethod("getThreadMXBean")
              .invoke(null);
      ALLOCATED =
          Class.forName("com.sun.management.ThreadMXBean")
              .getMethod("getCurrentThreadAllocatedBytes");
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Allocation() {}

  /** Bytes allocated by the current thread so far; asking costs some too, always the same. */
  public static long bytes() {
    try {
      return (Long) ALLOCATED.invoke(THREADS);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }
}
