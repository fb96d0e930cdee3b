// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.cluster.HostRecord.RankRecord;

/**
 * Requests that ZooKeeper has carried out and whose answers are lost: Curator sends them again when
 * the connection is back.
 */
class LostAnswerTest {
  private static final GroupPaths PATHS = new GroupPaths("/ofi4j", "job");

  private final TestTree tree = new TestTree();

  @AfterEach
  void close() {
    tree.close();
  }

  /** A process with two members leaves with one of them, or with both. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leavingTwiceLeavesTheRankToTheSuccessor(boolean withBoth) throws Exception {
    CuratorFramework client = tree.client();
    Loop loop = tree.closing(new Loop("test"));
    Loop other = tree.closing(new Loop("other"));
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    HostProcess leaver = process(tree.process("host", link).client(), loop);
    Publication zero = join(leaver, loop, member(0, 5000));
    Publication one = join(leaver, loop, member(1, 5001));
    link.cutAnswers();
    loop.execute(() -> leaver.leave(JobTable.name(0), zero));
    if (withBoth) {
      loop.execute(() -> leaver.leave(JobTable.name(1), one));
    }
    Awaited.until(() -> client.checkExists().forPath(PATHS.rank(0)) == null);
    HostProcess successor = process(tree.process("host").client(), other);
    join(successor, other, member(0, 6000));
    link.reset();
    // The process writes after that only.
    join(leaver, loop, member(2, 5002));
    if (!withBoth) {
      loop.execute(() -> leaver.leave(JobTable.name(1), one));
    }
    Awaited.until(() -> client.checkExists().forPath(PATHS.rank(1)) == null);
    RankRecord holder = RankRecord.of(client.getData().forPath(PATHS.rank(0)), 9);
    assertThat(holder.member().address()).isEqualTo(TestNetwork.address(6000));
    loop.execute(leaver::close);
    other.execute(successor::close);
  }

  /** The repeated last request of an end finds no group, which means that the end has succeeded. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void endingTwiceIsNoFailure(boolean isService) throws Exception {
    CuratorFramework client = tree.client();
    AddressFormat format = AddressFormat.SOCKADDR_IN;
    Link link = tree.closing(new Link(tree.server.getConnectString()));
    Cluster cluster = tree.process("host", link).cluster();
    GroupRecord record =
        isService ? GroupRecord.service(format) : GroupRecord.job(format, 1, false);
    new Group(client, ClusterOptions.of("host").withTimeout(Duration.ofSeconds(20)), "job")
        .agree(record);
    if (!isService) {
      client.create().creatingParentsIfNeeded().forPath(PATHS.rank(0), new byte[0]);
    }
    // In a change: a deletion, not the last operation, no error, the length of the path, the path.
    String header = "\0\0\0\2" + "\0" + "\u00ff".repeat(4);
    String path = "\0\0\0" + (char) PATHS.group().length() + PATHS.group();
    link.cutAnswersTo(header + path + "\u00ff".repeat(4));
    CompletableFuture<Void> end =
        CompletableFuture.runAsync(
            () -> cluster.end("job"), task -> Thread.ofVirtual().start(task));
    Awaited.until(() -> client.checkExists().forPath(PATHS.group()) == null);
    assertThat(end).isNotDone();
    link.reset();
    end.get();
  }

  @Test
  void answerThatNeverComesDoesNotKeepAWatchFromCatchingUp() throws Exception {
    Loop loop = tree.closing(new Loop("test"));
    AtomicBoolean isLosing = new AtomicBoolean();
    CuratorFramework real = tree.client();
    CuratorFramework client = LosingClient.of(real, isLosing);
    AddressFormat format = AddressFormat.SOCKADDR_IN;
    GroupWatch watch = new GroupWatch(real, client, PATHS, format, loop, (_, _) -> {});
    watch.ready().get();
    isLosing.set(true);
    assertThat(watch.caughtUp().get()).isTrue();
    assertThat(isLosing).isFalse();
  }

  private static HostProcess process(CuratorFramework client, Loop loop) {
    GroupRecord found = GroupRecord.job(AddressFormat.SOCKADDR_IN, 3, true);
    return new HostProcess(client, PATHS, found, "host", loop);
  }

  private static Publication join(HostProcess process, Loop loop, Member member) throws Exception {
    Publication publication = new Publication(_ -> {});
    loop.execute(() -> process.join(member, publication));
    publication.answer().get();
    return publication;
  }

  private static Member member(int rank, int port) {
    return new Member(
        JobTable.name(rank),
        OptionalInt.of(rank),
        OptionalLong.empty(),
        TestNetwork.address(port),
        Map.of(),
        0,
        "host");
  }
}
