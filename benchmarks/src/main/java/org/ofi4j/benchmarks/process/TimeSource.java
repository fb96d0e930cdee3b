// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What time is measured by. */
public enum TimeSource {
  /** The clock on the wall: what an application waits for. */
  WALL,
  /**
   * The time that the measuring thread was on a processor. Where other programs run beside it, its
   * figures are far closer to those of a quiet machine.
   */
  CPU;

  /** Only loaded when it is needed. */
  private static final class Threads {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
  }

  /** Nanoseconds of the current thread since whenever. */
  public long now() {
    return this == WALL ? System.nanoTime() : Threads.BEAN.getCurrentThreadCpuTime();
  }

  /** The word for it on libfabric's side. */
  public String word() {
    return this == WALL ? "wall" : "cpu";
  }
}
