// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.cluster;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.drivers.AdvancedTracerDriver;
import org.apache.curator.drivers.EventTrace;
import org.apache.curator.drivers.OperationTrace;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.VectorFeed;

/** Has the members of a service in a vector, and says what that takes. */
final class Watcher {
  private static final long PATIENCE = Duration.ofMinutes(5).toNanos();

  private final FigureSink figures;
  private final String service;
  private final long members;
  private final CuratorFramework client;
  private final Cluster cluster;
  private final VectorFactory vectors = new VectorFactory(Family.IPV4);
  private final Reads reads = new Reads();
  private @Nullable VectorFeed feed;
  private @Nullable AddressVector vector;

  /** When which member was there or gone, by the clock of this JVM. */
  private final Map<String, Long> heard = new ConcurrentHashMap<>();

  /** When ZooKeeper told of the last change, or 0. */
  private final AtomicLong told = new AtomicLong();

  Watcher(FigureSink figures, CuratorFramework client, String service, long members) {
    this.figures = figures;
    this.client = client;
    this.service = service;
    this.members = members;
    cluster = Cluster.of(client, Client.options("watcher"));
  }

  /** Counts what this process reads. */
  private static final class Reads extends AdvancedTracerDriver {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void addTrace(OperationTrace trace) {
      count.incrementAndGet();
      bytes.addAndGet(Math.max(0, trace.getResponseBytesLength()));
    }

    @Override
    public void addEvent(EventTrace trace) {}

    void begin() {
      count.set(0);
      bytes.set(0);
    }
  }

  /** Fills a vector as a newcomer, and keeps it. */
  void fill(boolean isFirst) {
    if (feed != null && vector != null) {
      feed.close();
      vector.close();
    }
    AddressVector empty = vectors.open(VectorOptions.table());
    vector = empty;
    long begin = System.nanoTime();
    feed = cluster.service(service).fill(empty, Duration.ZERO, this::heard);
    long nanos = System.nanoTime() - begin;
    Subject.check(empty.size(), members, "members in the newcomer's vector");
    Side side = isFirst ? Side.OFI4J_FIRST : Side.OFI4J;
    figures.add(new Figure(ClusterBars.NEWCOMER, members, side, nanos / 1e6));
  }

  private void heard(MemberEvent event) {
    String word = event instanceof MemberEvent.Left ? "left " : "joined ";
    heard.put(word + event.member().name(), System.nanoTime());
  }

  /** Looks at the records itself as well, from another client. */
  void watch(CuratorFramework plain) throws Exception {
    plain
        .getZookeeperClient()
        .getZooKeeper()
        .addWatch(
            Client.ROOT + "/" + service + "/records",
            this::told,
            AddWatchMode.PERSISTENT_RECURSIVE);
    heard.clear();
    client.getZookeeperClient().setTracerDriver(reads);
    reads.begin();
  }

  private void told(WatchedEvent event) {
    if (event.getType() != EventType.None) {
      told.compareAndSet(0, System.nanoTime());
    }
  }

  /** A change comes next. */
  void arm() {
    told.set(0);
  }

  /** Waits until the vector has a change, and says how long after ZooKeeper's event that was. */
  void await(String what) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE;
    while (!heard.containsKey(what) || told.get() == 0) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("nothing was heard of: " + what);
      }
      Thread.sleep(1);
    }
    long nanos = Math.max(0, Objects.requireNonNull(heard.get(what)) - told.get());
    figures.add(
        what.startsWith("left") ? ClusterBars.LEAVES : ClusterBars.JOINS, members, nanos / 1e6);
  }

  /** Says what was read for each of so many changes. */
  void count(int changes) {
    figures.add(ClusterBars.READS, members, reads.count.get() / (double) changes);
    figures.add(ClusterBars.BYTES, members, reads.bytes.get() / (double) changes);
  }
}
