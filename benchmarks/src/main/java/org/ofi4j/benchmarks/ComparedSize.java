package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.ofi4j.MemoryUse;

/** Everything that is done with one number of peers that both sides can take. */
final class ComparedSize {
  /** libfabric's random removal takes time with the square of the number. */
  private static final int MOST_RANDOM_REMOVALS = 20_000;

  /** Fewer addresses say nothing about their order. */
  private static final int LEAST_REGULAR = 10_000;

  /** With what else a run does it ends within 45 s. */
  private static final double SECONDS = 31;

  private static final int SERVICES = 50;

  private final Rounds rounds;
  private final BenchmarkOptions options;
  private final int peers;
  private final boolean isLong;
  private Pace pace = new Pace(0, 0);

  /**
   * A size.
   *
   * @param rounds runs the work
   * @param options how often
   * @param peers how many addresses
   * @param isLong whether the longest work is done with it
   */
  ComparedSize(Rounds rounds, BenchmarkOptions options, int peers, boolean isLong) {
    this.rounds = rounds;
    this.options = options;
    this.peers = peers;
    this.isLong = isLong;
  }

  /** First what bars rest on, then the rest, which takes what is left of the time. */
  List<Stage> stages() {
    List<Stage> stages = new ArrayList<>();
    add(stages, "scattered", this::scattered);
    add(stages, "consecutive", this::consecutive);
    add(stages, "symmetric", this::symmetric);
    add(stages, "churn", this::churn);
    int required = stages.size();
    add(stages, "one by one", this::singly);
    if (peers > MOST_RANDOM_REMOVALS) {
      add(stages, "random removal", this::randomRemoval);
    }
    for (AddressPattern pattern : AddressPattern.values()) {
      if (peers >= LEAST_REGULAR
          && pattern != AddressPattern.SCATTERED
          && pattern != AddressPattern.CONSECUTIVE) {
        add(stages, pattern.title(), () -> regular(pattern));
      }
    }
    add(stages, "scattered, IPv6", () -> ipv6(AddressPattern.SCATTERED));
    add(stages, "consecutive, IPv6", () -> ipv6(AddressPattern.CONSECUTIVE));
    pace = new Pace(SECONDS, stages.size() - required);
    return stages;
  }

  private void add(List<Stage> stages, String what, Stage.Work work) {
    stages.add(new Stage(String.format(Locale.ROOT, "%,d peers: %s", peers, what), work));
  }

  private void scattered() {
    pace.begin();
    AddressPattern pattern = AddressPattern.SCATTERED;
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, pattern, Family.IPV4, peers);
      rounds.run(
          workload,
          Effort.compared(options),
          (subject, recorder) -> {
            recorder.nanos(Quantity.insert(pattern, Family.IPV4, true), subject.insert(true));
            long lookup = subject.lookup();
            recorder.nanos(Quantity.LOOKUP, lookup);
            if (subject instanceof Ofi4jSubject ofi4j) {
              long find = ofi4j.find();
              recorder.nanos(Quantity.FIND, find);
              recorder.figure(Quantity.FIND_IN_LOOKUPS, (double) find / lookup);
            }
            recorder.nanos(Quantity.REMOVE_IN_ORDER, subject.removeInOrder());
            if (subject.side() == Side.TCP) {
              return;
            }
            recorder.nanos(Quantity.insert(pattern, Family.IPV4, false), subject.insert(false));
            memory(subject, recorder, pattern, Family.IPV4);
            if (subject.side() == Side.OFI4J || peers <= MOST_RANDOM_REMOVALS) {
              recorder.nanos(Quantity.REMOVE_RANDOMLY, subject.removeRandomly());
            }
          });
    }
  }

  private void consecutive() {
    AddressPattern pattern = AddressPattern.CONSECUTIVE;
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, pattern, Family.IPV4, peers);
      rounds.run(
          workload,
          Effort.comparedWithUdp(options),
          (subject, recorder) -> {
            recorder.nanos(Quantity.insert(pattern, Family.IPV4, false), subject.insert(false));
            if (subject instanceof Ofi4jSubject ofi4j) {
              memory(subject, recorder, pattern, Family.IPV4);
              recorder.nanos(Quantity.LOOKUP_CONSECUTIVE, subject.lookup());
              recorder.nanos(Quantity.FIND_CONSECUTIVE, ofi4j.find());
              recorder.nanos(Quantity.insert(pattern, Family.IPV4, true), subject.insert(true));
            }
          });
    }
  }

  private void regular(AddressPattern pattern) {
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, pattern, Family.IPV4, peers);
      rounds.run(
          workload,
          Effort.alone(options, pace),
          (subject, recorder) -> {
            recorder.nanos(Quantity.insert(pattern, Family.IPV4, false), subject.insert(false));
            memory(subject, recorder, pattern, Family.IPV4);
          });
    }
  }

  private void ipv6(AddressPattern pattern) {
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, pattern, Family.IPV6, peers);
      rounds.run(
          workload,
          Effort.shown(options, pace),
          (subject, recorder) -> {
            recorder.nanos(Quantity.insert(pattern, Family.IPV6, true), subject.insert(true));
            if (pattern == AddressPattern.SCATTERED) {
              recorder.nanos(Quantity.LOOKUP.of(Family.IPV6), subject.lookup());
            }
            if (subject instanceof Ofi4jSubject ofi4j) {
              if (pattern == AddressPattern.SCATTERED) {
                recorder.nanos(Quantity.FIND.of(Family.IPV6), ofi4j.find());
                recorder.nanos(Quantity.REMOVE_IN_ORDER.of(Family.IPV6), subject.removeInOrder());
              }
              recorder.nanos(Quantity.insert(pattern, Family.IPV6, false), subject.insert(false));
              memory(subject, recorder, pattern, Family.IPV6);
            }
          });
    }
  }

  private void singly() {
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
      rounds.run(
          workload,
          Effort.shown(options, pace),
          (subject, recorder) -> {
            recorder.nanos(Quantity.insertSingly(false), subject.insertSingly(false));
            if (subject.side() == Side.OFI4J) {
              recorder.nanos(Quantity.insertSingly(true), subject.insertSingly(true));
            }
          });
    }
  }

  private void churn() {
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.withOthers(arena, AddressPattern.SCATTERED, Family.IPV4, peers);
      new Churn(rounds, options, isLong).run(workload, Effort.required(options));
    }
  }

  /** On both sides with the number that libfabric can take. */
  private void randomRemoval() {
    try (Arena arena = Arena.ofShared()) {
      Workload workload =
          Workload.of(arena, AddressPattern.SCATTERED, Family.IPV4, MOST_RANDOM_REMOVALS);
      rounds.run(
          workload,
          Effort.shown(options, pace),
          (subject, recorder) -> {
            subject.insert(true);
            recorder.nanos(Quantity.REMOVE_RANDOMLY, subject.removeRandomly());
          });
    }
  }

  private void symmetric() {
    int services = Math.min(SERVICES, peers);
    int nodes = peers / services;
    try (Arena arena = Arena.ofShared()) {
      Workload workload = Workload.of(arena, AddressPattern.CONSECUTIVE, Family.IPV4, peers);
      rounds.run(
          workload,
          Effort.required(options),
          (subject, recorder) ->
              recorder.nanos(
                  Quantity.SYMMETRIC_ARRAY,
                  subject.insertSymmetric("10.0.0.0", nodes, 5000, services),
                  (long) nodes * services));
    }
  }

  private static void memory(
      Subject subject, Recorder recorder, AddressPattern pattern, Family family) {
    if (subject instanceof Ofi4jSubject ofi4j) {
      MemoryUse memory = ofi4j.memory();
      long entries = ofi4j.size();
      recorder.figure(Quantity.live(pattern, family), memory.livePerPeer(entries));
      recorder.figure(Quantity.held(pattern, family), memory.heldPerPeer(entries));
    }
  }
}
