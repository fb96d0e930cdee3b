// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.DefaultACLProvider;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.ProcessMembers;

/** Services over a real ZooKeeper. Each process has a client of its own. */
class ServiceTest {
  private static final Duration LONG = Duration.ofDays(1);

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final Events events = new Events();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  private static Membership join(TestTree.Process process, String name, int port) {
    return process.service().join(name, TestNetwork.address(port), MemberOptions.none());
  }

  private VectorFeed fill(AddressVector vector, Duration grace) {
    return tree.closing(tree.process("watcher").service().fill(vector, grace, events));
  }

  @Test
  @DisplayName("A newcomer has all members at once; later ones come, and leave, with their handles")
  void joinAndLeave() {
    TestTree.Process one = tree.process("one");
    Membership a = join(one, "a", 5001);
    join(one, "b", 5002);
    AddressVector vector = network.vector();
    VectorFeed feed = fill(vector, Duration.ZERO);
    // b may be in its process's node and not in the record of the host yet.
    events.next(MemberEvent.Joined.class);
    events.next(MemberEvent.Joined.class);
    Membership c = join(tree.process("two"), "c", 5003);

    MemberEvent.Joined joined = events.next(MemberEvent.Joined.class);
    assertThat(joined.member()).isEqualTo(c.member());
    assertThat(joined.member().host()).isEqualTo("two");
    assertThat(c.member().incarnation()).isGreaterThan(a.member().incarnation());
    for (String name : new String[] {"a", "b", "c"}) {
      long handle = feed.handle(name).orElseThrow();
      assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(5001 + name.charAt(0) - 'a'));
    }
    a.close();
    assertThat(events.next(MemberEvent.Left.class).member()).isEqualTo(a.member());
    assertThat(vector.find(TestNetwork.address(5001))).isEqualTo(-1);
    c.close();
    assertThat(events.next(MemberEvent.Left.class).handle()).isEqualTo(joined.handle());
    assertThat(vector.size()).isEqualTo(1);
    feed.close();
    join(tree.process("three"), "d", 5004);
    assertThat(vector.size()).isEqualTo(1);
    assertThat(vector.isOpen()).isTrue();
  }

  @Test
  @DisplayName("When the publisher of a host dies, only its members leave")
  void publisherDies() {
    TestTree.Process oldest = tree.process("host");
    join(oldest, "a", 5001);
    TestTree.Process second = tree.process("host");
    join(second, "b", 5002);
    TestTree.Process third = tree.process("host");
    join(third, "c", 5003);
    AddressVector vector = network.vector();
    VectorFeed feed = fill(vector, Duration.ZERO);
    for (int i = 0; i < 3; i++) {
      events.next(MemberEvent.Joined.class);
    }
    long c = feed.handle("c").orElseThrow();

    oldest.die();
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("a");
    // The new publisher publishes who comes.
    join(tree.process("host"), "d", 5004);
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("d");
    second.die();
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("b");
    join(third, "e", 5005);
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("e");
    assertThat(feed.handle("c")).hasValue(c);
    assertThat(vector.size()).isEqualTo(3);
  }

  @Test
  @DisplayName("Who is back within the grace period keeps the handle, also at another address")
  void grace() {
    TestTree.Process process = tree.process("host");
    Membership a = join(process, "a", 5001);
    AddressVector vector = network.vector();
    VectorFeed feed = fill(vector, LONG);
    long handle = events.next(MemberEvent.Joined.class).handle();

    a.close();
    Membership again = join(process, "a", 5002);
    MemberEvent.Moved moved = events.next(MemberEvent.Moved.class);
    assertThat(moved.handle()).isEqualTo(handle);
    assertThat(moved.former()).isEqualTo(a.member());
    assertThat(moved.member()).isEqualTo(again.member());
    assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(5002));
    assertThat(feed.handle("a")).hasValue(handle);

    again.close();
    join(process, "b", 5002);
    assertThat(events.next(MemberEvent.Left.class).member()).isEqualTo(again.member());
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
    assertThat(feed.handle("a")).isEmpty();
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("When the grace period is over, the entry is removed")
  void graceEnds() {
    Membership a = join(tree.process("host"), "a", 5001);
    AddressVector vector = network.vector();
    VectorFeed feed = fill(vector, Duration.ofMillis(50));
    events.next(MemberEvent.Joined.class);
    a.close();
    assertThat(events.next(MemberEvent.Left.class).member()).isEqualTo(a.member());
    assertThat(vector.size()).isZero();
    assertThat(feed.size()).isZero();
  }

  @Test
  @DisplayName("Of two members with one name the later one counts, until it leaves")
  void sameName() {
    Membership first = join(tree.process("one"), "a", 5001);
    AddressVector vector = network.vector();
    fill(vector, LONG);
    long handle = events.next(MemberEvent.Joined.class).handle();
    Membership second = join(tree.process("two"), "a", 5002);
    assertThat(events.next(MemberEvent.Moved.class).member()).isEqualTo(second.member());
    assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(5002));
    second.close();
    assertThat(events.next(MemberEvent.Moved.class).member()).isEqualTo(first.member());
    assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(5001));
  }

  @Test
  @DisplayName("An address that the vector refuses is reported, and the others go in")
  void refusedAddress() {
    TestTree.Process process = tree.process("host");
    join(process, "bad", 0);
    join(process, "good", 5001);
    AddressVector vector = network.vector();
    VectorFeed feed = fill(vector, Duration.ZERO);
    MemberEvent.Refused refused = events.next(MemberEvent.Refused.class, "bad");
    assertThat(refused.reason()).contains("port");
    // It may be in its process's node and not in the record of the host yet.
    Awaited.until(() -> feed.handle("good").isPresent());
    assertThat(feed.handle("bad")).isEmpty();
  }

  @Test
  @DisplayName("What does not fit the group, and a name that is there, are refused in words")
  void refusals() {
    TestTree.Process process = tree.process("host");
    join(process, "a", 5001);
    assertThatThrownBy(() -> join(process, "a", 5002))
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("EALREADY (114)")
        .hasMessageContaining("member a (incarnation");
    join(process, "b", 5002);
    assertThatThrownBy(
            () -> process.service().join("c", FabricAddress.parse("[::1]:1"), MemberOptions.none()))
        .hasMessageStartingWith("EINVAL (22)")
        .hasMessageContaining("SOCKADDR_IN6");
    AddressVector vector = network.vector();
    assertThatThrownBy(() ->
            process.cluster().job("service", 3).join(vector, TestNetwork.address(5003), 0, LONG))
        .hasMessageContaining("is a service")
        .hasMessageContaining("not a job of 3");
  }

  @Test
  @DisplayName(
      "A listener that throws is heard of no worse; one that closes what it hears hears no more")
  void listener() {
    TestTree.Process process = tree.process("host");
    join(process, "a", 5001);
    AddressVector vector = network.vector();
    CompletableFuture<VectorFeed> feed = new CompletableFuture<>();
    feed.complete(
        tree.process("watcher")
            .service()
            .fill(
                vector,
                Duration.ZERO,
                event -> {
                  events.heard(event);
                  if (event.member().name().equals("b")) {
                    feed.join().close();
                  }
                  throw new AssertionError("on purpose");
                }));
    events.next(MemberEvent.Joined.class, "a");
    join(process, "b", 5002);
    events.next(MemberEvent.Joined.class, "b");
    Membership c = join(process, "c", 5003);
    VectorFeed other = fill(network.vector(), Duration.ZERO);
    Awaited.until(() -> other.handle("c").isPresent());
    assertThat(vector.find(c.member().address())).isEqualTo(-1);
    assertThat(vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName("Access is the client's: who has no right to the group is refused, and hears why")
  void access() {
    byte[] secret = "one:secret".getBytes(StandardCharsets.UTF_8);
    CuratorFrameworkFactory.Builder builder =
        CuratorFrameworkFactory.builder()
            .aclProvider(
                new DefaultACLProvider() {
                  @Override
                  public List<ACL> getDefaultAcl() {
                    return Collections.singletonList(
                        new ACL(ZooDefs.Perms.ALL, new Id("auth", "")));
                  }

                  @Override
                  public List<ACL> getAclForPath(String path) {
                    return getDefaultAcl();
                  }
                })
            .authorization("digest", secret);
    TestTree.Process one = tree.process("one", builder);
    Membership a = join(one, "a", 5001);
    VectorFeed feed =
        tree.closing(one.service().fill(network.vector(), Duration.ZERO, MemberListener.none()));
    Awaited.until(() -> feed.handle("a").isPresent());
    assertThatThrownBy(() -> join(tree.process("two"), "b", 5002))
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("EACCES (13)")
        .hasMessageContaining("/ofi4j");
    a.close();
    Awaited.until(() -> feed.handle("a").isEmpty());
  }

  @Test
  @DisplayName("A node below the root whose name no group can have does not hide the groups")
  void namesOfNoGroup() throws Exception {
    TestTree.Process process = tree.process("host");
    process.service().join("a", TestNetwork.address(5001), MemberOptions.none());
    tree.client().create().forPath("/ofi4j/not a group");
    assertThat(process.cluster().groups()).extracting(GroupInfo::name).containsExactly("service");
  }

  @Test
  @DisplayName("A host has as many members as its record has room for")
  void recordIsFull() {
    TestTree.Process process = tree.process("host");
    MemberOptions large = MemberOptions.none();
    for (int i = 0; i < Member.MAX_ATTRIBUTES; i++) {
      large = large.withAttribute("a" + i, "x".repeat(Member.MAX_ATTRIBUTE_VALUE));
    }
    MemberOptions options = large;
    int size =
        new HostRecord(
                    AddressFormat.SOCKADDR_IN,
                    List.of(
                        new ProcessMembers(
                            new UUID(0, 0), List.of(member(options, "m".repeat(255))))))
                .toBytes()
                .length
            - 50;
    int fits = RecordHeader.MAX_RECORD / size;
    Loop loop = tree.closing(new Loop("test"));
    HostProcess first = alone(process, loop);
    Publication last = new Publication(_ -> {});
    for (int i = 0; i < fits; i++) {
      Publication each = new Publication(_ -> {});
      Member member = member(options, String.format("%0255d", i));
      loop.execute(() -> first.join(member, each));
      last = each;
    }
    last.answer().join();
    // The first member of another process is refused as one more of this process is.
    for (HostProcess each : List.of(first, alone(process, loop))) {
      Publication more = new Publication(_ -> {});
      loop.execute(() -> each.join(member(options, "one more" + "m".repeat(247)), more));
      assertThatThrownBy(more.answer()::join)
          .cause()
          .hasMessageStartingWith("ENOSPC (28)")
          .hasMessageContaining("host");
    }
  }

  private static Member member(MemberOptions options, String name) {
    return new Member(
        name,
        OptionalInt.empty(),
        options.userId(),
        TestNetwork.address(1),
        options.attributes(),
        0,
        "host");
  }

  private static HostProcess alone(TestTree.Process process, Loop loop) {
    return new HostProcess(
        process.client(),
        new GroupPaths("/ofi4j", "full"),
        GroupRecord.service(AddressFormat.SOCKADDR_IN),
        "host",
        loop);
  }
}
