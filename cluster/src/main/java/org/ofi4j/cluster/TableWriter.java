// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.cluster.GroupWatch.MemberTable;

/**
 * What a process does while it is the one that inserts into a vector of its node: it watches the
 * group, changes the vector, and tells of it in the {@link TableFile}, all of one change while
 * nobody else can be at it. For the loop.
 *
 * <p>It begins with what was told. What another process changed and died before it could tell is
 * made up for: entries that nobody was told of are taken out, and members that all were told of
 * have their handles. It does not begin while a host of theirs has processes and no record: who of
 * them is there is not known until the next publisher has written it.
 */
final class TableWriter implements MemberTable {
  private static final Logger LOG = System.getLogger(TableWriter.class.getName());

  /** How long until the lock is tried again that another process has for a moment. */
  private static final Duration SOON = Duration.ofMillis(2);

  /** How long until processes without record are looked at again. */
  private static final Duration LATER = Duration.ofMillis(10);

  /** How much is told until a new generation begins with the members alone. */
  private static final long MOST = 1 << 20;

  private final NodeTable node;
  private final GroupWatch watch;
  private final Deque<Runnable> changes = new ArrayDeque<>();
  private final List<MemberEvent> events = new ArrayList<>();

  /** Hosts that were without processes when they were looked at last. */
  private Set<String> deserted = Set.of();

  private @Nullable AddressVector vector;
  private @Nullable MemberTable table;
  private TableView told;
  private long generation;
  private long begun;
  private boolean isReplaced;

  /** Whether the lock will be tried again, which does all that has to be done. */
  private boolean isWaiting;

  private boolean isClosed;

  TableWriter(NodeTable node) {
    this.node = node;
    told = node.emptyView();
    watch = node.watch(this);
    // Who was stopped since it read them reads them anew first.
    var _ = watch.ready().thenRun(() -> watch.whenCurrent(this::begin));
  }

  @Override
  public void apply(Set<String> names, Roster roster) {
    MemberTable known = table;
    if (known != null) {
      change(() -> known.apply(names, roster));
    }
  }

  private void change(Runnable task) {
    changes.add(task);
    if (!isWaiting) {
      work();
    }
  }

  /** All members are known: those that were told of are brought up to date with them. */
  private void begin() {
    alone(this::resume);
  }

  private void work() {
    if (!changes.isEmpty()) {
      alone(this::makeChanges);
    }
  }

  private void again(Work work) {
    isWaiting = true;
    node.loop()
        .after(
            SOON,
            () -> {
              isWaiting = false;
              alone(work);
            });
  }

  private void alone(Work work) {
    if (isClosed) {
      return;
    }
    boolean isDone;
    try {
      isDone =
          node.file()
              .alone(() -> {
                try {
                  work.run();
                } catch (IOException failure) {
                  throw new UncheckedIOException(failure);
                }
              });
    } catch (RuntimeException failure) {
      LOG.log(Level.WARNING, "Vector " + node.vector().name() + " is not filled for now", failure);
      node.failed(this);
      return;
    }
    if (isReplaced) {
      LOG.log(Level.INFO, "Another process has begun to fill vector {0}", node.vector().name());
      node.failed(this);
    } else if (isDone) {
      node.follow();
    } else {
      again(work);
    }
  }

  /** What is done with the lock. */
  private interface Work {
    void run() throws IOException;
  }

  private void resume() throws IOException {
    told = node.told();
    Set<String> unknown =
        told.seats().stream()
            .filter(each -> each.isPresent)
            .map(each -> each.member.host())
            .filter(each -> !watch.hasRecord(each) && !deserted.contains(each))
            .collect(Collectors.toSet());
    if (!unknown.isEmpty()) {
      lookAt(unknown);
      return;
    }
    told.seats().stream()
        .filter(each -> each.isPresent)
        .map(each -> each.member)
        .collect(Collectors.groupingBy(Member::host))
        .forEach(watch::assume);
    told.seats().forEach(each -> watch.roster().outdateBefore(each.member));
    AddressVector writing = node.vector().openForChanges();
    vector = writing;
    MemberTable resumed =
        node.filling()
            .resume(
                new VectorEntries(writing),
                (delay, task) -> node.loop().after(delay, () -> change(task)),
                new Announcements(events::add),
                task -> watch.whenCurrent(() -> change(task)),
                told.copy().seats());
    Set<String> names = new HashSet<>(watch.roster().names());
    told.seats().forEach(each -> names.add(each.member.name()));
    resumed.apply(names, watch.roster());
    table = resumed;
    List<MemberEvent> first = List.copyOf(events);
    events.clear();
    told.note(first);
    beginGeneration();
    List<MemberEvent> refused =
        first.stream().filter(MemberEvent.Refused.class::isInstance).toList();
    if (!refused.isEmpty()) {
      node.file().append(TableFrame.pack(refused));
    }
  }

  /** Begins once hosts without record have no process either, or a record. */
  private void lookAt(Set<String> hosts) {
    Set<String> empty = ConcurrentHashMap.newKeySet();
    CompletableFuture<?>[] answers =
        hosts.stream()
            .map(host ->
                watch
                    .hasProcesses(host)
                    .thenAccept(hasSome -> {
                      if (!hasSome) {
                        empty.add(host);
                      }
                    }))
            .toArray(CompletableFuture<?>[]::new);
    var _ =
        CompletableFuture.allOf(answers)
            .thenRun(() ->
                node.loop()
                    .after(
                        empty.containsAll(hosts) ? Duration.ZERO : LATER,
                        () -> {
                          deserted = empty;
                          begin();
                        }));
  }

  private void beginGeneration() {
    byte[] members = TableFrame.pack(told.events());
    generation = node.file().begin(members);
    begun = members.length;
  }

  private void makeChanges() throws IOException {
    TableFile.State state = node.file().state();
    if (state == null || state.generation() != generation) {
      isReplaced = true;
      return;
    }
    while (!changes.isEmpty()) {
      changes.remove().run();
    }
    if (events.isEmpty()) {
      return;
    }
    told.note(events);
    long length = node.file().append(TableFrame.pack(events));
    events.clear();
    if (length > 2 * begun + MOST) {
      beginGeneration();
    }
  }

  /** Changes nothing any more. */
  void close(Duration patience) {
    isClosed = true;
    watch.stop(patience);
    if (vector != null) {
      vector.close();
    }
  }
}
