// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;

/**
 * The members of a job in a vector, by rank: nothing until all are there, then all at once, and
 * from then on each rank has its entry, whatever becomes of the member.
 *
 * <p>No two ranks have one address. Who brings the address of another rank's entry, whose member is
 * dead, gives it its own former address: then a handle means its own rank or nobody.
 */
final class JobTable implements MemberTable {
  private static final int NAMED_RANKS = 16;

  private final VectorEntries entries;
  private final int size;
  private final Announcements announcements;

  /** By rank; empty until all are there. */
  private final List<Seat> seats = new ArrayList<>();

  private final Map<FabricAddress, Seat> addresses = new HashMap<>();

  /** Who has lost its address to a later member: it gets it when that one leaves. */
  private final Set<String> waiting = new HashSet<>();

  private @Nullable FabricException failure;

  JobTable(VectorEntries entries, int size, Announcements announcements) {
    this.entries = entries;
    this.size = size;
    this.announcements = announcements;
  }

  /** The name that a member has for its rank. */
  static String name(int rank) {
    return Integer.toString(rank);
  }

  /** Whether all are in the vector, or never will be. */
  boolean isDecided() {
    return !seats.isEmpty() || failure != null;
  }

  /** Why the members cannot be in the vector; null if they are, or may still come to be. */
  @Nullable FabricException failure() {
    return failure;
  }

  /** Waits no longer; answers who is missing, or nothing if all are in the vector. */
  String giveUp(Roster roster) {
    if (isDecided()) {
      return "";
    }
    String missing = missing(size, roster, "none, but two of them have one address");
    failure = new FabricException(Errno.ETIMEDOUT, missing);
    return missing;
  }

  /** Which ranks of a job are missing; if it is none, what is to be said of that. */
  static String missing(int size, Roster roster, String none) {
    List<Integer> ranks =
        IntStream.range(0, size).filter(rank -> roster.find(name(rank)) == null).boxed().toList();
    String named =
        ranks.stream()
            .limit(NAMED_RANKS)
            .map(rank -> Integer.toString(rank))
            .collect(Collectors.joining(", "));
    if (ranks.isEmpty()) {
      return none;
    }
    int more = ranks.size() - NAMED_RANKS;
    return named + (more > 0 ? " and " + more + " more" : "");
  }

  /** Goes on from what another process of the node has told of the vector. */
  void resume(Collection<Seat> told) {
    entries.keepOnly(told);
    Map<Long, Seat> byRank = new TreeMap<>();
    Deque<FabricAddress> free = new ArrayDeque<>();
    for (Seat each : told) {
      byRank.put(each.handle, each);
      if (!entries.has(each.member.address())) {
        free.add(each.member.address());
      }
    }
    for (Seat each : byRank.values()) {
      FabricAddress address = entries.address(each);
      if (address == null && !free.isEmpty()) {
        // Its process died between taking the entry out and putting it in again.
        address = free.remove();
        entries.insert(List.of(each.member.at(address)));
      }
      if (address != null) {
        each.address = address;
        addresses.put(address, each);
      }
      seats.add(each);
    }
  }

  @Override
  public void apply(Set<String> names, Roster roster) {
    if (failure != null) {
      return;
    }
    if (seats.isEmpty()) {
      fill(roster);
    } else {
      Set<String> all = new HashSet<>(names);
      all.addAll(waiting);
      for (String name : all) {
        int rank = rank(name);
        if (rank >= 0) {
          Seat seat = seats.get(rank);
          look(seat, roster.find(name), roster);
          place(seat);
        }
      }
    }
    announcements.tell();
  }

  /** The rank that a name says; -1 if it is none of this job. */
  private int rank(String name) {
    try {
      int rank = Integer.parseInt(name);
      return rank < size && name.equals(name(rank)) ? rank : -1;
    } catch (NumberFormatException other) {
      return -1;
    }
  }

  /** Puts all members in, once all are there, each with an address of its own. */
  private void fill(Roster roster) {
    List<Member> members = new ArrayList<>(size);
    Set<FabricAddress> distinct = new HashSet<>();
    for (int rank = 0; rank < size; rank++) {
      Member member = roster.find(name(rank));
      if (member == null || !distinct.add(member.address())) {
        return;
      }
      members.add(member);
    }
    List<VectorEntries.Outcome> outcomes = entries.insert(members);
    for (int rank = 0; rank < size; rank++) {
      VectorEntries.Outcome outcome = outcomes.get(rank);
      if (outcome.handle() != rank) {
        fail(members.get(rank), outcome, outcomes);
        return;
      }
    }
    for (int rank = 0; rank < size; rank++) {
      Seat seat = new Seat(members.get(rank), rank);
      seats.add(seat);
      addresses.put(seat.address, seat);
      announcements.add(new MemberEvent.Joined(seat.member, seat.handle));
    }
  }

  private void fail(
      Member member, VectorEntries.Outcome outcome, List<VectorEntries.Outcome> outcomes) {
    entries.remove(
        outcomes.stream()
            .filter(VectorEntries.Outcome::isIn)
            .map(VectorEntries.Outcome::handle)
            .toList());
    failure =
        outcome.isIn()
            ? new FabricException(
                Errno.EINVAL,
                "vector: "
                    + member.words()
                    + " got handle "
                    + outcome.handle()
                    + "; give a TABLE vector that nobody else inserts into")
            : new FabricException(
                outcome.errno(),
                "the vector refuses the address of " + member.words() + ": " + outcome.reason());
    announcements.refused(member, failure.errno(), String.valueOf(failure.getMessage()));
  }

  private void look(Seat seat, @Nullable Member member, Roster roster) {
    if (member == null) {
      waiting.remove(seat.member.name());
      leave(seat);
      return;
    }
    Seat holder = addresses.get(member.address());
    Member rival = holder == null || holder == seat ? null : roster.find(holder.member.name());
    if (rival != null && !rival.address().equals(member.address())) {
      rival = null; // It goes elsewhere.
    }
    if (rival != null && rival.incarnation() > member.incarnation()) {
      lose(seat, member, rival);
      return;
    }
    waiting.remove(member.name());
    VectorEntries.Outcome outcome =
        holder == null || holder == seat ? move(seat, member) : exchange(seat, member, holder);
    if (!outcome.isIn()) {
      leave(seat);
      announcements.refused(member, outcome.errno(), outcome.reason());
    } else if (!seat.isPresent) {
      seat.isPresent = true;
      announcements.add(new MemberEvent.Joined(member, seat.handle));
    } else if (isOther(seat.member, member)) {
      announcements.add(new MemberEvent.Moved(member, seat.handle, seat.member));
    }
    seat.member = member;
    if (rival != null && holder != null && outcome.isIn()) {
      lose(holder, rival, member);
    }
    if (holder != null) {
      place(holder);
    }
  }

  private static boolean isOther(Member former, Member now) {
    return former.incarnation() != now.incarnation() || !former.address().equals(now.address());
  }

  private void lose(Seat seat, Member member, Member winner) {
    leave(seat);
    if (waiting.add(member.name()) || isOther(seat.member, member)) {
      announcements.refused(
          member, Errno.EALREADY, "its address is that of " + winner.words() + ", which is later");
    }
    seat.member = member;
  }

  private void leave(Seat seat) {
    if (seat.isPresent) {
      seat.leave();
      announcements.add(new MemberEvent.Left(seat.member, seat.handle));
    }
  }

  private void place(Seat seat) {
    if (!seat.isPresent) {
      announcements.placed(seat.member.at(seat.address), seat.handle);
    }
  }

  private VectorEntries.Outcome move(Seat seat, Member member) {
    FabricAddress before = seat.address;
    VectorEntries.Outcome outcome = entries.replace(seat, member);
    if (outcome.isIn()) {
      addresses.remove(before, seat);
      addresses.put(seat.address, seat);
    }
    return outcome;
  }

  /** Two entries exchange addresses: one is taken out, and its index is the lowest that is free. */
  private VectorEntries.Outcome exchange(Seat seat, Member member, Seat holder) {
    FabricAddress before = seat.address;
    entries.remove(List.of(holder.handle));
    addresses.remove(holder.address);
    VectorEntries.Outcome outcome = move(seat, member);
    FabricAddress left = outcome.isIn() ? before : holder.address;
    VectorEntries.Outcome back = entries.insert(List.of(holder.member.at(left))).getFirst();
    if (back.handle() == holder.handle) {
      holder.address = left;
      addresses.put(left, holder);
    } else if (back.isIn()) {
      entries.remove(List.of(back.handle()));
    }
    return outcome;
  }
}
