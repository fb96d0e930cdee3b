// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.vector.VectorFactory;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.MemberOptions;
import org.ofi4j.cluster.Membership;
import org.ofi4j.cluster.VectorFeed;

/** All members of a service, on many hosts, which one JVM stands for. */
final class Publisher {
  private static final int PATIENCE_MINUTES = 10;

  private final String service;
  private final List<Cluster> hosts = new ArrayList<>();
  private final Map<String, Membership> single = new HashMap<>();

  Publisher(CuratorFramework client, String service, int hosts) {
    this.service = service;
    for (int host = 0; host < hosts; host++) {
      this.hosts.add(Cluster.of(client, Client.options("host-" + host)));
    }
  }

  /**
   * Publishes so many members, all at once: what a process joins with at once is one write. When it
   * returns, a newcomer finds all of them.
   */
  void publish(int members) throws InterruptedException {
    join(0, 0);
    List<Future<Membership>> joined = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int member = 1; member < members; member++) {
        int host = member % hosts.size();
        int endpoint = member / hosts.size();
        joined.add(threads.submit(() -> join(host, endpoint)));
      }
    }
    try {
      for (Future<Membership> each : joined) {
        each.get();
      }
    } catch (ExecutionException failure) {
      throw new IllegalStateException(failure.getCause());
    }
    awaitRecords(members);
  }

  /** Joining returns when ZooKeeper has the member: the records of the hosts follow. */
  private void awaitRecords(int members) throws InterruptedException {
    CountDownLatch missing = new CountDownLatch(members);
    try (VectorFactory vectors = new VectorFactory(Family.IPV4);
        AddressVector vector = vectors.open(VectorOptions.table());
        VectorFeed _ =
            hosts
                .getFirst()
                .service(service)
                .fill(
                    vector,
                    Duration.ZERO,
                    event -> {
                      if (event instanceof MemberEvent.Joined) {
                        missing.countDown();
                      }
                    })) {
      if (!missing.await(PATIENCE_MINUTES, TimeUnit.MINUTES)) {
        throw new IllegalStateException(missing.getCount() + " members are in no record");
      }
    }
  }

  private Membership join(int host, int endpoint) {
    return hosts
        .get(host)
        .service(service)
        .join(
            "worker-" + host + "-" + endpoint,
            Client.address(host, endpoint),
            MemberOptions.none());
  }

  /** One more joins. */
  void join(String name, int host) {
    int endpoint = 10_000 + single.size();
    single.put(
        name,
        hosts
            .get(host % hosts.size())
            .service(service)
            .join(name, Client.address(host % hosts.size(), endpoint), MemberOptions.none()));
  }

  /** It leaves. */
  void leave(String name) {
    Objects.requireNonNull(single.remove(name), name).close();
  }
}
