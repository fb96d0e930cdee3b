// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * What threads have used so far. By reflection, so that the module under test need not read the one
 * that knows.
 */
public final class Measured {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Object THREADS;
  private static final Method ALLOCATED;
  private static final Method PROCESSOR_TIME;

  static {
    try {
      Class<?> type = Class.forName("com.sun.management.ThreadMXBean");
      THREADS =
          Class.forName("java.lang.management.ManagementFactory")
              .getMethod("getThreadMXBean")
              .invoke(null);
      ALLOCATED = type.getMethod("getThreadAllocatedBytes", long.class);
      PROCESSOR_TIME = type.getMethod("getThreadCpuTime", long.class);
    } catch (ReflectiveOperationException missing) {
      throw new ExceptionInInitializerError(missing);
    }
  }

  private Measured() {}

  /** Bytes that a thread has allocated. */
  public static long allocated(Thread thread) {
    return number(ALLOCATED, thread);
  }

  /**
   * Bytes that a thread allocates for each unit of some work: the fewest of several times that it
   * is done. It is done again until that is less than enough, or some time is over: on a busy
   * machine the compiler is late, and pools of what is used again are still growing. What allocates
   * each time is not hidden by that.
   *
   * @param enough bytes for each unit
   * @param units how many the work has
   */
  public static double allocatedForEach(double enough, int units, Thread thread, Runnable work) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    double least = Double.MAX_VALUE;
    do {
      long before = allocated(thread);
      work.run();
      least = Math.min(least, (double) (allocated(thread) - before) / units);
    } while (least >= enough && System.nanoTime() - end < 0);
    return least;
  }

  /** Nanoseconds that a thread has run. */
  static long processorTime(Thread thread) {
    return number(PROCESSOR_TIME, thread);
  }

  private static long number(Method method, Thread thread) {
    try {
      return (Long) method.invoke(THREADS, thread.threadId());
    } catch (ReflectiveOperationException failed) {
      throw new AssertionError(failed);
    }
  }

  /** Bytes of the heap in use once the collector has run. */
  public static long heap() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      Thread.sleep(20);
      least =
          Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return least;
  }

  /** File descriptors of this process; 0 where the system does not say. */
  public static long descriptors() throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    if (!Files.isDirectory(descriptors)) {
      return 0;
    }
    try (Stream<Path> open = Files.list(descriptors)) {
      return open.count();
    }
  }
}
