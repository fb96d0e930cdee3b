// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/** Faults at random, up to four at a time; each is restored before the next ones begin. */
final class Faults {
  private static final int MOST_AT_A_TIME = 4;
  private static final int SESSION = 2_000;

  /** How often the end of a job is tried, a few times in a second. */
  private static final int MOST_ATTEMPTS = 2_000;

  /** What is done; how often, in parts of the sum. */
  private enum Kind {
    /** {@code kill -9} of a member, which is started again. */
    KILL(34, 1),
    /** The same, and once more while it starts. */
    KILL_TWICE(6, 2),
    /** A process is stopped for longer than its session. */
    STOP(20, 1),
    /** The servers end a member's session. */
    SESSION_LOST(15, 1),
    /** A member leaves, and joins again. */
    LEAVE(10, 1),
    /** A member is away for longer than its grace period. */
    AWAY(3, 1),
    /** A member is stopped, another one has its rank, it goes on, and the other one is killed. */
    REPLACE(9, 3),
    /** Two processes join as one rank at once, and one of them is stopped for a while. */
    JOIN_TWICE(9, 2),
    /** The link of a member to the servers is cut, and nothing else. */
    LINK(12, 1),
    /** The members of a job leave or are killed, but for one that is stopped, and it is ended. */
    END(5, 3),
    /** All members of the job that expires die, and ZooKeeper removes it. */
    EXPIRE(4, 2),
    /** A server is killed, and started again. */
    SERVER(8, 1),
    /** A majority of the servers is. */
    SERVERS(4, 2);

    final int weight;
    final int faults;

    Kind(int weight, int faults) {
      this.weight = weight;
      this.faults = faults;
    }

    /** The members of the cast that it can happen to. */
    List<Integer> slots(List<Integer> free) {
      return switch (this) {
        case REPLACE, JOIN_TWICE -> among(free, Referee.slots(Referee.JOB));
        case END -> all(free, Referee.slots(Referee.JOB));
        case EXPIRE -> all(free, Referee.slots(Referee.EXPIRING));
        default -> free;
      };
    }

    private static List<Integer> among(List<Integer> free, List<Integer> slots) {
      return slots.stream().filter(free::contains).toList();
    }

    private static List<Integer> all(List<Integer> free, List<Integer> slots) {
      return free.containsAll(slots) ? slots : List.of();
    }

    boolean isOfAll() {
      return this == END || this == EXPIRE;
    }

    boolean isOfServers() {
      return this == SERVER || this == SERVERS;
    }

    static Kind at(SplittableRandom random) {
      int sum = 0;
      for (Kind each : values()) {
        sum += each.weight;
      }
      int at = random.nextInt(sum);
      for (Kind each : values()) {
        at -= each.weight;
        if (at < 0) {
          return each;
        }
      }
      throw new AssertionError("more than the sum");
    }
  }

  private final Referee referee;
  private final Addresses addresses;
  private final SplittableRandom random;
  private final Map<Kind, Integer> done = new EnumMap<>(Kind.class);
  private int faults;

  Faults(Referee referee, Addresses addresses, long seed) {
    this.referee = referee;
    this.addresses = addresses;
    random = new SplittableRandom(seed);
  }

  /** How many there were. */
  int count() {
    return faults;
  }

  /** How many there were of each kind. */
  String summary() {
    return faults + " faults " + done;
  }

  /** Some faults at once; comes back when everything runs again. */
  void round() {
    int atOnce = 1 + Math.max(random.nextInt(MOST_AT_A_TIME), random.nextInt(MOST_AT_A_TIME));
    List<Integer> slots = new ArrayList<>(IntStream.range(0, Referee.size()).boxed().toList());
    boolean serversAreUp = true;
    List<CompletableFuture<Void>> running = new ArrayList<>();
    for (int i = 0; i < atOnce; ) {
      Kind kind = Kind.at(random);
      if (kind.isOfServers() && !serversAreUp) {
        continue;
      }
      List<Integer> fitting = kind.slots(slots);
      if (fitting.isEmpty()) {
        continue;
      }
      serversAreUp &= !kind.isOfServers();
      Integer slot = fitting.get(random.nextInt(fitting.size()));
      slots.removeAll(kind.isOfAll() ? fitting : List.of(slot));
      SplittableRandom own = random.split();
      running.add(
          CompletableFuture.runAsync(
              () -> make(kind, slot, own), task -> Thread.ofVirtual().start(task)));
      done.merge(kind, 1, Integer::sum);
      i += kind.faults;
      faults += kind.faults;
    }
    running.forEach(CompletableFuture::join);
  }

  private void make(Kind kind, int slot, SplittableRandom own) {
    pause(own, 0, 500);
    referee.note(kind + (kind.isOfServers() ? "" : " " + referee.member(slot)));
    switch (kind) {
      case KILL -> kill(slot, own);
      case KILL_TWICE -> {
        kill(slot, own);
        pause(own, 0, 3_000);
        kill(slot, own);
      }
      case STOP -> stop(slot, own);
      case SESSION_LOST -> loseSession(slot);
      case LEAVE -> leave(slot, own);
      case AWAY -> away(slot);
      case REPLACE -> replace(slot, own);
      case JOIN_TWICE -> joinTwice(slot, own);
      case LINK -> cutLink(slot, own);
      case END -> end(own);
      case EXPIRE -> expire();
      case SERVER -> servers(own, 1);
      case SERVERS -> servers(own, 2);
    }
    referee.note("end of " + kind);
  }

  private static void pause(SplittableRandom own, int least, int most) {
    try {
      Thread.sleep(own.nextInt(least, most));
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private void kill(int slot, SplittableRandom own) {
    WatchedMember member = referee.member(slot);
    referee.departures().disturb(member);
    referee.kill(member);
    String former = member.setting.address();
    int choice = own.nextInt(4);
    if (choice < 2) {
      pause(own, 0, 1_000);
      referee.start(slot, former);
      return;
    }
    addresses.release(former);
    pause(own, 0, 1_000);
    String address = choice == 2 ? addresses.fresh() : addresses.used(own);
    if (!address.equals(former)) {
      referee.departures().reassign(address);
    }
    referee.start(slot, address);
  }

  private void stop(int slot, SplittableRandom own) {
    WatchedMember member = referee.member(slot);
    referee.departures().disturb(member);
    member.process().stop();
    pause(own, SESSION + 200, 2 * SESSION);
    member.process().resume();
  }

  private void loseSession(int slot) {
    WatchedMember member = referee.member(slot);
    WatchedMember.Session session = member.session();
    if (session == null) {
      throw new AssertionError(member + " has no session");
    }
    referee.departures().disturb(member);
    CountDownLatch answered = new CountDownLatch(1);
    Watcher watcher =
        event -> {
          switch (event.getState()) {
            case SyncConnected, Expired, Closed -> answered.countDown();
            default -> {}
          }
        };
    try {
      ZooKeeper twin =
          new ZooKeeper(
              referee.quorum.connectString(), SESSION, watcher, session.id(), session.password());
      answered.await();
      twin.close();
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }

  private void leave(int slot, SplittableRandom own) {
    WatchedMember member = referee.member(slot);
    referee.departures().disturb(member);
    if (member.setting.isJob()) {
      member.expectEnd();
      member.tell("end");
      member.process().process().onExit().join();
      referee.link(member).close();
      pause(own, 0, 500);
      referee.start(slot, member.setting.address());
    } else {
      member.tell("leave");
      pause(own, 0, 1_000);
      member.tell("join");
      referee.await(() -> member.published() != null);
    }
  }

  private void away(int slot) {
    WatchedMember member = referee.member(slot);
    referee.departures().disturb(member);
    if (member.setting.isJob()) {
      referee.kill(member);
      referee.await(() -> referee.isAbsent(member));
      referee.start(slot, member.setting.address());
      return;
    }
    member.tell("leave");
    if (!referee.await(() -> member.published() == null && referee.isForgotten(member))) {
      referee.found(member + " has left, and still has an entry");
    }
    member.tell("join");
    referee.await(() -> member.published() != null);
  }

  private void replace(int slot, SplittableRandom own) {
    WatchedMember old = referee.member(slot);
    referee.departures().disturb(old);
    old.process().stop();
    WatchedMember next = referee.startBeside(slot, "four", addresses.fresh());
    referee.take(slot, next);
    boolean hasJoined = referee.await(next::isJoined);
    if (!hasJoined) {
      referee.found(next + " cannot join in place of " + old + ", which is stopped");
    }
    pause(own, 0, 500);
    old.process().resume();
    if (hasJoined && !referee.await(old::isReplaced)) {
      referee.found(old + " was replaced, and has not heard of it");
    }
    referee.kill(next);
    addresses.release(next.setting.address());
    pause(own, 0, 1_000);
    referee.start(slot, addresses.fresh());
    WatchedMember last = referee.member(slot);
    if (!referee.await(last::isJoined)) {
      referee.found(last + " cannot join in place of " + next + ", which is dead");
    }
    referee.kill(old);
    addresses.release(old.setting.address());
  }

  private void joinTwice(int slot, SplittableRandom own) {
    WatchedMember former = referee.member(slot);
    referee.departures().disturb(former);
    referee.kill(former);
    addresses.release(former.setting.address());
    WatchedMember one = referee.startBeside(slot, "one", addresses.fresh());
    WatchedMember two = referee.startBeside(slot, "four", addresses.fresh());
    referee.take(slot, one);
    pause(own, 0, 3_000);
    WatchedMember paused = own.nextBoolean() ? one : two;
    paused.process().stop();
    pause(own, SESSION + 200, 2 * SESSION);
    paused.process().resume();
    if (!referee.await(() -> one.isJoined() != two.isJoined())) {
      referee.found("Of " + one + " and " + two + " not one has joined");
    }
    WatchedMember winner = one.isJoined() ? one : two;
    WatchedMember loser = winner == one ? two : one;
    referee.take(slot, winner);
    referee.kill(loser);
    addresses.release(loser.setting.address());
    // The loser may have had the rank until now.
    Membership.State state = referee.ask(winner);
    while (state == Membership.State.LOST || state == Membership.State.SUSPENDED) {
      pause(own, 50, 100);
      state = referee.ask(winner);
    }
    if (state == null) {
      referee.found(winner + " does not say what its state is");
    }
    if (state == Membership.State.REPLACED) {
      referee.kill(winner);
      referee.start(slot, winner.setting.address());
    }
  }

  private void cutLink(int slot, SplittableRandom own) {
    WatchedMember member = referee.member(slot);
    referee.departures().disturb(member);
    Link link = referee.link(member);
    link.cut();
    try {
      if (own.nextBoolean()) {
        pause(own, 0, SESSION);
      } else if (referee.awaitEnd(member)) {
        Membership.State state = referee.ask(member);
        if (state != Membership.State.LOST) {
          referee.found(member + " is " + state + ", and its session has ended");
        }
      }
    } finally {
      link.mend();
    }
  }

  private void end(SplittableRandom own) {
    List<Integer> slots = Referee.slots(Referee.JOB);
    slots.forEach(each -> referee.departures().disturb(referee.member(each)));
    // As a rule it is refused now.
    referee.end();
    int stopped = slots.get(own.nextInt(slots.size()));
    WatchedMember old = referee.member(stopped);
    old.process().stop();
    for (int slot : slots) {
      if (slot != stopped && own.nextBoolean()) {
        referee.kill(referee.member(slot));
      } else if (slot != stopped) {
        referee.member(slot).expectEnd();
        referee.member(slot).tell("end");
      }
    }
    for (int attempt = 0; !referee.end() && referee.findings().isEmpty(); attempt++) {
      pause(own, 100, 300);
      if (attempt == MOST_ATTEMPTS) {
        referee.found("The job cannot be ended, whose members are gone");
      }
    }
    for (int slot : slots) {
      addresses.release(referee.member(slot).setting.address());
      if (slot != stopped) {
        referee.kill(referee.member(slot));
      }
    }
    boolean isFoundedBefore = own.nextBoolean();
    if (isFoundedBefore) {
      start(slots);
    }
    pause(own, 0, 500);
    old.process().resume();
    if (!referee.await(old::isReplaced)) {
      referee.found(old + " is not replaced, and its job was ended");
    }
    referee.kill(old);
    if (!isFoundedBefore) {
      start(slots);
    }
  }

  private void start(List<Integer> slots) {
    slots.forEach(each -> referee.start(each, addresses.fresh()));
  }

  private void expire() {
    List<Integer> slots = Referee.slots(Referee.EXPIRING);
    for (int slot : slots) {
      WatchedMember member = referee.member(slot);
      referee.departures().disturb(member);
      referee.kill(member);
    }
    if (!referee.awaitExpiry()) {
      referee.found("The job that expires is still there, and its members are dead");
    }
    slots.forEach(each -> referee.start(each, referee.member(each).setting.address()));
  }

  private void servers(SplittableRandom own, int count) {
    referee.disturbAll();
    List<Integer> killed = new ArrayList<>();
    while (killed.size() < count) {
      int server = own.nextInt(referee.quorum.size());
      if (!killed.contains(server)) {
        referee.quorum.kill(server);
        killed.add(server);
      }
    }
    pause(own, 0, 2 * SESSION);
    killed.forEach(referee.quorum::start);
    killed.forEach(referee.quorum::awaitServing);
  }
}
