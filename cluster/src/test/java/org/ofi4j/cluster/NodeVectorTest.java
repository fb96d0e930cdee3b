// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricException;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.cluster.HostRecord.ProcessMembers;

/** Processes of one node fill one vector, here several in one JVM. */
class NodeVectorTest {
  private static final Duration LONG = Duration.ofDays(1);

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final String name = "node-" + UUID.randomUUID();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  /** A process of the node, with its view of the vector. */
  private final class Sharer {
    final TestTree.Process process = tree.process("node");
    final AddressVector vector = network.nodeVector(name);
    final Events events = new Events();
    final VectorFeed feed;

    Sharer(Duration grace) {
      feed = tree.closing(process.service().fill(vector, grace, events));
    }

    void requireMember(String member, long handle, int port) {
      assertThat(feed.handle(member)).hasValue(handle);
      assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(port));
    }
  }

  private static Membership join(TestTree.Process process, String name, int port) {
    return process.service().join(name, TestNetwork.address(port), MemberOptions.none());
  }

  private String group() {
    ClusterOptions options = ClusterOptions.of("node").withTimeout(LONG);
    return new Group(tree.client(), options, "service").identity();
  }

  @Test
  @DisplayName("All processes see the same handles and events; one inserts, and they cannot")
  void together() {
    TestTree.Process far = tree.process("far");
    Membership a = join(far, "a", 5001);
    Sharer one = new Sharer(Duration.ZERO);
    Sharer two = new Sharer(Duration.ZERO);
    List<Sharer> both = List.of(one, two);
    long handle = one.events.next(MemberEvent.Joined.class, "a").handle();
    join(far, "b", 5002);
    for (Sharer each : both) {
      each.events.next(MemberEvent.Joined.class, "b");
      each.requireMember("a", handle, 5001);
      assertThat(each.feed.size()).isEqualTo(2);
      assertThatThrownBy(() -> each.vector.insert(TestNetwork.address(1)))
          .hasMessageContaining("EACCES (13)");
    }
    a.close();
    // Or it would be told as a move, if all of it came at once.
    both.forEach(each -> each.events.next(MemberEvent.Left.class, "a"));
    Membership again = join(far, "a", 5003);
    for (Sharer each : both) {
      MemberEvent.Joined joined = each.events.next(MemberEvent.Joined.class, "a");
      assertThat(joined.member()).isEqualTo(again.member());
      each.requireMember("a", joined.handle(), 5003);
    }
    join(tree.process("far"), "a", 5004);
    for (Sharer each : both) {
      MemberEvent.Moved moved = each.events.next(MemberEvent.Moved.class, "a");
      assertThat(moved.former()).isEqualTo(again.member());
      each.requireMember("a", moved.handle(), 5004);
    }
    join(far, "nowhere", 0);
    for (Sharer each : both) {
      each.events.next(MemberEvent.Refused.class, "nowhere");
    }
    assertThat(two.vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName(
      "When the process that inserts loses its session, the next one does, with the handles")
  void sessionOfTheInserter() {
    TestTree.Process far = tree.process("far");
    join(far, "a", 5001);
    Membership b = join(far, "b", 5002);
    Sharer one = new Sharer(Duration.ZERO);
    Sharer two = new Sharer(Duration.ZERO);
    for (Sharer each : List.of(one, two)) {
      each.events.next(MemberEvent.Joined.class);
      each.events.next(MemberEvent.Joined.class);
    }
    long a = one.feed.handle("a").orElseThrow();
    one.process.loseSession();
    join(tree.process("far"), "a", 6001);
    for (Sharer each : List.of(one, two)) {
      assertThat(each.events.next(MemberEvent.Moved.class, "a").handle()).isEqualTo(a);
      each.requireMember("a", a, 6001);
    }
    b.close();
    for (Sharer each : List.of(one, two)) {
      each.events.next(MemberEvent.Left.class, "b");
      assertThat(each.vector.size()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("Closing leaves the vector to the others, and the last one leaves no file")
  void closing() {
    TestTree.Process far = tree.process("far");
    Sharer one = new Sharer(Duration.ZERO);
    Sharer two = new Sharer(Duration.ZERO);
    join(far, "a", 5001);
    long a = two.events.next(MemberEvent.Joined.class).handle();
    one.feed.close();
    one.vector.close();
    join(far, "b", 5002);
    two.events.next(MemberEvent.Joined.class, "b");
    two.requireMember("a", a, 5001);
    var file = new NodeVector(two.vector).file();
    assertThat(file).exists();
    two.feed.close();
    assertThat(file).doesNotExist();
    // Nobody fills it, but it has entries: they might be anybody's.
    AddressVector vector = network.nodeVector(name);
    assertThatThrownBy(() -> far.service().fill(vector, LONG, MemberListener.none()))
        .hasMessageStartingWith("EBUSY (16)")
        .hasMessageContaining("has entries that no process of the group has inserted");
  }

  @Test
  @DisplayName("Entries of another application are found by all who open at once, and stay")
  void foreign() {
    AddressVector vector = network.nodeVector(name);
    List<CompletableFuture<Throwable>> opening = new ArrayList<>();
    try (AddressVector writing = new NodeVector(vector).openForChanges()) {
      writing.insert(TestNetwork.address(7000));
      for (int i = 0; i < 8; i++) {
        Service service = tree.process("node").service();
        opening.add(
            CompletableFuture.runAsync(
                    () -> service.fill(vector, Duration.ZERO, MemberListener.none()))
                .handle((_, failure) -> failure));
      }
      for (CompletableFuture<Throwable> each : opening) {
        assertThat(each.join()).rootCause().hasMessageStartingWith("EBUSY (16)");
      }
    }
    assertThat(vector.lookup(0)).isEqualTo(TestNetwork.address(7000));
  }

  @Test
  @DisplayName("A host between two records keeps its members when another process takes over")
  void hostWithoutRecord() throws Exception {
    GroupPaths paths = new GroupPaths("/ofi4j", "service");
    UUID process = UUID.randomUUID();
    Member a = TestNetwork.member("far", "a", 5001, 7);
    byte[] record =
        new HostRecord(
                TestNetwork.address(1).format(), List.of(new ProcessMembers(process, List.of(a))))
            .toBytes();
    CuratorFramework client = tree.client();
    Sharer one = new Sharer(Duration.ZERO);
    client.create().creatingParentsIfNeeded().forPath(paths.process("far", process), record);
    client.create().creatingParentsIfNeeded().forPath(paths.record("far", process), record);
    Sharer two = new Sharer(Duration.ZERO);
    long handle = one.events.next(MemberEvent.Joined.class, "a").handle();
    two.events.next(MemberEvent.Joined.class, "a");
    client.delete().forPath(paths.record("far", process));
    one.feed.close();
    String table = paths.table("node", new NodeVector(two.vector).key());
    Awaited.until(() -> new LeaderLatch(client, table).getLeader().isLeader());
    // As long as it takes to read and to write the tree, and longer.
    Events others = new Events();
    tree.closing(tree.process("other").service().fill(network.vector(), LONG, others));
    join(tree.process("other"), "b", 5002);
    others.next(MemberEvent.Joined.class, "b");
    client.create().forPath(paths.record("far", process), record);
    MemberEvent.Joined joined = two.events.next(MemberEvent.Joined.class);
    assertThat(joined.member().name()).isEqualTo("b");
    two.requireMember("a", handle, 5001);
    client.delete().forPath(paths.record("far", process));
    client.delete().forPath(paths.process("far", process));
    assertThat(two.events.next(MemberEvent.Left.class).member()).isEqualTo(a);
  }

  @Test
  @DisplayName("A host whose record cannot be read keeps its members when another takes over")
  void unreadableRecord() throws Exception {
    String path = new GroupPaths("/ofi4j", "service").record("far", UUID.randomUUID());
    CuratorFramework client = tree.client();
    Sharer one = new Sharer(Duration.ZERO);
    client.create().creatingParentsIfNeeded().forPath(path, record(5001, 7));
    Sharer two = new Sharer(Duration.ZERO);
    long handle = one.events.next(MemberEvent.Joined.class, "a").handle();
    two.events.next(MemberEvent.Joined.class, "a");
    byte[] newer = record(5002, 8);
    newer[4] = 9;
    RecordTest.reseal(newer);
    client.setData().forPath(path, newer);
    one.feed.close();
    join(tree.process("other"), "b", 5003);
    assertThat(two.events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
    two.requireMember("a", handle, 5001);
    client.setData().forPath(path, record(5002, 8));
    assertThat(two.events.next(MemberEvent.Moved.class, "a").handle()).isEqualTo(handle);
    two.requireMember("a", handle, 5002);
  }

  /** The record of a host with member a. */
  private static byte[] record(int port, long incarnation) {
    Member a = TestNetwork.member("far", "a", port, incarnation);
    return new HostRecord(
            a.address().format(), List.of(new ProcessMembers(new UUID(1, 1), List.of(a))))
        .toBytes();
  }

  @Test
  @DisplayName("What a dead process changed and did not tell is made up for")
  void untold() throws Exception {
    TestTree.Process far = tree.process("far");
    join(far, "a", 5001);
    join(far, "b", 5002);
    Sharer one = new Sharer(LONG);
    for (int i = 0; i < 2; i++) {
      one.events.next(MemberEvent.Joined.class);
    }
    long a = one.feed.handle("a").orElseThrow();
    long b = one.feed.handle("b").orElseThrow();
    Sharer two = new Sharer(LONG);
    for (int i = 0; i < 2; i++) {
      two.events.next(MemberEvent.Joined.class);
    }
    // As if it had been in the middle: a has moved, b is out, and a stranger is in.
    NodeVector vector = new NodeVector(two.vector);
    TableFile file = TableFile.open(vector.file(), group(), _ -> {});
    assertThat(
            file.alone(() -> {
              try (AddressVector writing = vector.openForChanges()) {
                writing.insert(TestNetwork.address(7000));
                writing.remove(b);
                writing.replace(a, TestNetwork.address(6001));
              }
            }))
        .isTrue();
    file.close();
    one.feed.close();
    join(tree.process("far"), "a", 6001);
    assertThat(two.events.next(MemberEvent.Moved.class, "a").handle()).isEqualTo(a);
    two.requireMember("a", a, 6001);
    two.requireMember("b", two.feed.handle("b").orElseThrow(), 5002);
    assertThat(two.vector.find(TestNetwork.address(7000))).isEqualTo(-1);
    assertThat(two.vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName("Who has been replaced as the one that inserts changes nothing any more")
  void replaced() throws Exception {
    Sharer one = new Sharer(LONG);
    TableFile file = TableFile.open(new NodeVector(one.vector).file(), group(), _ -> {});
    Membership a = join(tree.process("far"), "a", 5001);
    one.events.next(MemberEvent.Joined.class);
    TableFile.State state = file.state();
    assertThat(state).isNotNull();
    long mine = state.generation();
    file.alone(() -> file.begin(TableFrame.pack(List.of())));
    // That nobody is there any more was told by another one, which counts.
    assertThat(one.events.next(MemberEvent.Left.class).member()).isEqualTo(a.member());
    join(tree.process("far"), "b", 5002);
    one.events.next(MemberEvent.Joined.class);
    one.events.next(MemberEvent.Joined.class);
    assertThat(file.state().generation()).isGreaterThan(mine + 1);
    assertThat(one.vector.size()).isEqualTo(2);
    file.close();
  }

  @Test
  @DisplayName("In a job handle i is rank i, and a restarted rank has its handle after a takeover")
  void job() {
    List<TestTree.Process> processes = new ArrayList<>();
    List<AddressVector> vectors = new ArrayList<>();
    List<Events> events = new ArrayList<>();
    List<Membership> ranks = allRanks(processes, vectors, events);
    for (int i = 0; i < 3; i++) {
      for (int rank = 0; rank < 3; rank++) {
        assertThat(vectors.get(i).lookup(rank)).isEqualTo(TestNetwork.address(5000 + rank));
        assertThat(events.get(i).next(MemberEvent.Joined.class).handle()).isEqualTo(rank);
      }
    }
    ranks.get(1).close();
    for (int i : new int[] {0, 2}) {
      events.get(i).next(MemberEvent.Left.class, "1");
    }
    processes.get(0).loseSession();
    Membership again = tree.closing(rank(1, 6001, processes, vectors, events).join());
    for (int i : new int[] {0, 2}) {
      MemberEvent.Joined joined = events.get(i).next(MemberEvent.Joined.class, "1");
      assertThat(joined.handle()).isEqualTo(1);
      assertThat(joined.member()).isEqualTo(again.member());
      assertThat(vectors.get(i).lookup(1)).isEqualTo(TestNetwork.address(6001));
      assertThat(vectors.get(i).size()).isEqualTo(3);
    }
  }

  @Test
  @DisplayName("Who joins a job again returns when all ranks are there, and not with dead ones")
  void rejoining() {
    List<TestTree.Process> processes = new ArrayList<>();
    List<AddressVector> vectors = new ArrayList<>();
    List<Events> events = new ArrayList<>();
    List<Membership> ranks = allRanks(processes, vectors, events);
    ranks.get(1).close();
    ranks.get(2).close();
    events.getFirst().next(MemberEvent.Joined.class, "1");
    events.getFirst().next(MemberEvent.Left.class, "1");
    events.getFirst().next(MemberEvent.Left.class, "2");
    Job job = tree.process("node").cluster().job("job", 3);
    AddressVector vector = network.nodeVector(name);
    Duration little = Duration.ofSeconds(10);
    assertThatThrownBy(() -> job.join(vector, TestNetwork.address(6001), 1, little))
        .hasMessageStartingWith("ETIMEDOUT (110)")
        .hasMessageContaining("missing ranks: 2");
    CompletableFuture<Membership> one = rank(1, 6001, processes, vectors, events);
    tree.closing(rank(2, 6002, processes, vectors, events).join());
    tree.closing(one.join());
    for (int i : new int[] {0, 3, 4}) {
      assertThat(vectors.get(i).lookup(1)).isEqualTo(TestNetwork.address(6001));
      assertThat(vectors.get(i).lookup(2)).isEqualTo(TestNetwork.address(6002));
    }
  }

  /** Has all three ranks join, each in a process of its own. */
  private List<Membership> allRanks(
      List<TestTree.Process> processes, List<AddressVector> vectors, List<Events> events) {
    List<CompletableFuture<Membership>> joining = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      joining.add(rank(rank, 5000 + rank, processes, vectors, events));
    }
    return joining.stream().map(each -> tree.closing(each.join())).toList();
  }

  private CompletableFuture<Membership> rank(
      int rank,
      int port,
      List<TestTree.Process> processes,
      List<AddressVector> vectors,
      List<Events> events) {
    TestTree.Process process = tree.process("node");
    AddressVector vector = network.nodeVector(name);
    Events heard = new Events();
    processes.add(process);
    vectors.add(vector);
    events.add(heard);
    Duration patience = Duration.ofSeconds(30);
    return CompletableFuture.supplyAsync(
        () ->
            process
                .cluster()
                .job("job", 3)
                .join(
                    vector, TestNetwork.address(port), rank, patience, MemberOptions.none(), heard),
        task -> Thread.ofVirtual().start(task));
  }

  @Test
  @DisplayName("A job that does not come together names the missing ranks")
  void missing() {
    Job job = tree.process("node").cluster().job("job", 3);
    AddressVector vector = network.nodeVector(name);
    Duration little = Duration.ofSeconds(10);
    assertThatThrownBy(() -> job.join(vector, TestNetwork.address(5001), 1, little))
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("ETIMEDOUT (110)")
        .hasMessageContaining("missing ranks: 0, 2");
    assertThat(vector.size()).isZero();
  }

  @Test
  @DisplayName("What cannot be shared is refused in words")
  void refusals() throws Exception {
    VectorOptions named = VectorOptions.table().withName(name);
    assertThatThrownBy(() -> Cluster.openNodeVector(network.domain, VectorOptions.table()))
        .hasMessageContaining("by its name");
    VectorOptions ids = named.withFlags(VectorFlag.USER_ID);
    assertThatThrownBy(() -> Cluster.openNodeVector(network.domain, ids))
        .hasMessageContaining("Member.userId()");
    new Sharer(LONG);
    AddressVector vector = network.nodeVector(name);
    Service other = tree.process("node").cluster().service("other");
    assertThatThrownBy(() -> other.fill(vector, LONG, MemberListener.none()))
        .hasMessageStartingWith("EBUSY (16)")
        .hasMessageContaining("with group /ofi4j/service");
    assertThat(Files.exists(new NodeVector(vector).file())).isTrue();
  }
}
