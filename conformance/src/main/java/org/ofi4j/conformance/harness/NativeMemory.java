// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The memory outside the heap that programs in Java have in this process: what the JVM has
 * allocated for them, as its native memory tracking counts it, and what is mapped for them. Neither
 * depends on what else the JVM or the system does, as the resident size of the process does.
 */
final class NativeMemory {
  /** What has the JVM count; it costs little. */
  static final String OPTION = "-XX:NativeMemoryTracking=summary";

  /** Where the JVM counts what it allocates for memory segments and direct buffers. */
  private static final Pattern ALLOCATED = Pattern.compile("Other \\(reserved=(\\d+)");

  private NativeMemory() {}

  /** How much it is now, without what nobody can reach any more. */
  static long bytes() {
    System.gc();
    long mapped =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().startsWith("mapped"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    Matcher allocated = ALLOCATED.matcher(report());
    return mapped + (allocated.find() ? Long.parseLong(allocated.group(1)) : 0);
  }

  private static String report() {
    String report;
    try {
      report =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "vmNativeMemory",
                      new Object[] {new String[] {"summary", "scale=b"}},
                      new String[] {String[].class.getName()});
    } catch (JMException otherVirtualMachine) {
      throw new IllegalStateException("this JVM does not count memory", otherVirtualMachine);
    }
    if (!report.contains("Total: reserved=")) {
      throw new IllegalStateException("start the JVM with " + OPTION + ": " + report.strip());
    }
    return report;
  }
}
