// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.RankRecord;

/** A client that ZooKeeper refuses some nodes fails with EACCES, long before its time is over. */
class RightsTest {
  /** As long as a test may take: no call waits for it. */
  private static final Duration LONG = Duration.ofDays(1);

  private static final List<ACL> OTHERS_ONLY =
      List.of(new ACL(ZooDefs.Perms.ALL, new Id("digest", "nobody:x")));
  private static final List<ACL> READERS =
      List.of(new ACL(ZooDefs.Perms.READ, new Id("world", "anyone")));

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final CuratorFramework client = tree.client();
  private final Cluster cluster =
      tree.closing(Cluster.of(client, ClusterOptions.of("host").withTimeout(LONG)));

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  /** A group whose nodes are there, with rights that are set afterwards. */
  private void found(String group, int size) throws Exception {
    AddressFormat format = network.vector().format();
    GroupRecord record =
        size == 0
            ? GroupRecord.service(format)
            : new GroupRecord(GroupRecord.Kind.JOB, format, size, false, 0);
    String path = new GroupPaths("/ofi4j", group).group();
    client.create().creatingParentsIfNeeded().forPath(path, record.toBytes());
    for (String each : List.of("hosts", "hosts/host", "records", "ranks")) {
      client.create().forPath(path + "/" + each);
    }
  }

  private void restrict(String path, List<ACL> rights) throws Exception {
    client.setACL().withACL(rights).forPath(path);
  }

  private static void requireDenied(Runnable call, String path) {
    FabricException denied = catchThrowableOfType(FabricException.class, call::run);
    assertThat(denied).isNotNull();
    assertThat(denied.errno()).as(denied.getMessage()).isEqualTo(Errno.EACCES);
    assertThat(denied).hasMessageContainingAll(path, "authorization");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hosts", "hosts/host"})
  void joinOfAServiceThatMayNotBeWritten(String node) throws Exception {
    found("service", 0);
    client.delete().forPath("/ofi4j/service/hosts/host");
    String path = "/ofi4j/service/" + node;
    if (client.checkExists().forPath(path) == null) {
      client.create().forPath(path);
    }
    restrict(path, READERS);
    requireDenied(
        () -> cluster.service("service").join("a", TestNetwork.address(1), MemberOptions.none()),
        "/ofi4j/service/hosts/host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"hosts/host", "ranks", "records"})
  void joinOfAJob(String node) throws Exception {
    found("job", 1);
    restrict("/ofi4j/job/" + node, node.equals("records") ? OTHERS_ONLY : READERS);
    requireDenied(
        () -> cluster.job("job", 1).join(network.vector(), TestNetwork.address(1), 0, LONG), "");
  }

  /** The other rank of the process stays, and the refused one is not published without a claim. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void rankThatMayNotBeWrittenIsNotPublished(boolean isReadable) throws Exception {
    found("job", 2);
    GroupPaths paths = new GroupPaths("/ofi4j", "job");
    // The process of this record is gone, so that the rank would be free.
    client
        .create()
        .creatingParentsIfNeeded()
        .forPath(paths.rank(0), new RankRecord(new UUID(1, 1), TestNetwork.rank(0)).toBytes());
    restrict(paths.rank(0), isReadable ? READERS : OTHERS_ONLY);
    TestTree.Process process = tree.process("host");
    Loop loop = tree.closing(new Loop("test"));
    GroupRecord found =
        new GroupRecord(GroupRecord.Kind.JOB, AddressFormat.SOCKADDR_IN, 2, false, 0);
    HostProcess host = new HostProcess(process.client(), paths, found, "host", loop);
    Publication one = new Publication(_ -> {});
    loop.execute(() -> host.join(TestNetwork.rank(1), one));
    one.answer().get();
    Publication zero = new Publication(_ -> {});
    loop.execute(() -> host.join(TestNetwork.rank(0), zero));
    assertThat(zero.answer())
        .failsWithin(LONG)
        .withThrowableThat()
        .withMessageContaining("EACCES (13)");
    String node =
        paths.host("host") + "/" + client.getChildren().forPath(paths.host("host")).getFirst();
    long former = client.checkExists().forPath(node).getCzxid();
    process.loseSession();
    Awaited.until(() -> {
      Stat now = client.checkExists().forPath(node);
      return now != null && now.getCzxid() != former;
    });
    assertThat(HostRecord.of(client.getData().forPath(node), "host").members())
        .extracting(Member::rank)
        .containsExactly(OptionalInt.of(1));
    loop.execute(host::close);
  }

  @Test
  void groupsThatMayNotBeRead() throws Exception {
    found("service", 0);
    restrict("/ofi4j/service/records", OTHERS_ONLY);
    Service service = cluster.service("service");
    requireDenied(
        () -> service.fill(network.vector(), LONG, MemberListener.none()),
        "/ofi4j/service/records");
    requireDenied(() -> cluster.view("service", MemberListener.none()), "/ofi4j/service/records");
    restrict("/ofi4j/service", OTHERS_ONLY);
    requireDenied(() -> cluster.view("service", MemberListener.none()), "/ofi4j/service");
    requireDenied(
        () -> service.join("a", TestNetwork.address(1), MemberOptions.none()), "/ofi4j/service");
  }

  @Test
  void groupThatMayNotBeFoundedOrEnded() throws Exception {
    found("service", 0);
    restrict("/ofi4j", READERS);
    requireDenied(
        () -> cluster.service("other").join("a", TestNetwork.address(1), MemberOptions.none()),
        "/ofi4j/other");
    requireDenied(() -> cluster.end("service"), "/ofi4j/service");
  }
}
