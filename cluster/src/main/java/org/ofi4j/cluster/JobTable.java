// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.Collection;
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
import org.ofi4j.cluster.GroupWatch.MemberTable;

/**
 * The members of a job in a vector, by rank: nothing until all are there, then all at once. From
 * then on the handle of a rank is in use as long as a member has the rank. The entry of a member
 * that has left is removed, so that its address means no rank any more, and a later member of the
 * rank is inserted under the same handle.
 *
 * <p>No two ranks have one address: of two members that claim it the later one has it.
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
    entries.keepOnly(told.stream().filter(each -> each.isPresent).toList());
    Map<Long, Seat> byRank = new TreeMap<>();
    for (Seat each : told) {
      byRank.put(each.handle, each);
    }
    for (Seat each : byRank.values()) {
      // There is none if its process died between removing the entry and inserting the next one.
      each.address = each.isPresent ? entries.address(each) : null;
      if (each.address != null) {
        addresses.put(each.address, each);
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
          look(seats.get(rank), roster.find(name), roster);
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
      addresses.put(seat.member.address(), seat);
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
      leave(seat, seat.member);
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
    if (holder != null && holder != seat) {
      vacate(holder);
    }
    Member former = seat.member;
    if (isOther(former, member)) {
      // The entry of another incarnation is another entry, also at the same address.
      vacate(seat);
    }
    place(seat, member);
    if (seat.address == null) {
      leave(seat, former);
    } else if (!seat.isPresent) {
      seat.isPresent = true;
      announcements.add(new MemberEvent.Joined(member, seat.handle));
    } else if (isOther(former, member)) {
      announcements.add(new MemberEvent.Moved(member, seat.handle, former));
    }
    seat.member = member;
    if (rival != null && holder != null) {
      lose(holder, rival, member);
    }
  }

  private static boolean isOther(Member former, Member now) {
    return former.incarnation() != now.incarnation() || !former.address().equals(now.address());
  }

  private void lose(Seat seat, Member member, Member winner) {
    Member former = seat.member;
    leave(seat, former);
    if (waiting.add(member.name()) || isOther(former, member)) {
      announcements.refused(
          member, Errno.EALREADY, "its address is that of " + winner.words() + ", which is later");
    }
    seat.member = member;
  }

  private void leave(Seat seat, Member former) {
    vacate(seat);
    if (seat.isPresent) {
      seat.leave();
      announcements.add(new MemberEvent.Left(former, seat.handle));
    }
  }

  /** Removes the entry of a seat, if it has one. */
  private void vacate(Seat seat) {
    FabricAddress address = seat.address;
    if (address != null) {
      entries.remove(List.of(seat.handle));
      addresses.remove(address, seat);
      seat.address = null;
    }
  }

  /** Sees to it that the entry of a seat has the address of a member, unless it is refused. */
  private void place(Seat seat, Member member) {
    if (member.address().equals(seat.address)) {
      return;
    }
    vacate(seat);
    VectorEntries.Outcome outcome = entries.insertAt(seat, member);
    if (outcome.isIn()) {
      addresses.put(member.address(), seat);
    } else {
      announcements.refused(member, outcome.errno(), outcome.reason());
    }
  }
}
