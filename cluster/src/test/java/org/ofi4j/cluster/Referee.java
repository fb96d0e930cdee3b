// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * Watches processes of a service and of two jobs over three servers, and holds what they say
 * against what may be. {@link Faults} do things to them; when all is restored, {@link #judge} waits
 * until the vector of each process is the truth, and has messages sent to handles.
 */
final class Referee implements WatchedMember.Listener, AutoCloseable {
  static final String SERVICE = "service";
  static final String JOB = "job3";
  static final String EXPIRING = "expiring2";

  /** How long the handle of a service's member stays at least. */
  static final Duration GRACE = Duration.ofSeconds(5);

  /** How long everything takes at most to be as it should. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final int MESSAGES = 3;
  private static final int JOURNAL = 20_000;
  private static final int MOST_FINDINGS = 40;

  /** Who takes part: several on one host, and alone. */
  private static final List<List<String>> CAST =
      List.of(
          List.of(SERVICE, "a", "one"),
          List.of(SERVICE, "b", "one"),
          List.of(SERVICE, "c", "one"),
          List.of(SERVICE, "d", "two"),
          List.of(SERVICE, "e", "three"),
          List.of(JOB, "0", "one"),
          List.of(JOB, "1", "one"),
          List.of(JOB, "2", "two"),
          List.of(EXPIRING, "0", "two"),
          List.of(EXPIRING, "1", "three"));

  final Quorum quorum = Quorum.ofThree();
  private final CuratorFramework client =
      CuratorFrameworkFactory.newClient(
          quorum.connectString(), 10_000, 2_000, new RetryNTimes(50, 100));
  private final Tree tree = new Tree(client);
  private final Cluster ender;
  private final Path directory;
  private final long begin = System.nanoTime();
  private final Map<Integer, WatchedMember> members = new ConcurrentHashMap<>();

  /** All processes that were ever started, with their links. */
  private final Map<WatchedMember, Link> links = new ConcurrentHashMap<>();

  /** The latest incarnation of each rank of each job whose join has succeeded. */
  private final Map<String, Long> ranks = new HashMap<>();

  private final Departures departures = new Departures(this::found);
  private final Deque<String> journal = new ArrayDeque<>();
  private final List<String> findings = new ArrayList<>();
  private final List<Doubt> doubts = new ArrayList<>();
  private int looks;
  private int messages;
  private int events;

  Referee(Addresses addresses) {
    try {
      directory = Files.createTempDirectory("referee");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    client.start();
    ender = Cluster.of(client, ClusterOptions.of("referee").withTimeout(PATIENCE));
    for (int i = 0; i < CAST.size(); i++) {
      start(i, addresses.fresh());
    }
  }

  /** What must not be unless the member of this incarnation has left or lost its session. */
  private record Doubt(long later, String finding) {}

  static int size() {
    return CAST.size();
  }

  /** Waits until the session of a member is over. */
  boolean awaitEnd(WatchedMember member) {
    return await(() -> tree.hasEnded(member));
  }

  /** Asks a member for its state; null if it does not answer. */
  Membership.@Nullable State ask(WatchedMember member) {
    member.answers.clear();
    member.tell("state");
    return await(() -> !member.answers.isEmpty()) ? member.answers.peek() : null;
  }

  /** The members of the cast that are in a group. */
  static List<Integer> slots(String group) {
    return IntStream.range(0, CAST.size())
        .filter(each -> CAST.get(each).getFirst().equals(group))
        .boxed()
        .toList();
  }

  /** Returns whether the end of the job succeeds; then no process takes itself for a member. */
  boolean end() {
    try {
      ender.end(JOB);
    } catch (FabricException failure) {
      note("end: " + failure.getMessage());
      return failure.errno() == Errno.ENOENT;
    }
    note("end: done");
    for (int slot : slots(JOB)) {
      member(slot).tell("state");
    }
    synchronized (this) {
      // None of them has joined a job that is there.
      slots(JOB)
          .forEach(each ->
              ranks.computeIfPresent(JOB + ":" + CAST.get(each).get(1), (_, latest) -> latest + 1));
    }
    return true;
  }

  /** Waits until ZooKeeper has removed the job that expires. */
  boolean awaitExpiry() {
    return await(() -> tree.isAbsent(EXPIRING));
  }

  /** Starts the processes again whose session has ended in the job that expires. */
  private boolean restartReplaced() {
    for (int slot : slots(EXPIRING)) {
      WatchedMember member = member(slot);
      if (member.isReplaced()) {
        kill(member);
        start(slot, member.setting.address());
      }
    }
    return slots(EXPIRING).stream().noneMatch(each -> member(each).hasOutlivedItsSession());
  }

  /** Ends a process as {@code kill -9} does, and its link. */
  void kill(WatchedMember member) {
    member.kill();
    link(member).close();
  }

  /** Starts a process of the cast at an address; a former one is dead. */
  void start(int slot, String address) {
    take(slot, startBeside(slot, CAST.get(slot).get(2), address));
  }

  /** Starts one more process as a member of the cast, which is not part of the cast. */
  WatchedMember startBeside(int slot, String host, String address) {
    List<String> one = CAST.get(slot);
    Link link = new Link(quorum.connectString());
    MemberProcess.Setting setting =
        new MemberProcess.Setting(
            link.connectString(), one.get(0), one.get(1), host, address, GRACE.toMillis());
    Redirect log = Redirect.appendTo(directory.resolve("errors").toFile());
    WatchedMember started = new WatchedMember(setting, log, this);
    links.put(started, link);
    return started;
  }

  /** From now on a process is part of the cast. */
  void take(int slot, WatchedMember member) {
    members.put(slot, member);
  }

  WatchedMember member(int slot) {
    return members.get(slot);
  }

  /** The link of a process to the servers. */
  Link link(WatchedMember member) {
    return links.get(member);
  }

  /** The processes that have not been killed. */
  private List<WatchedMember> living() {
    return links.keySet().stream().filter(each -> !each.isMeantToEnd()).toList();
  }

  /** No process joins as a rank while another one has it. */
  @Override
  public synchronized void joined(WatchedMember member, View.Told as) {
    if (!member.setting.isJob()) {
      return;
    }
    String rank = member.setting.group() + ":" + as.name();
    long latest = ranks.merge(rank, as.incarnation(), Math::max);
    if (latest != as.incarnation()) {
      found(member + " joined as " + as.incarnation() + " after " + latest + " had joined");
    }
    for (WatchedMember each : living()) {
      if (each != member
          && each.setting.group().equals(member.setting.group())
          && each.setting.name().equals(as.name())
          && each.published() != null) {
        each.tell("state");
      }
    }
  }

  /** A process that was asked after a later one had joined cannot have the rank. */
  @Override
  public synchronized void answered(
      WatchedMember member, long incarnation, Membership.State state) {
    String rank = member.setting.group() + ":" + member.setting.name();
    long latest = ranks.getOrDefault(rank, 0L);
    if (member.setting.isJob()
        && incarnation != 0
        && incarnation < latest
        && state == Membership.State.JOINED) {
      found(member + " is joined as " + incarnation + ", and " + latest + " has joined");
    }
  }

  Departures departures() {
    return departures;
  }

  /** The processes of a group that are not dead. */
  private List<WatchedMember> group(String group) {
    return members.values().stream().filter(each -> each.setting.group().equals(group)).toList();
  }

  @Override
  public void said(WatchedMember member, String line) {
    note(member + " " + line);
  }

  /** Writes something into the journal, and has those look again who wait for something. */
  synchronized void note(String line) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    journal.add("%d.%03d %s".formatted(millis / 1_000, millis % 1_000, line));
    if (journal.size() > JOURNAL) {
      journal.remove();
    }
    notifyAll();
  }

  @Override
  public synchronized void heard(WatchedMember member, String event) {
    events++;
    if (event.startsWith("- ")) {
      departures.heard(member, event.split(" "));
    }
  }

  @Override
  public synchronized void found(String finding) {
    if (findings.size() < MOST_FINDINGS) {
      findings.add(finding);
    }
    note("FOUND " + finding);
  }

  @Override
  public synchronized void foundUnlessAway(long later, String finding) {
    doubts.add(new Doubt(later, finding));
  }

  /**
   * An older process of a service's member, which is dead and whose session has not ended, is the
   * member again when the later one leaves, dies or loses its session; only then.
   */
  private synchronized void settleDoubts() {
    for (Doubt each : doubts) {
      if (members.values().stream().anyMatch(member -> member.hasStayed(each.later))) {
        found(each.finding);
      }
    }
    doubts.clear();
  }

  /** What was found, with where all of it can be read; nothing if all is well. */
  synchronized List<String> findings() {
    if (findings.isEmpty()) {
      return List.of();
    }
    Path file = directory.resolve("journal");
    try {
      Files.write(file, journal);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    List<String> all = new ArrayList<>(findings);
    all.add("All that was said is in " + file);
    return all;
  }

  /** Waits until something is so, which is asked whenever somebody has said something. */
  synchronized boolean await(BooleanSupplier condition) {
    return await(condition, System.nanoTime() + PATIENCE.toNanos());
  }

  private synchronized boolean await(BooleanSupplier condition, long deadline) {
    while (!condition.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || !findings.isEmpty()) {
        return false;
      }
      try {
        // A process that ended says nothing; nor does a view that has just changed.
        wait(Math.min(50, 1 + left / 1_000_000));
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }
    return true;
  }

  /** Whether all who look at a member's group and have begun to have no entry of it. */
  boolean isForgotten(WatchedMember gone) {
    return group(gone.setting.group()).stream()
        .noneMatch(each -> each != gone && each.view.has(gone.setting.name()));
  }

  /** Whether all others of a job say that a member is not there. */
  boolean isAbsent(WatchedMember gone) {
    return group(gone.setting.group()).stream()
        .noneMatch(each -> each != gone && each.view.present().containsKey(gone.setting.name()));
  }

  /** Something is done that everybody may feel. */
  void disturbAll() {
    members.values().forEach(departures::disturb);
  }

  /** Waits until all is as it should be: everybody's vector is the truth, and messages arrive. */
  void judge() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean isQuiet = false;
    Map<String, Long> before = Map.of();
    while (!isQuiet) {
      before = Departures.sessions(members.values());
      if (!await(() -> restartReplaced() && viewsAreTrue(), deadline)
          // Members may hear only now that their sessions have ended and the job has expired.
          || !await(() -> restartReplaced() && tree.hasAll(members.values()), deadline)
          || !look(deadline)) {
        if (findings().isEmpty()) {
          differences().forEach(this::found);
        }
        return;
      }
      isQuiet = viewsAreTrue() && vectorsAreAsHeard();
    }
    departures.settle(before, Departures.sessions(members.values()));
    settleDoubts();
    if (findings().isEmpty()) {
      send(deadline);
    }
  }

  private boolean look(long deadline) {
    looks++;
    members.values().forEach(each -> each.tell("look " + looks));
    return await(
        () -> members.values().stream().allMatch(each -> each.looked(looks) != null), deadline);
  }

  /** Who is there of a group, by name, as the members themselves say. */
  private Map<String, View.Told> truth(String group) {
    Map<String, View.Told> truth = new TreeMap<>();
    for (WatchedMember each : group(group)) {
      View.Told published = each.published();
      if (published != null) {
        truth.put(published.name(), published);
      }
    }
    return truth;
  }

  private boolean viewsAreTrue() {
    return members.values().stream()
        .allMatch(each ->
            each.published() != null && each.view.present().equals(truth(each.setting.group())));
  }

  private boolean vectorsAreAsHeard() {
    return members.values().stream()
        .allMatch(each -> each.view.vector().equals(each.looked(looks)));
  }

  private List<String> differences() {
    List<String> all = new ArrayList<>();
    for (WatchedMember each : members.values()) {
      if (each.setting.expires() && each.hasOutlivedItsSession()) {
        all.add(each + " is not replaced, and the session in which it joined has ended");
      }
      Map<String, View.Told> truth = truth(each.setting.group());
      if (each.published() == null) {
        all.add(each + " is not published");
      }
      if (!each.view.present().equals(truth)) {
        all.add(each + " has heard of " + each.view.present() + ", and there are " + truth);
      }
      Map<Long, String> looked = each.looked(looks);
      if (looked != null && !each.view.vector().equals(looked)) {
        all.add(each + " has heard of " + each.view.vector() + ", and its vector has " + looked);
      }
    }
    if (!tree.hasAll(members.values())) {
      all.add("Not all members are in ZooKeeper");
    }
    return all;
  }

  /** Has everybody send messages to handles at random, which arrive at the right ones. */
  private void send(long deadline) {
    members.values().forEach(each -> each.tell("send " + looks + " " + MESSAGES));
    int all = MESSAGES * size();
    boolean isDone =
        await(
            () ->
                sum(true).values().stream().mapToInt(each -> each).sum() == all
                    && sum(true).equals(sum(false)),
            deadline);
    if (!isDone) {
      found("sent were " + sum(true) + ", and got " + sum(false));
    }
    members
        .values()
        .forEach(each -> {
          each.sent.clear();
          each.got.clear();
        });
    messages += all;
  }

  private Map<String, Integer> sum(boolean isSent) {
    Map<String, Integer> sum = new HashMap<>();
    for (WatchedMember each : members.values()) {
      String group = each.setting.group();
      Collection<String> texts = isSent ? each.sent : each.got;
      texts.forEach(text -> sum.merge(group + " " + text, 1, Integer::sum));
    }
    return sum;
  }

  /** What there was to be seen. */
  synchronized String summary() {
    return events
        + " events, "
        + looks
        + " times all vectors, "
        + messages
        + " messages, "
        + departures.starved()
        + " sessions lost by themselves";
  }

  @Override
  public void close() {
    links.keySet().forEach(WatchedMember::kill);
    links.values().forEach(Link::close);
    client.close();
    quorum.close();
    if (findings().isEmpty()) {
      try {
        Files.deleteIfExists(directory.resolve("errors"));
        Files.deleteIfExists(directory);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }
}
