// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.cluster.GroupWatch.MemberTable;

/**
 * The members of a service in a vector. Who comes gets an entry; who moves keeps it; who leaves has
 * it until the grace period is over, or somebody else brings the address.
 *
 * <p>No two members have one address: of those that claim it the latest has it, and the others
 * <em>wait</em> until it is free. So no handle ever means two members.
 */
final class ServiceTable implements MemberTable {
  /** Does something later, in the thread that changes the vector. */
  @FunctionalInterface
  interface Timer {
    void after(Duration delay, Runnable task);
  }

  /** How long until a vector that was busy is asked again. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final VectorEntries entries;
  private final Timer timer;
  private final Duration grace;
  private final Announcements announcements;

  /** Has the loop do something once the roster is known to be what ZooKeeper has. */
  private final Consumer<Runnable> confirmed;

  /** By name, with those in their grace period. Other threads read it. */
  private final Map<String, Seat> seats = new ConcurrentHashMap<>();

  private final Map<FabricAddress, Seat> addresses = new HashMap<>();
  private final Set<Long> handles = new HashSet<>();

  /** Who waits for an address or for the vector: what was said of it. */
  private final Map<String, Member> waiting = new HashMap<>();

  private boolean willTryAgain;

  ServiceTable(
      VectorEntries entries,
      Timer timer,
      Duration grace,
      Announcements announcements,
      Consumer<Runnable> confirmed) {
    this.entries = entries;
    this.timer = timer;
    this.grace = grace;
    this.announcements = announcements;
    this.confirmed = confirmed;
  }

  /** Who has left, and which of its absences it is. */
  private record Absence(Seat seat, int number) {}

  /** The seat of a name; for any thread. */
  @Nullable Seat seat(String name) {
    return seats.get(name);
  }

  /** How many seats there are; for any thread. */
  int size() {
    return seats.size();
  }

  /** Goes on from what another process of the node has told of the vector. */
  void resume(Collection<Seat> told) {
    entries.keepOnly(told);
    for (Seat each : told) {
      FabricAddress address = entries.address(each);
      if (address == null) {
        announcements.add(new MemberEvent.Left(each.member, each.handle));
      } else {
        each.address = address;
        seats.put(each.member.name(), each);
        addresses.put(address, each);
        handles.add(each.handle);
      }
    }
  }

  @Override
  public void apply(Set<String> names, Roster roster) {
    Set<String> all = new HashSet<>(names);
    all.addAll(waiting.keySet());
    Change change = new Change();
    for (String name : all) {
      change.look(name, roster.find(name));
    }
    change.settleAddresses();
    change.make();
    if (change.isBusy && !willTryAgain) {
      willTryAgain = true;
      timer.after(
          AGAIN,
          () -> {
            willTryAgain = false;
            apply(Set.of(), roster);
          });
    }
    announcements.tell();
  }

  /** Takes away who is still absent; who is back, and not heard of yet, is asked for before. */
  private void endGrace(List<Absence> absences) {
    List<Long> gone = new ArrayList<>();
    for (Absence each : absences) {
      Seat seat = each.seat;
      if (!seat.isPresent && seat.absence == each.number && seats.get(seat.member.name()) == seat) {
        gone.add(release(seat));
      }
    }
    entries.remove(gone);
    announcements.tell();
  }

  /** Takes a seat away; answers its handle, which is to be removed. */
  private long release(Seat seat) {
    seats.remove(seat.member.name());
    addresses.remove(seat.address);
    handles.remove(seat.handle);
    announcements.add(new MemberEvent.Left(seat.member, seat.handle));
    return seat.handle;
  }

  /** What happens to the vector at once: removals, then moves, then insertions. */
  private final class Change {
    private final List<Long> gone = new ArrayList<>();

    /** Whose grace period begins. */
    private final List<Absence> absences = new ArrayList<>();

    /** Who needs an address, by name. */
    private final Map<String, Member> wants = new HashMap<>();

    /** Who gets one. */
    private final Map<FabricAddress, Member> winners = new HashMap<>();

    boolean isBusy;

    void look(String name, @Nullable Member member) {
      Seat seat = seats.get(name);
      if (member == null) {
        waiting.remove(name);
        if (seat != null && seat.isPresent) {
          depart(seat);
        }
      } else if (seat != null && member.address().equals(seat.address)) {
        stay(seat, member);
      } else {
        wants.put(name, member);
      }
    }

    private void depart(Seat seat) {
      seat.leave();
      if (grace.isZero()) {
        gone.add(release(seat));
      } else {
        absences.add(new Absence(seat, seat.absence));
      }
    }

    private void stay(Seat seat, Member member) {
      Member former = seat.member;
      seat.isPresent = true;
      if (former.incarnation() != member.incarnation()) {
        entries.replace(seat, member);
        announcements.add(new MemberEvent.Moved(member, seat.handle, former));
      }
      seat.member = member;
    }

    /** Decides who gets which address, the latest first. */
    void settleAddresses() {
      List<Member> latestFirst = new ArrayList<>(wants.values());
      latestFirst.sort(Comparator.comparingLong(Member::incarnation).reversed());
      for (Member member : latestFirst) {
        Member winner = winners.get(member.address());
        Seat holder = addresses.get(member.address());
        if (winner != null) {
          refuse(member, winner);
        } else if (holder == null || wants.containsKey(holder.member.name())) {
          winners.put(member.address(), member);
        } else if (!holder.isPresent) {
          gone.add(release(holder));
          winners.put(member.address(), member);
        } else if (holder.member.incarnation() < member.incarnation()) {
          refuse(holder.member, member);
          winners.put(member.address(), member);
        } else {
          refuse(member, holder.member);
        }
      }
    }

    /** Who loses an address has no entry: its former address is not its own any more. */
    private void refuse(Member loser, Member winner) {
      Seat seat = seats.get(loser.name());
      if (seat != null) {
        gone.add(release(seat));
      }
      if (!loser.equals(waiting.put(loser.name(), loser))) {
        announcements.refused(
            loser, Errno.EALREADY, "its address is that of " + winner.words() + ", which is later");
      }
    }

    void make() {
      entries.remove(gone);
      if (!absences.isEmpty()) {
        timer.after(grace, () -> confirmed.accept(() -> endGrace(absences)));
      }
      List<Member> joining = new ArrayList<>();
      List<Member> moving = new ArrayList<>();
      for (Member each : winners.values()) {
        (seats.containsKey(each.name()) ? moving : joining).add(each);
      }
      while (!moving.isEmpty()) {
        if (!moveSome(moving)) {
          // They want each other's addresses: one of them has to come in anew.
          Member first = moving.removeFirst();
          entries.remove(List.of(release(taken(first))));
          joining.add(first);
        }
      }
      join(joining);
    }

    private Seat taken(Member member) {
      return Objects.requireNonNull(seats.get(member.name()));
    }

    /** Moves those whose address is free; answers whether there was one. */
    private boolean moveSome(List<Member> moving) {
      boolean some = false;
      for (Iterator<Member> each = moving.iterator(); each.hasNext(); ) {
        Member member = each.next();
        if (!addresses.containsKey(member.address())) {
          move(taken(member), member);
          each.remove();
          some = true;
        }
      }
      return some;
    }

    private void move(Seat seat, Member member) {
      FabricAddress before = seat.address;
      VectorEntries.Outcome outcome = entries.replace(seat, member);
      if (outcome.isIn()) {
        addresses.remove(before);
        addresses.put(member.address(), seat);
        waiting.remove(member.name());
        announcements.add(new MemberEvent.Moved(member, seat.handle, seat.member));
        seat.member = member;
        seat.isPresent = true;
      } else {
        entries.remove(List.of(release(seat)));
        refused(member, outcome);
      }
    }

    private void join(List<Member> joining) {
      List<VectorEntries.Outcome> outcomes = entries.insert(joining);
      for (int i = 0; i < joining.size(); i++) {
        Member member = joining.get(i);
        VectorEntries.Outcome outcome = outcomes.get(i);
        if (!outcome.isIn()) {
          refused(member, outcome);
        } else if (handles.contains(outcome.handle())) {
          // Two addresses that are one in the vector, where entries are counted.
          entries.remove(List.of(outcome.handle()));
          waiting.remove(member.name());
          announcements.refused(
              member, Errno.EALREADY, "its address means the same as that of another member");
        } else {
          waiting.remove(member.name());
          Seat seat = new Seat(member, outcome.handle());
          seats.put(member.name(), seat);
          addresses.put(member.address(), seat);
          handles.add(seat.handle);
          announcements.add(new MemberEvent.Joined(member, seat.handle));
        }
      }
    }

    private void refused(Member member, VectorEntries.Outcome outcome) {
      Member said = waiting.remove(member.name());
      if (outcome.errno() == Errno.EAGAIN) {
        isBusy = true;
        waiting.put(member.name(), member);
      }
      if (!member.equals(said)) {
        announcements.refused(member, outcome.errno(), outcome.reason());
      }
    }
  }
}
