// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.test.KillSession;
import org.apache.zookeeper.AddWatchMode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.cluster.HostRecord.ProcessMembers;

/** What can go wrong between members and ZooKeeper, and what becomes of the vector. */
class FaultsTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final GroupPaths PATHS = new GroupPaths("/ofi4j", "service");

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final Events events = new Events();
  private final AddressVector vector = network.vector();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  private static Membership join(TestTree.Process process, String name, int port) {
    return process.service().join(name, TestNetwork.address(port), MemberOptions.none());
  }

  private VectorFeed fill(TestTree.Process watcher, Duration grace) {
    return tree.closing(watcher.service().fill(vector, grace, events));
  }

  @Test
  @DisplayName("A process whose session the server ends is back as the same incarnation")
  void memberLosesSession() throws Exception {
    TestTree.Process process = tree.process("host");
    Membership a = join(process, "a", 5001);
    join(tree.process("host"), "b", 5002);
    fill(tree.process("watcher"), LONG);
    long handle = events.next(MemberEvent.Joined.class, "a").handle();
    CountDownLatch back = Awaited.reaches(process.client(), ConnectionState.RECONNECTED);
    process.loseSession();
    Awaited.await(back);
    // The other process is the older one now, and publishes both.
    Membership c = join(tree.process("host"), "c", 5003);
    MemberEvent.Joined joined = events.next(MemberEvent.Joined.class, "c");
    assertThat(joined.member()).isEqualTo(c.member());
    Awaited.until(() -> record("host").members().contains(a.member()));
    assertThat(record("host").members()).hasSize(3);
    assertThat(events.isEmpty()).isTrue();
    assertThat(vector.lookup(handle)).isEqualTo(a.member().address());
  }

  @Test
  @DisplayName("A node that is made anew has the incarnation in it, however soon that is")
  void nodeMadeAnew() throws Exception {
    TestTree.Process process = tree.process("host");
    Loop loop = tree.closing(new Loop("test"));
    HostProcess alone =
        new HostProcess(
            process.client(), PATHS, GroupRecord.service(AddressFormat.SOCKADDR_IN), "host", loop);
    Publication joined = new Publication(_ -> {});
    loop.execute(() -> alone.join(TestNetwork.member("host", "a", 5001, 0), joined));
    Member member = joined.answer().get();
    process.loseSession();
    Awaited.until(() -> {
      String node = reader().getChildren().forPath(PATHS.host("host")).getFirst();
      byte[] data = reader().getData().forPath(PATHS.host("host") + "/" + node);
      return HostRecord.of(data, "host").members().equals(List.of(member));
    });
  }

  @Test
  @DisplayName("A process that takes its session for lost is back when the server agrees")
  void memberForgetsSession() throws Exception {
    fill(tree.process("watcher"), LONG);
    tree.session = TestTree.SHORT_SESSION;
    TestTree.Process process = tree.process("host");
    Membership a = join(process, "a", 5001);
    events.next(MemberEvent.Joined.class);
    long before = session(process);
    CountDownLatch back = Awaited.reaches(process.client(), ConnectionState.RECONNECTED);
    KillSession.kill(process.client().getZookeeperClient().getZooKeeper());
    Awaited.await(back);
    assertThat(session(process)).isNotEqualTo(before);
    // The node of the former session ends with it, and is made anew.
    String node = PATHS.host("host");
    Awaited.until(() -> {
      List<String> children = process.client().getChildren().forPath(node);
      return children.size() == 1
          && process
                  .client()
                  .checkExists()
                  .forPath(node + "/" + children.getFirst())
                  .getEphemeralOwner()
              == session(process);
    });
    Awaited.until(() -> record("host").members().equals(List.of(a.member())));
    assertThat(events.isEmpty()).isTrue();
    assertThat(vector.size()).isEqualTo(1);
  }

  private static long session(TestTree.Process process) throws Exception {
    return process.client().getZookeeperClient().getZooKeeper().getSessionId();
  }

  /** The record of a host that counts. */
  private HostRecord record(String host) throws Exception {
    CuratorFramework client = reader();
    String oldest = null;
    long created = Long.MAX_VALUE;
    for (String bucket : client.getChildren().forPath(PATHS.records())) {
      String path = PATHS.records() + "/" + bucket;
      for (String name : client.getChildren().forPath(path)) {
        var stat = client.checkExists().forPath(path + "/" + name);
        if (name.startsWith(host + "@") && stat != null && stat.getCzxid() < created) {
          oldest = path + "/" + name;
          created = stat.getCzxid();
        }
      }
    }
    return oldest == null
        ? new HostRecord(AddressFormat.UNSPECIFIED, List.of())
        : HostRecord.of(client.getData().forPath(oldest), host);
  }

  private CuratorFramework reader;

  private CuratorFramework reader() {
    if (reader == null) {
      reader = tree.client();
    }
    return reader;
  }

  @Test
  @DisplayName("Who looked away for longer than its session sees the difference at once")
  void watcherLosesSession() throws Exception {
    TestTree.Process one = tree.process("one");
    Membership a = join(one, "a", 5001);
    join(one, "b", 5002);
    TestTree.Process watcher = tree.process("watcher");
    VectorFeed feed = fill(watcher, Duration.ZERO);
    long b = events.next(MemberEvent.Joined.class, "b").handle();
    Awaited.until(() -> feed.size() == 2);

    watcher.loseSession();
    a.close();
    join(tree.process("two"), "c", 5003);
    Awaited.until(() -> feed.handle("a").isEmpty() && feed.handle("c").isPresent());
    assertThat(feed.handle("b")).hasValue(b);
    assertThat(vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName("While the server is away nothing changes, and nothing when it is back")
  void suspended() throws Exception {
    TestTree.Process process = tree.process("host");
    Membership a = join(process, "a", 5001);
    TestTree.Process watcher = tree.process("watcher");
    VectorFeed feed = fill(watcher, Duration.ZERO);
    events.next(MemberEvent.Joined.class);

    CountDownLatch away = Awaited.reaches(watcher.client(), ConnectionState.SUSPENDED);
    CountDownLatch back = Awaited.reaches(watcher.client(), ConnectionState.RECONNECTED);
    tree.server.stop();
    Awaited.await(away);
    assertThat(feed.size()).isEqualTo(1);
    tree.server.restart();
    Awaited.await(back);
    join(tree.process("other"), "b", 5002);
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
    assertThat(vector.find(a.member().address())).isEqualTo(feed.handle("a").orElseThrow());
  }

  @Test
  @DisplayName("A record that is damaged or newer is ignored, and its host stays as it was")
  void damagedRecord() throws Exception {
    fill(tree.process("watcher"), Duration.ZERO);
    CuratorFramework client = tree.client();
    UUID process = new UUID(1, 1);
    String path = PATHS.record("host", process);
    byte[] good = packed("host", process, "a", 5001);
    client
        .create()
        .creatingParentContainersIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(path, good);
    events.next(MemberEvent.Joined.class, "a");

    byte[] newer = good.clone();
    newer[4] = 9;
    RecordTest.reseal(newer);
    for (byte[] bad : List.of("nonsense".getBytes(UTF_8), newer, new byte[0])) {
      client.setData().forPath(path, bad);
      Membership other = join(tree.process("other"), "b", 5002);
      assertThat(events.next(MemberEvent.Joined.class).member()).isEqualTo(other.member());
      other.close();
      assertThat(events.next(MemberEvent.Left.class).member()).isEqualTo(other.member());
    }
    assertThat(vector.find(TestNetwork.address(5001))).isNotNegative();
    client.setData().forPath(path, packed("host", process, "a", 5003));
    assertThat(events.next(MemberEvent.Moved.class).member().address())
        .isEqualTo(TestNetwork.address(5003));
  }

  private static byte[] packed(String host, UUID process, String name, int port) {
    return packed(host, process, 0, name, port);
  }

  private static byte[] packed(String host, UUID process, long session, String name, int port) {
    return new HostRecord(
            AddressFormat.SOCKADDR_IN,
            session,
            List.of(new ProcessMembers(process, List.of(member(host, name, port)))))
        .toBytes();
  }

  private static Member member(String host, String name, int port) {
    return TestNetwork.member(host, name, port, port);
  }

  @Test
  @DisplayName("A host whose last process publishes nothing any more is looked at until it is gone")
  void hostWithoutPublisher() throws Exception {
    UUID first = new UUID(1, 1);
    UUID second = new UUID(2, 2);
    fill(tree.process("watcher"), Duration.ZERO);
    CuratorFramework one = tree.client();
    CuratorFramework two = tree.client();
    ephemeral(one, PATHS.process("host", first), new byte[0]);
    ephemeral(two, PATHS.process("host", second), new byte[0]);
    HostRecord both =
        new HostRecord(
            AddressFormat.SOCKADDR_IN,
            List.of(
                new ProcessMembers(first, List.of(member("host", "a", 5001))),
                new ProcessMembers(second, List.of(member("host", "b", 5002)))));
    ephemeral(one, PATHS.record("host", first), both.toBytes());
    events.next(MemberEvent.Joined.class);
    events.next(MemberEvent.Joined.class);

    one.close();
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("a");
    two.close();
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("b");
    assertThat(vector.size()).isZero();
  }

  @Test
  @DisplayName("Of two records of one host the older one counts, until it is gone")
  void twoRecords() throws Exception {
    fill(tree.process("watcher"), Duration.ZERO);
    UUID first = new UUID(9, 9);
    UUID second = new UUID(2, 2);
    CuratorFramework client = tree.client();
    ephemeral(client, PATHS.record("host", first), packed("host", first, "a", 5001));
    events.next(MemberEvent.Joined.class, "a");
    ephemeral(client, PATHS.record("host", second), packed("host", second, "b", 5002));
    ephemeral(client, PATHS.record("other", first), packed("other", first, "c", 5003));
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("c");
    client.delete().forPath(PATHS.record("host", first));
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("a");
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
  }

  @Test
  @DisplayName("A record that was packed in a former session is as none: it may have dead members")
  void recordOfFormerSession() throws Exception {
    fill(tree.process("watcher"), Duration.ZERO);
    CuratorFramework client = tree.client();
    UUID process = new UUID(1, 1);
    client.blockUntilConnected();
    long session = client.getZookeeperClient().getZooKeeper().getSessionId();
    String path = PATHS.record("host", process);
    ephemeral(client, path, packed("host", process, session - 1, "dead", 5001));
    ephemeral(client, PATHS.record("other", process), packed("other", process, "b", 5002));
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
    client.setData().forPath(path, packed("host", process, session, "a", 5003));
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("a");
    // Its process has no node, so nobody is left without a record that counts.
    client.setData().forPath(path, packed("host", process, session - 1, "dead", 5001));
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("a");
    assertThat(vector.size()).isEqualTo(1);
  }

  private static void ephemeral(CuratorFramework client, String path, byte[] data)
      throws Exception {
    client
        .create()
        .creatingParentContainersIfNeeded()
        .withMode(CreateMode.EPHEMERAL)
        .forPath(path, data);
  }

  @Test
  @DisplayName("A node that somebody has written over or taken away is put right")
  void nodesPutRight() throws Exception {
    Membership a = join(tree.process("host"), "a", 5001);
    fill(tree.process("watcher"), LONG);
    events.next(MemberEvent.Joined.class);
    CuratorFramework client = reader();
    String process = client.getChildren().forPath(PATHS.host("host")).getFirst();
    String record = PATHS.record("host", UUID.fromString(process));
    client.setData().forPath(record, packed("host", new UUID(7, 7), "x", 5009));
    Awaited.until(() -> record("host").members().equals(List.of(a.member())));
    client.delete().forPath(record);
    Awaited.until(() -> record("host").members().equals(List.of(a.member())));
    assertThat(vector.find(a.member().address())).isNotNegative();
  }

  @Test
  @DisplayName("Members that join at the same time keep the incarnations that they are told")
  void joinTogether() throws Exception {
    fill(tree.process("watcher"), LONG);
    TestTree.Process process = tree.process("host");
    for (int round = 0; round < 20; round++) {
      int port = 6000 + 4 * round;
      Map<String, Member> joined = new ConcurrentHashMap<>();
      try (ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread::new)) {
        for (int i = 0; i < 4; i++) {
          String name = "m" + (port + i);
          int own = port + i;
          threads.execute(() -> joined.put(name, join(process, name, own).member()));
        }
      }
      assertThat(joined).hasSize(4);
      for (int i = 0; i < 4; i++) {
        Member heard = events.next(MemberEvent.Joined.class).member();
        assertThat(heard).isEqualTo(joined.get(heard.name()));
      }
    }
  }

  @Test
  @DisplayName("A process that joins does not publish the record of a host that has a publisher")
  void youngerProcesses() throws Exception {
    join(tree.process("host"), "oldest", 5001);
    CuratorFramework reader = reader();
    Awaited.until(() -> record("host").members().size() == 1);
    LinkedBlockingQueue<String> made = new LinkedBlockingQueue<>();
    Watcher watcher =
        event -> {
          if (event.getType() == EventType.NodeCreated) {
            made.add(event.getPath());
          }
        };
    reader
        .watchers()
        .add()
        .withMode(AddWatchMode.PERSISTENT_RECURSIVE)
        .usingWatcher(watcher)
        .forPath(PATHS.records());
    for (int i = 0; i < 10; i++) {
      join(tree.process("host"), "younger" + i, 5002 + i);
    }
    Awaited.until(() -> record("host").members().size() == 11);
    String last = PATHS.records() + "/last";
    reader.create().forPath(last);
    assertThat(made.take()).isEqualTo(last);
  }

  @Test
  @DisplayName("A group whose record is damaged is refused in words")
  void damagedGroup() throws Exception {
    reader().create().creatingParentsIfNeeded().forPath(PATHS.group(), new byte[] {1});
    TestTree.Process process = tree.process("host");
    assertThatThrownBy(() -> join(process, "a", 5001))
        .hasMessageStartingWith("EPROTO (71)")
        .hasMessageContaining("/ofi4j/service");
  }
}
