// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;

/** Jobs over a real ZooKeeper. Each rank is a process of its own. */
class JobTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofSeconds(10);

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  /** One rank of the job. */
  private final class Rank {
    final TestTree.Process process;
    final AddressVector vector = network.vector();
    final Events events = new Events();
    final CompletableFuture<Membership> joined;

    Rank(int size, int rank, int port, Duration timeout) {
      process = tree.process("host" + rank % 2);
      joined =
          CompletableFuture.supplyAsync(
              () ->
                  process
                      .cluster()
                      .job("job", size)
                      .join(
                          vector,
                          TestNetwork.address(port),
                          rank,
                          timeout,
                          MemberOptions.none(),
                          events),
              task -> Thread.ofVirtual().start(task));
    }

    void requireRanks(int... ports) {
      for (int i = 0; i < ports.length; i++) {
        assertThat(vector.lookup(i)).isEqualTo(TestNetwork.address(ports[i]));
      }
      assertThat(vector.size()).isEqualTo(ports.length);
    }
  }

  /** A job whose ranks have heard of each other. */
  private List<Rank> running(int size) {
    List<Rank> ranks = job(size);
    for (Rank each : ranks) {
      for (int i = 0; i < size; i++) {
        each.events.next(MemberEvent.Joined.class);
      }
    }
    return ranks;
  }

  private List<Rank> job(int size) {
    List<Rank> ranks = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      ranks.add(new Rank(size, i, 5000 + i, LONG));
    }
    for (Rank each : ranks) {
      tree.closing(each.joined.join());
    }
    return ranks;
  }

  @Test
  @DisplayName("When all are there, handle i is rank i in each process")
  void complete() {
    for (Rank each : job(4)) {
      each.requireRanks(5000, 5001, 5002, 5003);
      for (int i = 0; i < 4; i++) {
        assertThat(each.events.next(MemberEvent.Joined.class).handle()).isEqualTo(i);
      }
    }
  }

  @Test
  @DisplayName("When time is up, the missing ranks are named, and nobody is left behind")
  void missing() {
    Rank one = new Rank(4, 1, 5001, SHORT);
    assertThatThrownBy(one.joined::join)
        .cause()
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("ETIMEDOUT (110)")
        .hasMessageContaining("missing ranks: 0, 2, 3");
    assertThat(one.vector.size()).isZero();
    one.process.cluster().close();
    // The name is free again.
    job(4).getFirst().requireRanks(5000, 5001, 5002, 5003);
  }

  @Test
  @DisplayName("Who dies is reported and has no entry; its successor has the handle, elsewhere")
  void restart() {
    List<Rank> ranks = running(3);
    Rank zero = ranks.getFirst();
    long former = ranks.get(2).joined.join().member().incarnation();
    ranks.get(2).process.die();
    MemberEvent.Left left = zero.events.next(MemberEvent.Left.class, "2");
    assertThat(left.handle()).isEqualTo(2);
    assertThat(zero.vector.find(TestNetwork.address(5002))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(zero.vector.size()).isEqualTo(2);

    Rank again = new Rank(3, 2, 6002, LONG);
    Membership successor = tree.closing(again.joined.join());
    again.requireRanks(5000, 5001, 6002);
    MemberEvent.Joined back = zero.events.next(MemberEvent.Joined.class, "2");
    assertThat(back.handle()).isEqualTo(2);
    assertThat(back.member()).isEqualTo(successor.member());
    assertThat(back.member().incarnation()).isGreaterThan(former);
    zero.requireRanks(5000, 5001, 6002);
  }

  @Test
  @DisplayName("A rank that somebody has is refused, naming who has it")
  void duplicate() {
    Rank zero = new Rank(2, 0, 5000, LONG);
    Awaited.until(() -> !groupIsEmpty());
    Rank twin = new Rank(2, 0, 6000, SHORT);
    assertThatThrownBy(twin.joined::join)
        .cause()
        .isInstanceOf(FabricException.class)
        .hasMessageStartingWith("EALREADY (114)")
        .hasMessageContaining("rank 0 is taken: it is that of rank 0 (incarnation")
        .hasMessageContaining("host0");
    Rank one = new Rank(2, 1, 5001, LONG);
    tree.closing(one.joined.join());
    tree.closing(zero.joined.join());
    one.requireRanks(5000, 5001);
    zero.requireRanks(5000, 5001);
  }

  private boolean groupIsEmpty() throws Exception {
    GroupPaths paths = new GroupPaths("/ofi4j", "job");
    return tree.client().checkExists().forPath(paths.records() + "/" + bucket(paths)) == null;
  }

  private static String bucket(GroupPaths paths) {
    String record = paths.record("host0", new java.util.UUID(0, 0));
    return record.substring(paths.records().length() + 1).split("/")[0];
  }

  @Test
  @DisplayName("Who waits for a rank has it when the former member dies")
  void waitsForTheFormer() {
    List<Rank> ranks = running(2);
    Rank successor = new Rank(2, 1, 6001, LONG);
    ranks.get(1).process.die();
    tree.closing(successor.joined.join());
    successor.requireRanks(5000, 6001);
    ranks.getFirst().events.next(MemberEvent.Left.class, "1");
    ranks.getFirst().events.next(MemberEvent.Joined.class, "1");
    ranks.getFirst().requireRanks(5000, 6001);
  }

  @Test
  @DisplayName("What cannot be a member of the job is refused before anything is published")
  void refusals() {
    TestTree.Process process = tree.process("host");
    Job job = process.cluster().job("job", 2);
    AddressVector vector = network.vector();
    assertThatThrownBy(() -> job.join(vector, TestNetwork.address(1), 2, SHORT))
        .hasMessageContaining("ranks 0 to 1");
    assertThatThrownBy(() -> process.cluster().job("job", 0)).hasMessageContaining("size 0");
    vector.insert(TestNetwork.address(7));
    assertThatThrownBy(() -> job.join(vector, TestNetwork.address(1), 0, SHORT))
        .hasMessageContaining("with 1 entries");
    AddressVector map = network.vector(VectorOptions.map());
    assertThatThrownBy(() -> job.join(map, TestNetwork.address(1), 0, SHORT))
        .hasMessageContaining("TABLE");
    AddressVector table = network.vector();
    assertThatThrownBy(() -> job.join(table, TestNetwork.address(1), 0, SHORT))
        .hasMessageContaining("missing ranks: 1");
    assertThatThrownBy(
            () -> process.cluster().job("job", 3).join(table, TestNetwork.address(1), 0, SHORT))
        .hasMessageContaining("is a job of 2");
  }
}
