// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What time is measured by. */
public enum TimeSource {
  /** The clock on the wall: what an application waits for. */
  WALL {
    @Override
    public long now() {
      return System.nanoTime();
    }
  },
  /**
   * The time that the measuring thread was on a processor. Where other programs run beside it, its
   * figures are far closer to those of a quiet machine.
   */
  CPU {
    @Override
    public long now() {
      return Threads.BEAN.getCurrentThreadCpuTime();
    }
  };

  /** Only loaded when it is needed. */
  private static final class Threads {
    private static final ThreadMXBean BEAN = ManagementFactory.getThreadMXBean();
  }

  /** Nanoseconds of the current thread since whenever. */
  public abstract long now();

  /** The word for it on libfabric's side. */
  public String word() {
    return this == WALL ? "wall" : "cpu";
  }
}
