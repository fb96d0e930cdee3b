// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;

/** Three servers, which die, and processes that are stopped. */
class QuorumTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final int LONG_SESSION = 30_000;
  private static final int SHORT_SESSION = TestTree.SHORT_SESSION;

  private static Quorum quorum;

  private final TestNetwork network = new TestNetwork();
  private final Events events = new Events();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final ConcurrentLinkedQueue<String> findings = new ConcurrentLinkedQueue<>();
  private final String group = "service" + System.nanoTime();

  @BeforeAll
  static void start() {
    quorum = Quorum.ofThree();
  }

  @AfterAll
  static void stop() {
    quorum.close();
  }

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
    network.close();
    assertThat(findings).isEmpty();
  }

  private CuratorFramework client(int session) {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            quorum.connectString(), session, 5_000, new RetryNTimes(300, 100));
    client.start();
    open.push(client);
    return client;
  }

  private Service service(CuratorFramework client, String host) {
    Cluster cluster =
        Cluster.of(client, ClusterOptions.of(host).withTimeout(Duration.ofSeconds(30)));
    open.push(cluster);
    return cluster.service(group);
  }

  private static Membership join(Service service, String name, int port) {
    return service.join(name, TestNetwork.address(port), MemberOptions.none());
  }

  @Test
  @DisplayName("When servers die one after the other, nothing changes, and members can join")
  void oneServerDies() {
    Membership a = join(service(client(LONG_SESSION), "one"), "a", 5001);
    AddressVector vector = network.vector();
    service(client(LONG_SESSION), "watcher").fill(vector, Duration.ZERO, events);
    assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(a.member());
    Service other = service(client(LONG_SESSION), "two");
    // One of them leads, and one is that of the watcher.
    for (int server = 0; server < quorum.size(); server++) {
      quorum.kill(server);
      Membership next = join(other, "b" + server, 5002 + server);
      assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(next.member());
      quorum.start(server);
      quorum.awaitServing(server);
    }
    assertThat(vector.size()).isEqualTo(4);
    assertThat(vector.find(a.member().address())).isNotNegative();
  }

  @Test
  @DisplayName("While a majority is dead nothing changes and joins wait; then they are there")
  void majorityDies() throws Exception {
    Membership a = join(service(client(LONG_SESSION), "one"), "a", 5001);
    AddressVector vector = network.vector();
    CuratorFramework watcher = client(LONG_SESSION);
    service(watcher, "watcher").fill(vector, Duration.ZERO, events);
    long handle = events.next(MemberEvent.Joined.class).handle();
    Service late = service(client(LONG_SESSION), "two");
    Membership early = join(late, "b", 5002);
    events.next(MemberEvent.Joined.class, "b");
    early.close();
    events.next(MemberEvent.Left.class, "b");

    CountDownLatch away = Awaited.reaches(watcher, ConnectionState.SUSPENDED);
    quorum.kill(0);
    quorum.kill(1);
    Awaited.await(away);
    CompletableFuture<Membership> joining =
        CompletableFuture.supplyAsync(() -> join(late, "b", 5003));
    assertThat(events.isEmpty()).isTrue();
    assertThat(vector.lookup(handle)).isEqualTo(a.member().address());
    assertThat(joining).isNotDone();
    quorum.start(0);
    quorum.start(1);
    Membership b = joining.join();
    assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(b.member());
    assertThat(vector.size()).isEqualTo(2);
    assertThat(vector.lookup(handle)).isEqualTo(a.member().address());
  }

  @Test
  @Tag("long")
  @DisplayName("When a majority is dead for longer than all sessions, each member is what it was")
  void majorityDiesForLong() throws Exception {
    CuratorFramework one = client(SHORT_SESSION);
    Membership a = join(service(one, "one"), "a", 5001);
    AddressVector vector = network.vector();
    CuratorFramework watcher = client(SHORT_SESSION);
    VectorFeed feed = service(watcher, "watcher").fill(vector, LONG, events);
    MemberEvent.Joined first = events.next(MemberEvent.Joined.class);

    CountDownLatch lost = Awaited.reaches(one, ConnectionState.LOST);
    CountDownLatch alsoLost = Awaited.reaches(watcher, ConnectionState.LOST);
    quorum.kill(1);
    quorum.kill(2);
    Awaited.await(lost);
    Awaited.await(alsoLost);
    assertThat(vector.size()).isEqualTo(1);
    quorum.start(1);
    quorum.start(2);
    Membership b = join(service(client(LONG_SESSION), "two"), "b", 5002);
    assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(b.member());
    // The incarnation is the same, or there would be an event.
    Awaited.until(() -> published(one).equals(List.of(a.member())));
    assertThat(events.isEmpty()).isTrue();
    assertThat(feed.handle("a")).hasValue(first.handle());
    assertThat(first.member()).isEqualTo(a.member());
  }

  /** The members of host one, if its process's node is that of the client's present session. */
  private List<Member> published(CuratorFramework client) throws Exception {
    GroupPaths paths = new GroupPaths("/ofi4j", group);
    List<String> processes = client.getChildren().forPath(paths.host("one"));
    String path = paths.host("one") + "/" + processes.getFirst();
    long owner = client.checkExists().forPath(path).getEphemeralOwner();
    assertThat(owner).isEqualTo(client.getZookeeperClient().getZooKeeper().getSessionId());
    return HostRecord.of(client.getData().forPath(path), "one").members();
  }

  /** A process with a member, in a JVM of its own. */
  private WatchedMember process(String name, int port, Duration grace) {
    String address = TestNetwork.address(port).toString();
    WatchedMember process =
        new WatchedMember(
            new MemberProcess.Setting(
                quorum.connectString(), group, name, "host" + name, address, grace.toMillis()),
            Redirect.DISCARD,
            new WatchedMember.Listener() {
              @Override
              public void said(WatchedMember member, String line) {}

              @Override
              public void heard(WatchedMember member, String event) {}

              @Override
              public void found(String finding) {
                findings.add(finding);
              }
            });
    open.push(process::kill);
    Awaited.until(() -> process.published() != null);
    return process;
  }

  @Test
  @DisplayName("Who is stopped for longer than its session leaves, and is back as who it was")
  void stopped() {
    AddressVector strict = network.vector();
    Service watcher = service(client(LONG_SESSION), "watcher");
    watcher.fill(strict, Duration.ZERO, events);
    WatchedMember process = process("a", 25_001, LONG);
    MemberEvent.Joined joined = events.next(MemberEvent.Joined.class);
    AddressVector patient = network.vector();
    VectorFeed feed = watcher.fill(patient, LONG, MemberListener.none());
    long handle = feed.handle("a").orElseThrow();

    process.process().stop();
    assertThat(events.next(MemberEvent.Left.class).member()).isEqualTo(joined.member());
    assertThat(feed.handle("a")).hasValue(handle);
    assertThat(process.view.present()).doesNotContainKey("b");
    Membership b = join(watcher, "b", 5002);
    events.next(MemberEvent.Joined.class, "b");
    process.process().resume();
    assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(joined.member());
    assertThat(feed.handle("a")).hasValue(handle);
    assertThat(patient.lookup(handle)).isEqualTo(joined.member().address());
    // And it has heard of what happened meanwhile.
    Awaited.until(() -> process.view.present().size() == 2);
    assertThat(process.view.present().get("b").incarnation()).isEqualTo(b.member().incarnation());
  }

  @Test
  @Tag("long")
  @DisplayName("Who was stopped while a grace period ended asks who is back before it takes away")
  void stoppedInGrace() {
    Duration grace = Duration.ofSeconds(3);
    Service service = service(client(LONG_SESSION), "one");
    Membership back = join(service, "back", 5001);
    Membership gone = join(service, "gone", 5002);
    service.fill(network.vector(), Duration.ZERO, events);
    Events late = new Events();
    service.fill(network.vector(), grace, late);
    WatchedMember process = process("a", 25_001, grace);
    Awaited.until(() -> process.view.present().size() == 3);

    events.next(MemberEvent.Joined.class, "gone");
    late.next(MemberEvent.Joined.class, "gone");
    back.close();
    gone.close();
    events.next(MemberEvent.Left.class, "gone");
    process.tell("look 1");
    Awaited.until(() -> process.looked(1) != null);
    process.process().stop();
    Membership again = join(service, "back", 5003);
    // Here the grace period is over, and so it is in the process that is stopped.
    late.next(MemberEvent.Left.class, "gone");
    process.process().resume();
    Awaited.until(() -> !process.view.has("gone"));
    assertThat(process.departed()).containsExactly("gone");
    Awaited.until(
        () -> process.view.present().get("back").incarnation() == again.member().incarnation());
    assertThat(process.departed()).containsExactly("gone");
  }
}
