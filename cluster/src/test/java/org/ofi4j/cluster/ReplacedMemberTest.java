// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.cluster.HostRecord.RankRecord;

/** Members of a job that lose their session, and other processes that join as their ranks. */
class ReplacedMemberTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final int SIZE = 2;
  private static final GroupPaths PATHS = new GroupPaths("/ofi4j", "job");

  private static final GroupRecord PERSISTENT =
      new GroupRecord(GroupRecord.Kind.JOB, AddressFormat.SOCKADDR_IN, SIZE, false, 0);
  private static final GroupRecord EXPIRING =
      GroupRecord.job(AddressFormat.SOCKADDR_IN, SIZE, true);

  private final TestNetwork network = new TestNetwork();
  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
    network.close();
  }

  /** A member of the job, and the states that it has heard of. */
  private final class Rank {
    final TestTree.Process process;
    final AddressVector vector = network.vector();
    final Events events = new Events();
    final BlockingQueue<Membership.State> states = new LinkedBlockingQueue<>();
    final CompletableFuture<Membership> joined;

    Rank(TestTree.Process process, int rank, int port, Duration timeout) {
      this.process = process;
      joined =
          CompletableFuture.supplyAsync(
              () ->
                  process
                      .cluster()
                      .job("job", SIZE)
                      .join(
                          vector,
                          TestNetwork.address(port),
                          rank,
                          timeout,
                          MemberOptions.none(),
                          event -> {
                            if (event instanceof MemberEvent.StateChanged own) {
                              states.add(own.state());
                            } else {
                              events.heard(event);
                            }
                          }),
              task -> Thread.ofVirtual().start(task));
    }

    Membership membership() {
      return tree.closing(joined.join());
    }

    void awaitState(Membership.State wanted) throws InterruptedException {
      Membership.State state;
      do {
        state = states.take();
      } while (state != wanted);
    }
  }

  @Test
  void replacedMemberNeverReturns() throws Exception {
    Rank zero = new Rank(tree.process("host0"), 0, 5000, LONG);
    tree.session = TestTree.SHORT_SESSION;
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    Rank old = new Rank(tree.process("host1", link), 1, 5001, LONG);
    zero.membership();
    Membership superseded = old.membership();
    assertThat(superseded.state()).isEqualTo(Membership.State.JOINED);
    zero.events.next(MemberEvent.Joined.class);
    zero.events.next(MemberEvent.Joined.class);

    link.cut();
    zero.events.next(MemberEvent.Left.class, "1");
    // The server ends a session no earlier than the member knows it.
    assertThat(superseded.state()).isEqualTo(Membership.State.LOST);
    assertThat(zero.vector.find(TestNetwork.address(5001))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThatThrownBy(() -> zero.vector.lookup(1)).hasMessageStartingWith("EINVAL (22)");

    Rank next = new Rank(tree.process("host2"), 1, 6001, LONG);
    Membership successor = next.membership();
    assertThat(zero.events.next(MemberEvent.Joined.class, "1").member())
        .isEqualTo(successor.member());
    link.mend();
    old.awaitState(Membership.State.REPLACED);
    assertThat(superseded.state()).isEqualTo(Membership.State.REPLACED);

    next.process.die();
    zero.events.next(MemberEvent.Left.class, "1");
    assertThat(zero.vector.size()).isOne();
    Rank third = new Rank(tree.process("host3"), 1, 7001, LONG);
    Membership last = third.membership();
    assertThat(zero.events.next(MemberEvent.Joined.class, "1").member()).isEqualTo(last.member());
    assertThat(zero.vector.lookup(1)).isEqualTo(TestNetwork.address(7001));
    assertThat(last.member().incarnation()).isGreaterThan(successor.member().incarnation());
    assertThat(successor.member().incarnation()).isGreaterThan(superseded.member().incarnation());
  }

  @Test
  void memberOfTheShortJoinHearsOfItsState() throws Exception {
    tree.session = TestTree.SHORT_SESSION;
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    TestTree.Process process = tree.process("host", link);
    AddressVector vector = network.vector();
    Membership member =
        tree.closing(
            process.cluster().job("job", 1).join(vector, TestNetwork.address(5001), 0, LONG));
    BlockingQueue<MemberEvent> heard = new LinkedBlockingQueue<>();
    member.addListener(heard::add);
    link.cut();
    MemberEvent.StateChanged event;
    do {
      event = (MemberEvent.StateChanged) heard.take();
    } while (event.state() != Membership.State.LOST);
    assertThat(event.member()).isEqualTo(member.member());
    // A listener that comes later hears the state of now.
    BlockingQueue<MemberEvent> late = new LinkedBlockingQueue<>();
    member.addListener(late::add);
    assertThat(late.take()).isEqualTo(event);
    link.mend();
    do {
      event = (MemberEvent.StateChanged) heard.take();
    } while (event.state() != Membership.State.JOINED);
    assertThat(member.state()).isEqualTo(Membership.State.JOINED);
    member.close();
    assertThat(member.state()).isEqualTo(Membership.State.CLOSED);
  }

  @Test
  void memberThatIsBackBeforeAnotherJoinsKeepsItsRank() throws Exception {
    Rank zero = new Rank(tree.process("host0"), 0, 5000, LONG);
    tree.session = TestTree.SHORT_SESSION;
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    Rank one = new Rank(tree.process("host1", link), 1, 5001, LONG);
    zero.membership();
    Membership member = one.membership();
    zero.events.next(MemberEvent.Joined.class);
    zero.events.next(MemberEvent.Joined.class);
    link.cut();
    zero.events.next(MemberEvent.Left.class, "1");
    link.mend();
    one.awaitState(Membership.State.JOINED);
    assertThat(zero.events.next(MemberEvent.Joined.class, "1").member()).isEqualTo(member.member());
    assertThat(zero.vector.lookup(1)).isEqualTo(TestNetwork.address(5001));
    Rank other = new Rank(tree.process("host2"), 1, 6001, SHORT);
    assertThatThrownBy(other.joined::join).cause().hasMessageStartingWith("EALREADY (114)");
  }

  @Test
  void onlyOneOfManyThatJoinAsOneRankSucceeds() throws Exception {
    List<TestTree.Process> processes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      processes.add(tree.process("host" + i));
    }
    for (int round = 0; round < 5; round++) {
      String job = "job" + round;
      CyclicBarrier together = new CyclicBarrier(processes.size());
      List<CompletableFuture<Membership>> joins = new ArrayList<>();
      for (int i = 0; i < processes.size(); i++) {
        TestTree.Process process = processes.get(i);
        AddressVector vector = network.vector();
        int port = 5000 + i;
        joins.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    together.await();
                  } catch (Exception failure) {
                    throw new AssertionError(failure);
                  }
                  return process
                      .cluster()
                      .job(job, 1)
                      .join(vector, TestNetwork.address(port), 0, SHORT);
                },
                task -> Thread.ofPlatform().daemon().start(task)));
      }
      int successes = 0;
      for (CompletableFuture<Membership> each : joins) {
        try {
          tree.closing(each.join());
          successes++;
        } catch (CompletionException refused) {
          assertThat(refused.getCause())
              .isInstanceOfSatisfying(
                  FabricException.class,
                  failure -> assertThat(failure.errno()).isEqualTo(Errno.EALREADY));
        }
      }
      assertThat(successes).isOne();
    }
  }

  /** The claim of a process that saw the rank as free is refused if another one was faster. */
  @Test
  void claimThatComesTooLateIsRefused() throws Exception {
    CuratorFramework client = tree.client();
    TestTree.Process process = tree.process("host");
    Loop loop = tree.closing(new Loop("test"));
    HostProcess first = new HostProcess(process.client(), PATHS, PERSISTENT, "host", loop);
    Publication joined = new Publication(_ -> {});
    loop.execute(() -> first.join(rank(5001), joined));
    Member member = joined.answer().get();
    // The process of this record is gone, so that its rank is free.
    RankRecord foreign = new RankRecord(new UUID(1, 1), rank(6001));
    client.setData().forPath(PATHS.rank(0), foreign.toBytes());
    process.loseSession();
    Awaited.until(() -> joined.isReplaced());
    assertThat(RankRecord.of(client.getData().forPath(PATHS.rank(0)), 9).process())
        .isEqualTo(new UUID(1, 1));
    HostProcess second =
        new HostProcess(tree.process("host").client(), PATHS, PERSISTENT, "host", loop);
    Publication again = new Publication(_ -> {});
    loop.execute(() -> second.join(rank(7001), again));
    assertThat(again.answer().get().incarnation()).isGreaterThan(member.incarnation());
    loop.execute(first::close);
    loop.execute(second::close);
  }

  private static Member rank(int port) {
    return new Member(
        JobTable.name(0),
        OptionalInt.of(0),
        OptionalLong.empty(),
        TestNetwork.address(port),
        Map.of(),
        0,
        "host");
  }

  @Test
  void memberOfAnExpiringJobDoesNotOutliveItsSession() throws Exception {
    TestTree.Process process = tree.process("host");
    Job job = process.cluster().job("job", 1).expiring();
    AddressVector vector = network.vector();
    Membership member = tree.closing(job.join(vector, TestNetwork.address(5001), 0, LONG));
    process.loseSession();
    Awaited.until(() -> member.state() == Membership.State.REPLACED);
    // ZooKeeper may have removed the empty job, so that it is founded again.
    Job again = tree.process("other").cluster().job("job", 1).expiring();
    Membership next = again.join(network.vector(), TestNetwork.address(6001), 0, LONG);
    assertThat(next.member().incarnation()).isGreaterThan(member.member().incarnation());
    // No node of a rank is left that would keep the job.
    next.close();
    CuratorFramework client = tree.client();
    Awaited.until(() -> client.checkExists().forPath(PATHS.rank(0)) == null);
  }

  /** The node of a successor's rank has the version that the former one had. */
  @Test
  void returningMemberOfAnExpiringJobLeavesItsRankToTheSuccessor() throws Exception {
    Loop loop = tree.closing(new Loop("test"));
    TestTree.Process successor = tree.process("host");
    tree.session = TestTree.SHORT_SESSION;
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    TestTree.Process former = tree.process("host", link);
    HostProcess first = new HostProcess(former.client(), PATHS, EXPIRING, "host", loop);
    HostProcess second = new HostProcess(successor.client(), PATHS, EXPIRING, "host", loop);
    Publication old = new Publication(_ -> {});
    Publication next = new Publication(_ -> {});
    loop.execute(() -> first.join(rank(5001), old));
    old.answer().get();
    link.cut();
    loop.execute(() -> second.join(rank(6001), next));
    next.answer().get();
    link.mend();
    Awaited.until(() -> old.isReplaced());
    assertThat(holder(successor.client()).member().address()).isEqualTo(TestNetwork.address(6001));
    assertThat(next.isReplaced()).isFalse();
    loop.execute(first::close);
    loop.execute(second::close);
  }

  private static RankRecord holder(CuratorFramework client) throws Exception {
    return RankRecord.of(client.getData().forPath(PATHS.rank(0)), 9);
  }

  /** Joins as rank 0 of a job, loses its link, and hears nothing while the job is ended. */
  private Membership memberOfAnEndedJob(Cluster other, Link link) {
    tree.session = TestTree.SHORT_SESSION;
    TestTree.Process process = tree.process("host", link);
    Job job = process.cluster().job("job", 1);
    Membership member =
        tree.closing(job.join(network.vector(), TestNetwork.address(5001), 0, LONG));
    link.cut();
    Awaited.until(() -> hasEnded(other));
    return member;
  }

  private static boolean hasEnded(Cluster cluster) {
    try {
      cluster.end("job");
      return true;
    } catch (FabricException inUse) {
      assertThat(inUse.errno()).isEqualTo(Errno.EBUSY);
      return false;
    }
  }

  @Test
  void memberOfAnEndedJobIsReplacedInTheJobThatIsFoundedAgain() throws Exception {
    TestTree.Process process = tree.process("host");
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    Membership old = memberOfAnEndedJob(process.cluster(), link);
    Job again = process.cluster().job("job", 1);
    Membership next =
        tree.closing(again.join(network.vector(), TestNetwork.address(6001), 0, LONG));
    link.mend();
    Awaited.until(() -> old.state() == Membership.State.REPLACED);
    assertThat(holder(process.client()).member().address()).isEqualTo(TestNetwork.address(6001));
    assertThat(next.state()).isEqualTo(Membership.State.JOINED);
  }

  @Test
  void memberOfAnEndedJobDoesNotBringItBack() throws Exception {
    TestTree.Process process = tree.process("host");
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    Membership old = memberOfAnEndedJob(process.cluster(), link);
    link.mend();
    Awaited.until(() -> old.state() == Membership.State.REPLACED);
    // ZooKeeper removes the containers that the record of the host may have had.
    Awaited.until(() -> process.client().checkExists().forPath(PATHS.group()) == null);
  }

  @Test
  void memberOfADeletedJobIsReplaced() throws Exception {
    Job job = tree.process("host").cluster().job("job", 1);
    Membership member =
        tree.closing(job.join(network.vector(), TestNetwork.address(5001), 0, LONG));
    CuratorFramework client = tree.client();
    client.delete().deletingChildrenIfNeeded().forPath(PATHS.group());
    Awaited.until(() -> member.state() == Membership.State.REPLACED);
    Awaited.until(() -> client.checkExists().forPath(PATHS.group()) == null);
  }

  @Test
  void damagedRecordOfRankKeepsItTaken() throws Exception {
    CuratorFramework client = tree.client();
    client.create().creatingParentsIfNeeded().forPath(PATHS.rank(1), new byte[] {1, 2, 3});
    Rank one = new Rank(tree.process("host"), 1, 5001, SHORT);
    assertThatThrownBy(one.joined::join)
        .cause()
        .hasMessageStartingWith("EALREADY (114)")
        .hasMessageContaining("its record is damaged");
  }
}
