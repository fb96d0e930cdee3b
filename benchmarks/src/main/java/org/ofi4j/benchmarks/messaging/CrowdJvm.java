// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Objects;
import org.ofi4j.benchmarks.process.FreshJvm;

/**
 * A {@link Crowd} in a JVM of its own, which obeys lines on standard input:
 *
 * <pre>
 *   listen                ok NAME     opens the server
 *   gather COUNT NAME     ok NAMES    opens clients
 *   admit NAMES           ok          knows these clients
 *   serve COUNT           ok, ok      is ready; has answered so many requests
 *   request COUNT         ok          has got so many answers
 *   heap                  ok BYTES    of live objects
 * </pre>
 */
record CrowdJvm(Crowd crowd) implements FreshJvm.Commands {
  /**
   * Obeys until standard input ends.
   *
   * @param arguments the {@link Contestant}
   */
  public static void main(String[] arguments) throws InterruptedException {
    try (Crowd crowd = Contestant.valueOf(arguments[0]).openCrowd()) {
      FreshJvm.run(new CrowdJvm(crowd));
    }
  }

  @Override
  public String obey(String[] words) throws Exception {
    switch (words[0]) {
      case "listen" -> {
        return crowd.listen();
      }
      case "gather" -> {
        return crowd.gather(Integer.parseInt(words[1]), words[2]);
      }
      case "admit" -> crowd.admit(words[1]);
      case "serve" -> crowd.serve(Integer.parseInt(words[1]), () -> FreshJvm.say("ok"));
      case "request" -> crowd.request(Integer.parseInt(words[1]));
      case "heap" -> {
        return Long.toString(liveBytes());
      }
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }

  /** As the collector has left it: what threads have reserved since does not count. */
  private static long liveBytes() {
    // The second collection finds the objects that the first has made unreachable.
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getCollectionUsage)
        .filter(Objects::nonNull)
        .mapToLong(MemoryUsage::getUsed)
        .sum();
  }
}
