// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What the process has and what threads have used so far. By reflection, so that the module under
 * test need not read those that know.
 */
final class Measured {
  /** Far more than the compiler needs; who allocates each time is not let off by them. */
  private static final int MOST_RUNS = 30;

  private static final Object THREADS;
  private static final Method ALLOCATED;

  static {
    try {
      Class<?> factory = Class.forName("java.lang.management.ManagementFactory");
      THREADS = factory.getMethod("getThreadMXBean").invoke(null);
      ALLOCATED =
          Class.forName("com.sun.management.ThreadMXBean")
              .getMethod("getThreadAllocatedBytes", long.class);
    } catch (ReflectiveOperationException missing) {
      throw new ExceptionInInitializerError(missing);
    }
  }

  private Measured() {}

  private static long allocated(Thread thread) {
    try {
      return (Long) ALLOCATED.invoke(THREADS, thread.threadId());
    } catch (ReflectiveOperationException failed) {
      throw new AssertionError(failed);
    }
  }

  /**
   * Bytes that a thread allocates for each unit of some work. The work is done until the thread has
   * allocated less than enough twice running: by then the compiler has come to it, and pools of
   * what is used again have grown, however busy the machine is.
   *
   * @param enough bytes for each unit
   * @param units how many the work has
   */
  static double allocatedForEach(double enough, int units, Thread thread, Runnable work) {
    double before = allocatedOnce(units, thread, work);
    double each = allocatedOnce(units, thread, work);
    for (int run = 2; Math.max(before, each) >= enough && run < MOST_RUNS; run++) {
      before = each;
      each = allocatedOnce(units, thread, work);
    }
    return Math.max(before, each);
  }

  private static double allocatedOnce(int units, Thread thread, Runnable work) {
    long before = allocated(thread);
    work.run();
    return (double) (allocated(thread) - before) / units;
  }

  /** Kilobytes of memory that this process has in fact. */
  static long residentKilobytes() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
          .findFirst()
          .orElseThrow();
    }
  }

  /** File descriptors of this process; 0 where the system does not say. */
  static long descriptors() throws IOException {
    Path descriptors = Path.of("/proc/self/fd");
    if (!Files.isDirectory(descriptors)) {
      return 0;
    }
    try (Stream<Path> open = Files.list(descriptors)) {
      return open.count();
    }
  }
}
