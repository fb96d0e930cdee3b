// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static java.util.stream.Collectors.toSet;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.VectorFlag;
import org.ofi4j.cluster.GroupWatch.MemberTable;

/**
 * This process's part in a vector that the processes of a node fill together. One of them inserts
 * ({@link TableWriter}); who, a {@link LeaderLatch} says. All, that one too, hear of members by the
 * {@link TableFile} alone, after the vector was changed.
 */
final class NodeTable implements VectorFeed {
  private static final Logger LOG = System.getLogger(NodeTable.class.getName());

  /** How often the file is looked at. */
  private static final Duration POLL = Duration.ofMillis(10);

  /** How long until what failed is tried again. */
  private static final Duration AGAIN = Duration.ofSeconds(1);

  private final Group group;
  private final GroupRecord found;
  private final NodeVector vector;
  private final Loop loop;
  private final TableFile file;
  private final TableView view;
  private final Filling filling;
  private final Announcements announcements;
  private final LeaderLatch latch;
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final Waiters waiters;

  private long generation;
  private @Nullable TableReader reader;
  private boolean isElected;
  private boolean hasFailed;
  private @Nullable TableWriter writer;

  /** How members become entries. */
  interface Filling {
    /**
     * What brings members into a vector.
     *
     * @param confirmed has something done once the members are known to be those of ZooKeeper
     * @param told what the vector has, as all have been told
     */
    MemberTable resume(
        VectorEntries entries,
        ServiceTable.Timer timer,
        Announcements announcements,
        Consumer<Runnable> confirmed,
        List<Seat> told);
  }

  private NodeTable(
      Group group,
      GroupRecord found,
      NodeVector vector,
      Loop loop,
      TableFile file,
      Filling filling,
      MemberListener listener) {
    this.group = group;
    this.found = found;
    this.vector = vector;
    this.loop = loop;
    waiters = new Waiters(loop);
    this.filling = filling;
    announcements = new Announcements(listener);
    view = emptyView();
    this.file = file;
    String path = group.paths().table(group.options().host(), vector.key());
    latch = new LeaderLatch(group.client(), path, Long.toString(ProcessHandle.current().pid()));
    latch.addListener(
        new LeaderLatchListener() {
          @Override
          public void isLeader() {
            elected(true);
          }

          @Override
          public void notLeader() {
            elected(false);
          }
        },
        loop::execute);
    try {
      latch.start();
    } catch (Exception failure) {
      file.close();
      throw Failures.of("take part in an election at " + path, failure);
    }
    loop.execute(this::poll);
  }

  /** Takes part in filling a vector, until it is closed. */
  static NodeTable open(
      Group group, NodeVector vector, GroupRecord found, Filling filling, MemberListener listener) {
    if ((vector.vector().options().flags() & VectorFlag.USER_ID.mask()) != 0) {
      throw NodeVector.noUserIds();
    }
    Text.required(listener, "listener");
    String identity = group.identity();
    Loop loop = group.newLoop("node");
    // The loop's thread is not interrupted, which would close the file.
    CompletableFuture<NodeTable> opening =
        loop.ask(() -> {
          TableFile file =
              TableFile.open(
                  vector.file(), identity, first -> requireOwnEntries(vector, first, found));
          return new NodeTable(group, found, vector, loop, file, filling, listener);
        });
    try {
      NodeTable table =
          group.await(
              opening,
              Deadline.in(group.options().timeout()),
              () -> "the file of members cannot be opened in time");
      group.opened(table);
      return table;
    } catch (RuntimeException failure) {
      // It may come later.
      var _ = opening.thenAccept(NodeTable::close);
      loop.close();
      throw failure;
    }
  }

  /** Refuses entries that nobody of the group has told of. */
  private static void requireOwnEntries(NodeVector vector, TableFile file, GroupRecord found) {
    Set<Long> told;
    try {
      told = told(file, found).seats().stream().map(each -> each.handle).collect(toSet());
    } catch (IOException failure) {
      throw new FabricException(
          Errno.EIO, "what was told of the members of the vector cannot be read", failure);
    }
    if (!vector.vector().handles().allMatch(told::contains)) {
      throw new FabricException(
          Errno.EBUSY,
          "vector "
              + vector.name()
              + " has entries that no process of the group has inserted; use another name");
    }
  }

  TableView emptyView() {
    return emptyView(found);
  }

  private static TableView emptyView(GroupRecord found) {
    return new TableView(found.kind() == GroupRecord.Kind.JOB);
  }

  /** What was told until now, to whomever. */
  TableView told() throws IOException {
    return told(file, found);
  }

  private static TableView told(TableFile file, GroupRecord found) throws IOException {
    TableView told = emptyView(found);
    TableFile.State state = file.state();
    try (TableReader all =
        state == null ? null : TableReader.open(file, state.generation(), found.format())) {
      List<MemberEvent> events = all == null ? null : all.next();
      while (all != null && events != null) {
        told.note(events);
        events = all.next();
      }
    }
    return told;
  }

  TableFile file() {
    return file;
  }

  NodeVector vector() {
    return vector;
  }

  Filling filling() {
    return filling;
  }

  Loop loop() {
    return loop;
  }

  /** Watches the members of the group for a table. */
  GroupWatch watch(MemberTable table) {
    return group.watch(found, loop, table);
  }

  /** The members as this process was told. */
  TableView view() {
    return view;
  }

  /** Done when a condition holds, which is asked by the loop, after each change. */
  CompletableFuture<Boolean> when(BooleanSupplier condition) {
    return waiters.when(condition);
  }

  /** Whether something was told; for the loop. */
  boolean isTold() {
    return reader != null;
  }

  /** Why nothing was told in time. */
  String whoseTurn() {
    String process;
    try {
      process = latch.getLeader().getId();
    } catch (Exception unknown) {
      process = "";
    }
    return process.isEmpty()
        ? "no process of this host fills the vector"
        : "process "
            + process
            + " of this host has the turn to fill the vector, and has told nothing yet; if it is"
            + " dead, its session with ZooKeeper has to end first";
  }

  private void poll() {
    if (isClosed.get()) {
      return;
    }
    try {
      follow();
    } finally {
      loop.after(POLL, this::poll);
    }
  }

  /** Takes in what is told, and passes it on. */
  void follow() {
    try {
      drain();
      TableFile.State state = file.state();
      if (state != null && state.generation() != generation && state.generation() > state.base()) {
        turnTo(state.generation());
      }
      hasFailed = false;
    } catch (IOException failure) {
      if (!hasFailed) {
        LOG.log(Level.WARNING, "What is told of members cannot be read", failure);
      }
      hasFailed = true;
    }
    announcements.tell();
    waiters.ask();
  }

  private void turnTo(long next) throws IOException {
    TableReader later = TableReader.open(file, next, found.format());
    List<MemberEvent> members = later == null ? null : later.next();
    if (later == null || members == null) {
      return;
    }
    // The former generation may have got longer since it was read.
    drain();
    closeReader();
    reader = later;
    generation = next;
    TableView now = emptyView();
    now.note(members);
    note(view.until(now));
    drain();
  }

  private void drain() throws IOException {
    TableReader there = reader;
    List<MemberEvent> events = there == null ? null : there.next();
    while (there != null && events != null) {
      note(events);
      events = there.next();
    }
  }

  private void note(List<MemberEvent> events) {
    for (MemberEvent each : events) {
      announcements.add(each);
      view.note(each);
    }
  }

  private void closeReader() throws IOException {
    if (reader != null) {
      reader.close();
      reader = null;
    }
  }

  private void elected(boolean isNow) {
    isElected = isNow;
    if (isNow) {
      takeOver();
    } else {
      stepDown();
    }
  }

  private void takeOver() {
    if (isElected && writer == null && !isClosed.get()) {
      writer = new TableWriter(this);
    }
  }

  private void stepDown() {
    TableWriter former = writer;
    writer = null;
    if (former != null) {
      former.close(group.options().timeout());
    }
  }

  /** The writer cannot go on: if it is this process's turn still, it begins anew. */
  void failed(TableWriter which) {
    if (writer == which) {
      try {
        stepDown();
      } finally {
        loop.after(AGAIN, this::takeOver);
      }
    }
  }

  @Override
  public OptionalLong handle(String name) {
    Seat seat = view.seat(Text.required(name, "name"));
    return seat == null ? OptionalLong.empty() : OptionalLong.of(seat.handle);
  }

  @Override
  public int size() {
    return view.size();
  }

  @Override
  public void close() {
    if (!isClosed.compareAndSet(false, true)) {
      return;
    }
    group.closed(this);
    loop.finish(this::end, group.options().timeout(), vector.name() + " is still filled");
    loop.close();
  }

  /** Whatever cannot be closed, the others are. */
  private void end() {
    try (TableFile _ = file;
        LeaderLatch _ = latch;
        TableReader _ = reader) {
      stepDown();
    } catch (IOException | RuntimeException failure) {
      LOG.log(Level.WARNING, "Closing a table failed", failure);
    }
    reader = null;
  }
}
