// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;

/** Members that are JVMs of their own, ended with {@code kill -9}. */
class KilledProcessTest {
  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();
  private final Events events = new Events();
  private final List<ChildJvm> children = new ArrayList<>();

  /** A process with one member, which prints its incarnation and then waits to be killed. */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws Exception {
      CuratorFramework client =
          CuratorFrameworkFactory.newClient(
              arguments[0], TestTree.SHORT_SESSION, 5_000, new RetryNTimes(50, 100));
      client.start();
      Cluster cluster =
          Cluster.of(client, ClusterOptions.of("host").withTimeout(Duration.ofSeconds(20)));
      Membership member =
          cluster
              .service("service")
              .join(
                  arguments[1],
                  TestNetwork.address(Integer.parseInt(arguments[2])),
                  MemberOptions.none());
      System.out.println(member.member().incarnation());
      Thread.sleep(Duration.ofDays(1));
    }
  }

  @AfterEach
  void close() {
    children.forEach(ChildJvm::kill);
    tree.close();
    network.close();
  }

  private ChildJvm start(String name, int port) {
    ChildJvm child =
        ChildJvm.start(
            Child.class.getName(),
            List.of(),
            Redirect.INHERIT,
            List.of(tree.server.getConnectString(), name, Integer.toString(port)));
    children.add(child);
    return child;
  }

  private static long incarnation(ChildJvm child) throws IOException {
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(child.process().getInputStream(), UTF_8))) {
      return Long.parseLong(Objects.requireNonNull(output.readLine(), "the child has ended"));
    }
  }

  @Test
  @DisplayName("Killed members leave when their sessions end, the publisher's neighbour stays")
  void killed() throws Exception {
    AddressVector vector = network.vector();
    VectorFeed feed =
        tree.closing(tree.process("watcher").service().fill(vector, Duration.ofDays(1), events));
    ChildJvm publisher = start("a", 5001);
    long former = incarnation(publisher);
    long handle = events.next(MemberEvent.Joined.class, "a").handle();
    tree.process("host").service().join("b", TestNetwork.address(5002), MemberOptions.none());
    events.next(MemberEvent.Joined.class, "b");

    publisher.kill();
    long later = incarnation(start("a", 5003));
    MemberEvent.Moved moved = events.next(MemberEvent.Moved.class, "a");
    assertThat(moved.handle()).isEqualTo(handle);
    assertThat(moved.former().incarnation()).isEqualTo(former);
    assertThat(moved.member().incarnation()).isEqualTo(later).isGreaterThan(former);
    assertThat(vector.lookup(handle)).isEqualTo(TestNetwork.address(5003));
    assertThat(feed.handle("b")).isPresent();
    assertThat(vector.size()).isEqualTo(2);
  }
}
