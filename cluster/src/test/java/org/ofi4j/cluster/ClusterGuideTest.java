// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.VectorOptions;

/** The examples of docs/cluster.md: they run, and they stand there letter for letter. */
class ClusterGuideTest {
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
  }

  private void ranks(int rank, int size) throws InterruptedException {
    String servers = tree.server.getConnectString();
    // A job begins here.
    try (CuratorFramework client =
            CuratorFrameworkFactory.newClient(servers, new ExponentialBackoffRetry(100, 5));
        Fabric fabric =
            Fabrics.open(
                Hints.latest()
                    .withProvider("tcp")
                    .withEndpointType(EndpointType.RDM)
                    .withSource("127.0.0.1:0"));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint = domain.openReliableEndpoint(EndpointOptions.of(vector, queue));
        Arena arena = Arena.ofShared()) {
      client.start();
      try (Cluster cluster = Cluster.of(client, ClusterOptions.defaults())) {
        Job job = cluster.job("solver-17", size);
        Duration patience = Duration.ofSeconds(30);
        try (Membership me = job.join(vector, endpoint.address(), rank, patience)) {
          endpoint.receive(arena.allocate(64), "from the left");
          int right = (me.member().rank().orElseThrow() + 1) % size;
          endpoint.send(MemorySegment.ofArray("hello".getBytes(UTF_8)), right, "to the right");
          for (int done = 0; done < 2; done++) {
            System.out.println(queue.take(patience).context());
          }
        }
      }
    }
    // A job ends here.
  }

  @Test
  @DisplayName("A ring of three ranks")
  void job() {
    List<CompletableFuture<Void>> all =
        Stream.of(0, 1, 2)
            .map(rank ->
                CompletableFuture.runAsync(
                    () -> {
                      try {
                        ranks(rank, 3);
                      } catch (InterruptedException interrupted) {
                        throw new AssertionError(interrupted);
                      }
                    },
                    task -> Thread.ofPlatform().start(task)))
            .toList();
    all.forEach(CompletableFuture::join);
  }

  @Test
  @DisplayName("A service: publish, follow, hear")
  void service() {
    try (TestNetwork network = new TestNetwork()) {
      AddressVector vector = network.vector();
      Cluster cluster = tree.closing(tree.process("host").cluster());
      var address = TestNetwork.address(5001);
      // A service begins here.
      Service service = cluster.service("shuffle");
      Membership me =
          service.join(
              "worker-7", address, MemberOptions.none().withUserId(7).withAttribute("zone", "b"));
      VectorFeed feed =
          service.fill(
              vector,
              Duration.ofSeconds(10),
              event -> {
                switch (event) {
                  case MemberEvent.Joined(Member member, long handle) ->
                      System.out.println(member.name() + " has handle " + handle);
                  case MemberEvent.Left(Member member, long handle) ->
                      System.out.println(member.name() + " has left, and handle " + handle);
                  case MemberEvent.Moved(Member member, long handle, Member former) ->
                      System.out.println(
                          handle + " was " + former.address() + ", is " + member.address());
                  case MemberEvent.Refused(Member member, var errno, String reason) ->
                      System.out.println(member.name() + " is not in the vector: " + reason);
                  case MemberEvent.StateChanged(Member member, var state) ->
                      System.out.println(member.name() + " is " + state + " now");
                }
              });
      // A service ends here.
      Awaited.until(() -> feed.handle("worker-7").isPresent());
      long handle = feed.handle("worker-7").orElseThrow();
      assertThat(vector.lookup(handle)).isEqualTo(me.member().address());
    }
  }

  @Test
  @DisplayName("A vector for the processes of a node")
  void node() {
    try (TestNetwork network = new TestNetwork()) {
      Domain domain = network.domain;
      Cluster cluster = tree.closing(tree.process("host").cluster());
      Service service = cluster.service("shuffle");
      service.join("worker-7", TestNetwork.address(5001), MemberOptions.none());
      Events events = new Events();
      try (VectorFeed _ = service.fill(network.vector(), Duration.ZERO, events)) {
        // The record of the host is there.
        events.next(MemberEvent.Joined.class);
      }
      // A node begins here.
      VectorOptions options = VectorOptions.table().withName("shuffle");
      AddressVector vector = Cluster.openNodeVector(domain, options);
      VectorFeed feed = service.fill(vector, Duration.ofSeconds(10), MemberListener.none());
      feed.handle("worker-7").ifPresent(handle -> System.out.println(vector.lookup(handle)));
      // A node ends here.
      assertThat(vector.lookup(feed.handle("worker-7").orElseThrow()))
          .isEqualTo(TestNetwork.address(5001));
      feed.close();
      vector.close();
    }
  }

  @Test
  @DisplayName("The page has the examples as they are")
  void page() throws IOException {
    String source = ProjectFiles.source(ClusterGuideTest.class);
    String page = ProjectFiles.page();
    assertThat(page).contains(between(source, "// A job begins here.\n", "    // A job ends"));
    assertThat(page)
        .contains(between(source, "// A service begins here.\n", "      // A service ends"))
        .contains(between(source, "// A node begins here.\n", "      // A node ends"));
  }

  /** Part of the source, less indented. */
  private static String between(String source, String begin, String end) {
    int from = source.indexOf(begin) + begin.length();
    String part = source.substring(from, source.indexOf(end, from));
    return part.stripTrailing().stripIndent();
  }
}
