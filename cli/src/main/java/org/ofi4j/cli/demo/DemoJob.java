// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.cluster.Cluster;
import org.ofi4j.cluster.ClusterOptions;
import org.ofi4j.cluster.MemberEvent;
import org.ofi4j.cluster.MemberOptions;

/** A member of the job of the demonstration, in one of its processes. */
final class DemoJob implements AutoCloseable {
  static final int SIZE = 3;

  /** How soon a death is noticed, and how long a busy machine may hold up a process that lives. */
  private static final int SESSION_MILLIS = 4_000;

  /** Less than who asks has, so that what failed is said here. */
  private static final Duration PATIENCE = Duration.ofSeconds(50);

  private static final int RETRIES = 50;
  private static final int PAUSE_MILLIS = 100;

  private final CuratorFramework client;
  private final Cluster cluster;
  private final int rank;
  private final AddressVector vector;
  private final FabricAddress address;
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

  DemoJob(String servers, int rank, AddressVector vector, FabricAddress address) {
    this.rank = rank;
    this.vector = vector;
    this.address = address;
    client =
        CuratorFrameworkFactory.newClient(
            servers, SESSION_MILLIS, SESSION_MILLIS, new RetryNTimes(RETRIES, PAUSE_MILLIS));
    client.start();
    cluster = Cluster.of(client, ClusterOptions.defaults());
  }

  /** Joins; answers how many members the vector has then. */
  long join() {
    var _ =
        cluster
            .job("demo", SIZE)
            .join(vector, address, rank, PATIENCE, MemberOptions.none(), this::heard);
    // All of them have joined, which is no news.
    events.clear();
    return vector.size();
  }

  private void heard(MemberEvent event) {
    String what =
        switch (event) {
          case MemberEvent.StateChanged(var _, var state) -> "is " + state;
          case MemberEvent.Joined _ -> "joined";
          case MemberEvent.Left _ -> "left";
          case MemberEvent.Moved _ -> "moved";
          case MemberEvent.Refused _ -> "refused";
        };
    events.add(what + " " + event.member().name());
  }

  /** What became of a member next, and which. */
  String heard() throws InterruptedException {
    String event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    return event == null ? "nothing" : event;
  }

  @Override
  public void close() {
    cluster.close();
    client.close();
  }
}
