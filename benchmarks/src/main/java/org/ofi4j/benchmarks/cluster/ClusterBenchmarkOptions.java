// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.util.List;

/**
 * What to measure of groups.
 *
 * @param sizes numbers of members, each 1 to {@link #MOST}, the smallest first
 * @param changes how many members join and leave one by one, at least 1
 * @param job how many members a job has, 1 to {@link #LARGEST_JOB}
 * @param processes how many JVMs have them, 1 to as many as it has members
 */
public record ClusterBenchmarkOptions(List<Long> sizes, int changes, int job, int processes) {
  /** How many members the hosts of a service have. */
  static final double MEMBERS_OF_A_HOST = 62.5;

  /** The most members: one machine publishes them all. */
  public static final int MOST = 200_000;

  /** The largest job: each member has a client of ZooKeeper. */
  public static final int LARGEST_JOB = 256;

  /** Keeps a copy. */
  public ClusterBenchmarkOptions {
    sizes = List.copyOf(sizes);
    if (sizes.isEmpty()) {
      throw new IllegalArgumentException("sizes: none is given");
    }
    for (long size : sizes) {
      requireWithin("sizes:", size, MOST);
    }
    requireWithin("changes", changes, MOST);
    requireWithin("job", job, LARGEST_JOB);
    requireWithin("processes", processes, job);
  }

  private static void requireWithin(String what, long value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(what + " " + value + " is not within 1 to " + most);
    }
  }

  /** On how many hosts so many members are. */
  static int hosts(long members) {
    return (int) Math.ceil(members / MEMBERS_OF_A_HOST);
  }
}
