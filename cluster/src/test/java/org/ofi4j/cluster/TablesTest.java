// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.cluster.GroupWatch.MemberTable;

/** Changes of members become changes of a vector, all that come at once in one step. */
class TablesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final TestNetwork network = new TestNetwork();
  private final Loop loop = new Loop("test");
  private final Events events = new Events();
  private final Roster roster = new Roster();

  @AfterEach
  void close() {
    loop.close();
    network.close();
  }

  private static Member member(String name, int port, long incarnation) {
    return TestNetwork.member("host", name, port, incarnation);
  }

  /** All members of the one host from now on. */
  private void now(MemberTable table, Member... members) {
    table.apply(roster.update("host", List.of(members)), roster);
  }

  private ServiceTable service(AddressVector vector, Duration grace) {
    return new ServiceTable(
        new VectorEntries(vector), loop::after, grace, new Announcements(events), Runnable::run);
  }

  private static long handle(ServiceTable table, String name) {
    Seat seat = table.seat(name);
    return seat == null ? -1 : seat.handle;
  }

  @Test
  @DisplayName("Who takes over an address in one change keeps the handle, in any order")
  void chain() {
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, Duration.ZERO);
    now(table, member("a", 1, 1), member("b", 2, 2), member("c", 3, 3));
    long a = handle(table, "a");
    long b = handle(table, "b");
    now(table, member("a", 2, 4), member("b", 3, 5), member("d", 1, 6));
    assertThat(handle(table, "a")).isEqualTo(a);
    assertThat(handle(table, "b")).isEqualTo(b);
    assertThat(vector.lookup(a)).isEqualTo(TestNetwork.address(2));
    assertThat(vector.lookup(b)).isEqualTo(TestNetwork.address(3));
    assertThat(vector.lookup(handle(table, "d"))).isEqualTo(TestNetwork.address(1));
    assertThat(handle(table, "c")).isEqualTo(-1);
    assertThat(vector.size()).isEqualTo(3);
  }

  @Test
  @DisplayName("When a grace period is over, an entry goes once ZooKeeper says who is still away")
  void graceIsConfirmed() throws InterruptedException {
    AddressVector vector = network.vector();
    BlockingQueue<Runnable> asked = new LinkedBlockingQueue<>();
    ServiceTable table =
        new ServiceTable(
            new VectorEntries(vector),
            loop::after,
            Duration.ofMillis(1),
            new Announcements(events),
            asked::add);
    now(table, member("a", 1, 1), member("b", 2, 2));
    long a = handle(table, "a");
    now(table);
    Runnable answer = asked.take();
    assertThat(vector.size()).isEqualTo(2);
    now(table, member("a", 3, 3));
    answer.run();
    assertThat(handle(table, "a")).isEqualTo(a);
    assertThat(vector.lookup(a)).isEqualTo(TestNetwork.address(3));
    assertThat(handle(table, "b")).isEqualTo(-1);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @DisplayName("A grace period or time-out may be as long as a duration can be, or as negative")
  void endless() {
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, ChronoUnit.FOREVER.getDuration());
    now(table, member("a", 1, 1));
    long a = handle(table, "a");
    now(table, member("b", 2, 2));
    assertThat(handle(table, "a")).isEqualTo(a);
    assertThat(handle(table, "b")).isNotNegative();
    assertThat(Deadline.in(Duration.ofSeconds(Long.MIN_VALUE)).left()).isZero();
  }

  @Test
  @DisplayName("Two that exchange their addresses both have the right one")
  void exchange() {
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, Duration.ZERO);
    now(table, member("a", 1, 1), member("b", 2, 2));
    now(table, member("a", 2, 3), member("b", 1, 4));
    assertThat(vector.lookup(handle(table, "a"))).isEqualTo(TestNetwork.address(2));
    assertThat(vector.lookup(handle(table, "b"))).isEqualTo(TestNetwork.address(1));
    assertThat(vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName("Of two with one address the later one has it; the other one when it is free")
  void oneAddress() {
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, Duration.ZERO);
    now(table, member("a", 1, 1));
    now(table, member("a", 1, 1), member("b", 1, 2));
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("a");
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("a");
    MemberEvent.Refused refused = events.next(MemberEvent.Refused.class);
    assertThat(refused.errno()).isEqualTo(Errno.EALREADY);
    assertThat(refused.reason()).contains("member b");
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("b");
    now(table, member("a", 1, 1), member("b", 1, 2), member("c", 2, 3));
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("c");
    now(table, member("a", 1, 1), member("c", 2, 3));
    assertThat(events.next(MemberEvent.Left.class).member().name()).isEqualTo("b");
    assertThat(events.next(MemberEvent.Joined.class).member().name()).isEqualTo("a");
    assertThat(vector.size()).isEqualTo(2);
  }

  @Test
  @DisplayName("Who moves to an address that the vector refuses has no handle")
  void movesNowhere() {
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, Duration.ofDays(1));
    now(table, member("a", 1, 1));
    now(table, member("a", 0, 2));
    events.next(MemberEvent.Joined.class);
    events.next(MemberEvent.Left.class);
    assertThat(events.next(MemberEvent.Refused.class).member().incarnation()).isEqualTo(2);
    assertThat(vector.size()).isZero();
    now(table, member("a", 3, 3));
    events.next(MemberEvent.Joined.class);
  }

  @Test
  @DisplayName("A vector that keeps user ids has those of the members")
  void userIds() {
    AddressVector vector = network.vector(VectorOptions.table().withFlags(VectorFlag.USER_ID));
    ServiceTable table = service(vector, Duration.ZERO);
    Member plain = member("b", 2, 2);
    Member first = withUserId(member("a", 1, 1), 77);
    now(table, first, plain);
    assertThat(vector.userId(handle(table, "a"))).hasValue(77);
    assertThat(vector.userId(handle(table, "b"))).isEmpty();
    now(table, withUserId(member("a", 1, 3), 78), withUserId(member("b", 3, 4), 79));
    assertThat(vector.userId(handle(table, "a"))).hasValue(78);
    assertThat(vector.userId(handle(table, "b"))).hasValue(79);
  }

  @Test
  @DisplayName(
      "Who says no user id is not reported with that of the member before; the handle stays")
  void noUserId() throws InterruptedException {
    AddressVector vector = network.vector(VectorOptions.table().withFlags(VectorFlag.USER_ID));
    ServiceTable table = service(vector, Duration.ofDays(1));
    try (CompletionQueue queue = network.domain.openCompletionQueue();
        DatagramEndpoint endpoint = network.domain.openDatagramEndpoint(vector, queue);
        Arena arena = Arena.ofShared()) {
      int port = ((FabricAddress.SocketAddress4) endpoint.address()).port();
      now(table, withUserId(member("a", port, 1), 77));
      long a = handle(table, "a");
      assertThat(source(endpoint, queue, arena, a)).isEqualTo(77);
      now(table);
      now(table, member("a", port, 2));
      assertThat(handle(table, "a")).isEqualTo(a);
      assertThat(source(endpoint, queue, arena, a)).isEqualTo(Handles.NOT_AVAILABLE);
    }
  }

  /** What is reported of who sends, when an endpoint sends to itself. */
  private static long source(
      DatagramEndpoint endpoint, CompletionQueue queue, Arena arena, long handle)
      throws InterruptedException {
    endpoint.receive(arena.allocate(8), "received");
    endpoint.send(arena.allocate(1), handle, "sent");
    while (true) {
      Completion.Success completion = queue.take(Duration.ofDays(1));
      if ("received".equals(completion.context())) {
        return completion.source();
      }
    }
  }

  private static Member withUserId(Member member, long id) {
    return new Member(
        member.name(),
        member.rank(),
        OptionalLong.of(id),
        member.address(),
        member.attributes(),
        member.incarnation(),
        member.host());
  }

  private JobTable job(AddressVector vector, int size) {
    return new JobTable(new VectorEntries(vector), size, new Announcements(events));
  }

  private void requirePorts(AddressVector vector, int... ports) {
    for (int i = 0; i < ports.length; i++) {
      assertThat(vector.lookup(i)).as("rank %d", i).isEqualTo(TestNetwork.address(ports[i]));
      assertThat(vector.find(TestNetwork.address(ports[i]))).isEqualTo(i);
    }
    assertThat(vector.size()).isEqualTo(ports.length);
  }

  @Test
  @DisplayName("A rank that has left has no entry, and has its handle again when it is back")
  void addressOfTheDead() {
    AddressVector vector = network.vector();
    JobTable table = job(vector, 3);
    now(table, member("0", 10, 1), member("1", 11, 2), member("2", 12, 3));
    assertThat(table.isDecided()).isTrue();
    now(table, member("1", 11, 2), member("2", 12, 3));
    assertThat(vector.find(TestNetwork.address(10))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThatThrownBy(() -> vector.lookup(0)).hasMessageStartingWith("EINVAL (22)");
    now(table, member("1", 11, 2), member("2", 10, 4));
    assertThat(vector.lookup(2)).isEqualTo(TestNetwork.address(10));
    assertThat(vector.size()).isEqualTo(2);
    now(table, member("0", 12, 5), member("1", 11, 2), member("2", 10, 4));
    requirePorts(vector, 12, 11, 10);
    for (int i = 0; i < 3; i++) {
      events.next(MemberEvent.Joined.class);
    }
    assertThat(events.next(MemberEvent.Left.class).handle()).isZero();
    assertThat(events.next(MemberEvent.Moved.class).handle()).isEqualTo(2);
    assertThat(events.next(MemberEvent.Joined.class).handle()).isZero();
    assertThat(events.isEmpty()).isTrue();
  }

  @Test
  @DisplayName("Ranks that exchange their addresses keep their handles")
  void ranksExchange() {
    AddressVector vector = network.vector();
    JobTable table = job(vector, 3);
    now(table, member("0", 10, 1), member("1", 11, 2), member("2", 12, 3));
    now(table, member("0", 11, 4), member("1", 12, 5), member("2", 10, 6));
    requirePorts(vector, 11, 12, 10);
  }

  @Test
  @DisplayName(
      "Of two ranks with one address the later one has it, and the other one when it is free")
  void ranksWithOneAddress() {
    AddressVector vector = network.vector();
    JobTable table = job(vector, 2);
    now(table, member("0", 10, 1), member("1", 10, 2));
    assertThat(table.isDecided()).isFalse();
    now(table, member("0", 10, 1), member("1", 11, 2));
    now(table, member("0", 10, 1), member("1", 10, 3));
    assertThat(vector.lookup(1)).isEqualTo(TestNetwork.address(10));
    assertThat(vector.size()).isOne();
    events.next(MemberEvent.Joined.class, "0");
    events.next(MemberEvent.Left.class, "0");
    events.next(MemberEvent.Refused.class, "0");
    now(table, member("0", 10, 1));
    assertThat(vector.lookup(0)).isEqualTo(TestNetwork.address(10));
    assertThat(vector.size()).isOne();
  }

  @Test
  void anotherIncarnationAtTheSameAddressHasAnEntryOfItsOwn() {
    AddressVector vector = network.vector();
    JobTable table = job(vector, 2);
    now(table, member("0", 10, 1), member("1", 11, 2));
    long removed = vector.statistics().removals();
    now(table, member("0", 10, 3), member("1", 11, 2));
    assertThat(vector.statistics().removals()).isEqualTo(removed + 1);
    requirePorts(vector, 10, 11);
    events.next(MemberEvent.Joined.class);
    events.next(MemberEvent.Joined.class);
    assertThat(events.next(MemberEvent.Moved.class).former().incarnation()).isOne();
  }

  @Test
  void anEarlierIncarnationOfARankNeverReturns() {
    AddressVector vector = network.vector();
    JobTable table = job(vector, 2);
    now(table, rank(0, 10, 1), rank(1, 11, 2));
    now(table, rank(0, 10, 1), rank(1, 12, 3));
    // The later one dies, and a record still has the earlier one.
    now(table, rank(0, 10, 1), rank(1, 11, 2));
    assertThat(vector.size()).isOne();
    assertThat(vector.find(TestNetwork.address(11))).isEqualTo(Handles.NOT_AVAILABLE);
    now(table, rank(0, 10, 1), rank(1, 13, 4));
    requirePorts(vector, 10, 13);
  }

  private static Member rank(int rank, int port, long incarnation) {
    return new Member(
        JobTable.name(rank),
        OptionalInt.of(rank),
        OptionalLong.empty(),
        TestNetwork.address(port),
        Map.of(),
        incarnation,
        "host");
  }

  @Test
  @DisplayName("Random changes end in the vector that the members say, and no handle means two")
  void random() {
    // Each of the many refusals would be a line.
    Logger log = Logger.getLogger(Announcements.class.getName());
    log.setLevel(Level.OFF);
    Random random = new Random(SEED);
    AddressVector vector = network.vector();
    ServiceTable table = service(vector, Duration.ZERO);
    Map<String, Member> there = new HashMap<>();
    for (int i = 0; i < 2_000; i++) {
      for (int j = random.nextInt(4); j >= 0; j--) {
        String name = "m" + random.nextInt(8);
        if (random.nextInt(3) == 0) {
          there.remove(name);
        } else {
          there.put(name, member(name, 1 + random.nextInt(9), 1 + 4L * i + j));
        }
      }
      now(table, there.values().toArray(Member[]::new));
      requireTruth(table, vector, there, "-Dofi4j.seed=" + SEED + ", step " + i);
    }
    log.setLevel(null);
  }

  /** Each address is that of the latest member who says so, or of somebody who waits for none. */
  private static void requireTruth(
      ServiceTable table, AddressVector vector, Map<String, Member> there, String when) {
    Set<Long> handles = new HashSet<>();
    Set<Object> served = new HashSet<>();
    List<Object> claimed = new ArrayList<>();
    for (Member each : there.values()) {
      claimed.add(each.address());
      Seat seat = table.seat(each.name());
      if (seat != null) {
        assertThat(handles.add(seat.handle)).as(when).isTrue();
        assertThat(served.add(each.address())).as(when).isTrue();
        assertThat(vector.lookup(seat.handle)).as(when).isEqualTo(each.address());
      }
    }
    assertThat(served).as(when).containsExactlyInAnyOrderElementsOf(new HashSet<>(claimed));
    assertThat(vector.size()).as(when).isEqualTo(served.size());
  }
}
