// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The members in a vector as what is told of them says. One thread changes it, others read. */
final class TableView {
  /** Whether who has left keeps the handle, as in a job. */
  private final boolean isJob;

  private final Map<String, Seat> seats = new ConcurrentHashMap<>();

  TableView(boolean isJob) {
    this.isJob = isJob;
  }

  /** The seat of a name. */
  @Nullable Seat seat(String name) {
    return seats.get(name);
  }

  int size() {
    return seats.size();
  }

  /** How many members are there; those that have left and keep their handles are not. */
  int present() {
    return (int) seats.values().stream().filter(each -> each.isPresent).count();
  }

  /** All seats, by handle. */
  List<Seat> seats() {
    List<Seat> all = new ArrayList<>(seats.values());
    all.sort(Comparator.comparingLong(each -> each.handle));
    return all;
  }

  void note(List<MemberEvent> events) {
    events.forEach(this::note);
  }

  /** From now on the view is as an event says. */
  void note(MemberEvent event) {
    Member member = event.member();
    Seat seat = seats.get(member.name());
    switch (event) {
      case MemberEvent.Joined(var _, long handle) -> {
        if (seat == null || seat.handle != handle) {
          seats.put(member.name(), new Seat(member, handle));
        } else {
          seat.member = member;
          seat.isPresent = true;
        }
      }
      case MemberEvent.Left _ -> {
        if (!isJob) {
          seats.remove(member.name());
        } else if (seat != null) {
          seat.member = member;
          seat.leave();
        }
      }
      case MemberEvent.Moved _ -> {
        if (seat != null) {
          seat.member = member;
        }
      }
      case MemberEvent.Refused _, MemberEvent.StateChanged _ -> {}
    }
  }

  /** One like this, with seats of its own. */
  TableView copy() {
    TableView copy = new TableView(isJob);
    copy.note(events());
    return copy;
  }

  /** What has to be told of a view that is empty, until it is like this one. */
  List<MemberEvent> events() {
    return new TableView(isJob).until(this);
  }

  /** What has to be told until this view is like another one: who has left first. */
  List<MemberEvent> until(TableView other) {
    List<MemberEvent> events = new ArrayList<>();
    for (Seat each : seats()) {
      Seat later = other.seat(each.member.name());
      boolean isThere = later != null && later.handle == each.handle && later.isPresent;
      if (each.isPresent && !isThere) {
        events.add(new MemberEvent.Left(each.member, each.handle));
      }
    }
    for (Seat each : other.seats()) {
      Seat former = seat(each.member.name());
      boolean wasThere = former != null && former.handle == each.handle;
      boolean isBack = former != null && each.isPresent && !former.isPresent;
      // One that came and left between the two views.
      boolean wasMissed = former != null && !each.isPresent && !each.member.equals(former.member);
      if (former == null || !wasThere || isBack || wasMissed) {
        events.add(new MemberEvent.Joined(each.member, each.handle));
        if (!each.isPresent) {
          events.add(new MemberEvent.Left(each.member, each.handle));
        }
      } else if (each.isPresent && !each.member.equals(former.member)) {
        events.add(new MemberEvent.Moved(each.member, each.handle, former.member));
      }
    }
    return events;
  }
}
