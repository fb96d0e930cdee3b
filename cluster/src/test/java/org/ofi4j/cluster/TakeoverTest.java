// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.cluster.GroupWatch.MemberTable;

/** A process that inserts dies between any two changes of the vector, and another one goes on. */
class TakeoverTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = 400;
  private static final Set<String> CHANGES = Set.of("insert", "insertAt", "remove", "replace");

  private final TestNetwork network = new TestNetwork();
  private final AddressVector vector = network.vector();
  private final Random random = new Random(SEED);
  private final Map<String, Member> there = new HashMap<>();
  private final Roster roster = new Roster();
  private final Logger log = Logger.getLogger(Announcements.class.getName());
  private final List<MemberEvent> events = new ArrayList<>();
  private final Loop loop = new Loop("test");

  /** How many more changes the process that inserts can make. */
  private int left = Integer.MAX_VALUE;

  private long incarnation = 100;

  @BeforeEach
  void hush() {
    log.setLevel(Level.OFF);
  }

  @AfterEach
  void close() {
    log.setLevel(null);
    loop.close();
    network.close();
  }

  private static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private VectorEntries entries() {
    AddressVector mortal =
        (AddressVector)
            Proxy.newProxyInstance(
                AddressVector.class.getClassLoader(),
                new Class<?>[] {AddressVector.class},
                (_, method, arguments) -> {
                  if (CHANGES.contains(method.getName()) && left-- == 0) {
                    throw new Killed();
                  }
                  try {
                    return method.invoke(vector, arguments);
                  } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                  }
                });
    return new VectorEntries(mortal);
  }

  private Set<String> change(int names, boolean areRanks) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      String name = Integer.toString(random.nextInt(names));
      if (random.nextInt(3) == 0) {
        there.remove(name);
      } else {
        OptionalInt rank = areRanks ? OptionalInt.of(Integer.parseInt(name)) : OptionalInt.empty();
        int port = 1 + random.nextInt(names + 3);
        Member member = TestNetwork.member("host", name, port, ++incarnation);
        there.put(
            name,
            new Member(
                name,
                rank,
                member.userId(),
                member.address(),
                Map.of(),
                member.incarnation(),
                "host"));
      }
    }
    return roster.update("host", List.copyOf(there.values()));
  }

  /** Begins with what was told; answers what is told of that. */
  private MemberTable resume(TableView told, boolean isJob, int size) {
    Announcements announcements = new Announcements(events::add);
    List<Seat> seats = told.copy().seats();
    MemberTable table;
    if (isJob) {
      JobTable job = new JobTable(entries(), size, announcements);
      job.resume(seats);
      table = job;
    } else {
      ServiceTable service =
          new ServiceTable(entries(), loop::after, Duration.ZERO, announcements, Runnable::run);
      service.resume(seats);
      table = service;
    }
    Set<String> names = new HashSet<>(roster.names());
    told.seats().forEach(each -> names.add(each.member.name()));
    table.apply(names, roster);
    return table;
  }

  private void run(boolean isJob, int size) {
    TableView told = new TableView(isJob);
    MemberTable table = resume(told, isJob, size);
    int deaths = 0;
    for (int step = 1; step <= STEPS; step++) {
      String when = "-Dofi4j.seed=" + SEED + ", step " + step;
      Set<String> names = change(size, isJob);
      left = random.nextInt(4) == 0 ? random.nextInt(4) : Integer.MAX_VALUE;
      try {
        table.apply(names, roster);
      } catch (Killed killed) {
        deaths++;
        while (true) {
          events.clear();
          left = random.nextInt(6);
          if (random.nextBoolean()) {
            change(size, isJob);
          }
          try {
            table = resume(told, isJob, size);
            break;
          } catch (Killed again) {
            deaths++;
          }
        }
      }
      left = Integer.MAX_VALUE;
      note(told, isJob, when);
      requireTruth(told, isJob, when);
      List<Seat> before = told.copy().seats();
      table = resume(told, isJob, size);
      assertThat(events.stream().filter(TakeoverTest::isNotRefused))
          .as("A takeover without a difference says nothing, " + when)
          .isEmpty();
      note(told, isJob, when);
      assertThat(told.seats().stream().map(each -> each.handle))
          .as(when)
          .isEqualTo(before.stream().map(each -> each.handle).toList());
    }
    assertThat(deaths).isGreaterThan(STEPS / 20);
  }

  private static boolean isNotRefused(MemberEvent event) {
    return !(event instanceof MemberEvent.Refused);
  }

  /** Whoever follows hears the same from changes as from a beginning. */
  private void note(TableView told, boolean isJob, String when) {
    Map<Long, String> handles = new HashMap<>();
    told.seats().forEach(each -> handles.put(each.handle, each.member.name()));
    for (MemberEvent each : events) {
      if (each instanceof MemberEvent.Left(Member member, long handle) && !isJob) {
        assertThat(handles.remove(handle)).as(when).isEqualTo(member.name());
      } else if (each instanceof MemberEvent.Joined(Member member, long handle)) {
        String other = handles.put(handle, member.name());
        assertThat(other == null || other.equals(member.name())).as(when).isTrue();
      }
    }
    TableView copy = told.copy();
    told.note(events);
    copy.note(copy.until(told));
    assertThat(text(copy)).as(when).isEqualTo(text(told));
    events.clear();
  }

  private static List<String> text(TableView view) {
    return view.seats().stream()
        .map(each -> each.member + " " + each.handle + " " + each.isPresent)
        .toList();
  }

  /** Each address that members claim is in the vector, with the one that was told to have it. */
  private void requireTruth(TableView told, boolean isJob, String when) {
    Set<Object> claimed = new HashSet<>();
    there.values().forEach(each -> claimed.add(each.address()));
    Set<Object> served = new HashSet<>();
    for (Seat each : told.seats()) {
      if (each.isPresent) {
        assertThat(each.member).as(when).isEqualTo(there.get(each.member.name()));
        assertThat(vector.lookup(each.handle)).as(when).isEqualTo(each.member.address());
        assertThat(served.add(each.member.address())).as(when).isTrue();
      }
      if (isJob) {
        assertThat(each.handle).as(when).isEqualTo(Integer.parseInt(each.member.name()));
      }
    }
    if (!isJob || told.size() > 0) {
      assertThat(served).as(when).isEqualTo(claimed);
    }
    assertThat(vector.size()).as(when).isEqualTo(told.present());
  }

  @Test
  @DisplayName("Members of a service keep their handles, and no handle means two of them")
  void service() {
    run(false, 7);
  }

  @Test
  @DisplayName("Handle i stays rank i of a job")
  void job() {
    for (int rank = 0; rank < 5; rank++) {
      there.put(
          Integer.toString(rank),
          TestNetwork.member("host", Integer.toString(rank), 1 + rank, 1 + rank));
    }
    roster.update("host", List.copyOf(there.values()));
    run(true, 5);
  }
}
