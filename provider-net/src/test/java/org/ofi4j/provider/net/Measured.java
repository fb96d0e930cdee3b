// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the process has and what threads have used so far. By reflection, so that the module under
 * test need not read those that know.
 */
public final class Measured {
  /** Far more than the compiler needs; who allocates each time is not let off by them. */
  private static final int MOST_RUNS = 30;

  private static final Pattern TOTAL = Pattern.compile("Total +[0-9]+ +([0-9]+)");

  private static final Object THREADS;
  private static final Method ALLOCATED;
  private static final Object SERVER;
  private static final Object DIAGNOSTIC;
  private static final Method INVOKE;

  static {
    try {
      Class<?> factory = Class.forName("java.lang.management.ManagementFactory");
      THREADS = factory.getMethod("getThreadMXBean").invoke(null);
      ALLOCATED =
          Class.forName("com.sun.management.ThreadMXBean")
              .getMethod("getThreadAllocatedBytes", long.class);
      SERVER = factory.getMethod("getPlatformMBeanServer").invoke(null);
      Class<?> name = Class.forName("javax.management.ObjectName");
      DIAGNOSTIC =
          name.getConstructor(String.class)
              .newInstance("com.sun.management:type=DiagnosticCommand");
      INVOKE =
          Class.forName("javax.management.MBeanServer")
              .getMethod("invoke", name, String.class, Object[].class, String[].class);
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
  public static double allocatedForEach(double enough, int units, Thread thread, Runnable work) {
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

  /**
   * Bytes of all objects that can be reached: the JVM counts them one by one while it stands still,
   * so that neither room that threads have set aside nor garbage is among them.
   */
  public static long heap() {
    try {
      Object histogram =
          INVOKE.invoke(
              SERVER,
              DIAGNOSTIC,
              "gcClassHistogram",
              new Object[] {new String[0]},
              new String[] {String[].class.getName()});
      Matcher total = TOTAL.matcher((String) histogram);
      if (!total.find()) {
        throw new AssertionError("no total: " + histogram);
      }
      return Long.parseLong(total.group(1));
    } catch (ReflectiveOperationException failed) {
      throw new AssertionError(failed);
    }
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
