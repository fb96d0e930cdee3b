// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.Membership;

/** Some members of a job, each with a client and a vector of its own. */
final class JobMembers {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int HOST = 0;

  private final VectorFactory vectors = new VectorFactory(Family.IPV4);
  private final List<Cluster> clusters = new ArrayList<>();
  private final List<Future<Membership>> memberships = new ArrayList<>();
  private final List<AddressVector> open = new ArrayList<>();
  private final int first;
  private final int size;

  /** So many members of a job of a size, from a rank on; they are connected. */
  JobMembers(String servers, int count, int first, int size) throws InterruptedException {
    this.first = first;
    this.size = size;
    for (int i = 0; i < count; i++) {
      clusters.add(Cluster.of(Client.connected(servers), Client.options("node")));
    }
  }

  /** Joins with all of them at once, and waits until each has all handles. */
  void join(String job) throws InterruptedException, ExecutionException {
    List<Future<Membership>> joined = new ArrayList<>();
    List<AddressVector> filled = new ArrayList<>();
    try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
      for (int i = 0; i < clusters.size(); i++) {
        int rank = first + i;
        Cluster cluster = clusters.get(i);
        AddressVector vector = vectors.open(VectorOptions.table());
        filled.add(vector);
        joined.add(
            threads.submit(() ->
                cluster.job(job, size).join(vector, Client.address(HOST, rank), rank, PATIENCE)));
      }
    }
    for (int i = 0; i < filled.size(); i++) {
      joined.get(i).get();
      AddressVector vector = filled.get(i);
      Subject.check(vector.size(), size, "members in a vector of the job");
      for (int rank = 0; rank < size; rank++) {
        if (!vector.lookup(rank).equals(Client.address(HOST, rank))) {
          throw new IllegalStateException("handle " + rank + " is not rank " + rank);
        }
      }
    }
    memberships.addAll(joined);
    open.addAll(filled);
  }

  /** They leave. */
  void leave() throws InterruptedException, ExecutionException {
    for (Future<Membership> each : memberships) {
      each.get().close();
    }
    memberships.clear();
    open.forEach(AddressVector::close);
    open.clear();
  }
}
