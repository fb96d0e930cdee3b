// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.VectorType;
import org.ofi4j.cluster.Publication.Published;

/**
 * A job: as many members as its size says, with ranks from 0. In the vector of each, handle {@code
 * i} is rank {@code i}.
 */
public final class Job {
  private static final String UNTOLD =
      "none, but no process of this host has put them into the vector";

  private final Group group;
  private final int size;

  private final boolean expires;

  Job(Group group, int size) {
    this(group, size, false);
  }

  private Job(Group group, int size, boolean expires) {
    this.group = group;
    this.size = size;
    this.expires = expires;
  }

  /**
   * Returns this job, to be ended by ZooKeeper once the last member has left: its nodes are
   * containers, which a server removes some minutes after they have become empty. Only the member
   * that founds the job decides this, that is the first one that joins. Without it, the job is
   * there until {@link Cluster#end}.
   *
   * @return the same job, founded in this way
   */
  public Job expiring() {
    return new Job(group, size, true);
  }

  /** {@return how many members it has} */
  public int size() {
    return size;
  }

  /**
   * Joins without listener and attributes: see {@link #join(AddressVector, FabricAddress, int,
   * Duration, MemberOptions, MemberListener)}.
   *
   * @param vector the vector
   * @param address where the member is reached
   * @param rank its rank
   * @param timeout how long to wait for the others
   * @return the membership
   */
  public Membership join(AddressVector vector, FabricAddress address, int rank, Duration timeout) {
    return join(vector, address, rank, timeout, MemberOptions.none(), MemberListener.none());
  }

  /**
   * Publishes a member, and waits until all ranks are there; then the vector has all of them, and
   * handle {@code i} is rank {@code i}. If it fails, the member is not published any more and the
   * vector is empty.
   *
   * <p>From then on no other rank gets the handle of a rank. When a member leaves, its entry is
   * removed and the listener hears of it: sends to the handle fail, and messages of that member
   * have no source. A later member of the rank is another incarnation, and has the handle again, at
   * whatever address. An incarnation that was replaced never returns; its own process hears of it
   * by a {@link MemberEvent.StateChanged}.
   *
   * @param vector an empty vector of type TABLE with synchronous insertions, for this job alone, or
   *     one of {@link Cluster#openNodeVector} for the processes of this node; it must stay open
   *     meanwhile
   * @param address the address at which the other members reach this one: as a rule {@code
   *     endpoint.address()}; behind a port mapping or NAT, the outer address
   * @param rank its rank, 0 to {@code size() - 1}
   * @param timeout how long to wait for the others, and for a former member of this rank to go
   * @param options what else the member says of itself
   * @param listener hears of each change, of the first filling also
   * @return the member
   * @throws FabricException with {@link Errno#ETIMEDOUT} that names the ranks that are missing,
   *     {@link Errno#EALREADY} if another member has the rank until the time is over, {@link
   *     Errno#ENOENT} if the job is ended at the same time, {@link Errno#ENOSPC} if the record of
   *     this host has no room, {@link Errno#EINVAL} for a rank or vector that does not fit, values
   *     beyond the limits of {@link Member}, and if the group is a service or a job of another size
   *     or address format; {@link Errno#EBUSY} if the vector of the node has other entries or is
   *     filled with another group; with the errno of an address that the vector refuses; or as
   *     {@link Cluster} says
   */
  public Membership join(
      AddressVector vector,
      FabricAddress address,
      int rank,
      Duration timeout,
      MemberOptions options,
      MemberListener listener) {
    Deadline deadline = Deadline.in(Text.required(timeout, "timeout"));
    Text.required(options, "options");
    if (rank < 0 || rank >= size) {
      throw new FabricException(
          Errno.EINVAL, "rank " + rank + ": this job has ranks 0 to " + (size - 1));
    }
    boolean isShared = NodeVector.isOne(vector);
    requireTable(vector, isShared);
    Member member =
        new Member(
            JobTable.name(rank),
            OptionalInt.of(rank),
            options.userId(),
            address,
            options.attributes(),
            0,
            group.options().host());
    GroupRecord found = group.agree(GroupRecord.job(vector.format(), size, expires));
    group.requireAddress(found, address);
    if (isShared) {
      return share(new NodeVector(vector), found, member, listener, deadline);
    }
    JobTable table = new JobTable(new VectorEntries(vector), size, new Announcements(listener));
    Loop loop = group.newLoop("job");
    Joining joining = new Joining(group.watch(found, loop, table), loop, null, listener);
    try {
      joining.join(found, member, deadline);
      joining.fill(table, deadline);
      joining.published().requireInPlace(deadline);
      return joining;
    } catch (RuntimeException failure) {
      joining.close();
      throw failure;
    }
  }

  /** Joins, and hears of the others from whoever fills the vector of this node. */
  private Membership share(
      NodeVector vector,
      GroupRecord found,
      Member member,
      MemberListener listener,
      Deadline deadline) {
    AtomicReference<MemberEvent.@Nullable Refused> refused = new AtomicReference<>();
    String rank = member.name();
    NodeTable node =
        NodeTable.open(
            group,
            vector,
            found,
            (entries, timer, announcements, confirmed, told) -> {
              JobTable table = new JobTable(entries, size, announcements);
              table.resume(told);
              return table;
            },
            event -> {
              if (event instanceof MemberEvent.Refused each) {
                // What is said of this rank counts more than what is said of others.
                refused.updateAndGet(former ->
                    former != null && isOf(rank, former) && !isOf(rank, each) ? former : each);
              }
              listener.heard(event);
            });
    Loop loop = group.newLoop("job");
    Joining joining = new Joining(group.watch(found, loop, (_, _) -> {}), loop, node, listener);
    try {
      joining.join(found, member, deadline);
      joining.hear(node, refused, deadline);
      joining.published().requireInPlace(deadline);
      return joining;
    } catch (RuntimeException failure) {
      joining.close();
      throw failure;
    }
  }

  private static boolean isOf(String rank, MemberEvent.Refused event) {
    return event.member().name().equals(rank);
  }

  private static void requireTable(AddressVector vector, boolean isShared) {
    if (vector.options().type() != VectorType.TABLE || (!isShared && vector.size() != 0)) {
      throw new FabricException(
          Errno.EINVAL,
          "vector is of type "
              + vector.options().type()
              + " with "
              + vector.size()
              + " entries; give an empty one of type TABLE, where handles are ranks");
    }
  }

  /** A member from its first look at the group until it is closed. */
  private final class Joining implements Membership {
    private final GroupWatch watch;
    private final Loop loop;
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final @Nullable NodeTable node;
    private final Announcements states;
    private volatile @Nullable Published published;

    Joining(GroupWatch watch, Loop loop, @Nullable NodeTable node, MemberListener listener) {
      this.watch = watch;
      this.loop = loop;
      this.node = node;
      states = new Announcements(listener);
      group.opened(this);
    }

    /** Publishes the member, once no other one has the rank. */
    void join(GroupRecord found, Member member, Deadline deadline) {
      group.await(watch.ready(), deadline, () -> "the members of the job are not read in time");
      Published mine = group.join(found, member, deadline);
      published = mine;
      mine.addListener(event ->
          tellingOfStates()
              .execute(() -> {
                states.add(event);
                states.tell();
              }));
      Roster roster = watch.roster();
      long incarnation = mine.member().incarnation();
      group.await(
          watch.when(() -> {
            Member seen = roster.find(member.name());
            return seen != null && seen.incarnation() == incarnation;
          }),
          deadline,
          () -> "the record of this host does not have the new member in time");
    }

    /** The thread that tells the listener of other members. */
    private Loop tellingOfStates() {
      return node == null ? loop : node.loop();
    }

    /** Waits until all are in the vector. */
    void fill(JobTable table, Deadline deadline) {
      try {
        group.await(watch.when(table::isDecided), deadline, () -> "");
      } catch (FabricException late) {
        if (late.errno() != Errno.ETIMEDOUT) {
          throw late;
        }
        // It may have been decided meanwhile.
        String missing =
            group.await(
                loop.ask(() -> table.giveUp(watch.roster())),
                Deadline.in(group.options().timeout()),
                () -> "nobody tells who is missing");
        if (!missing.isEmpty()) {
          throw new FabricException(
              Errno.ETIMEDOUT,
              "not all " + size + " members of the job came in time; missing ranks: " + missing);
        }
      }
      FabricException failure = table.failure();
      if (failure != null) {
        throw failure;
      }
    }

    /** Waits until all are in the vector of this node. */
    void hear(
        NodeTable table,
        AtomicReference<MemberEvent.@Nullable Refused> refused,
        Deadline deadline) {
      TableView view = table.view();
      AtomicReference<MemberEvent.@Nullable Refused> verdict = new AtomicReference<>();
      group.await(
          table.when(() -> {
            boolean isWhole = isWhole(view);
            verdict.set(isWhole ? null : against(view, refused.get()));
            return isWhole || verdict.get() != null;
          }),
          deadline,
          () ->
              "not all " + size + " members of the job came in time; missing ranks: " + missing());
      MemberEvent.Refused event = verdict.get();
      if (event != null) {
        throw new FabricException(event.errno(), event.reason());
      }
      // Who comes and goes from now on, the table hears from whoever fills it.
      watch.close(group.options().timeout());
    }

    /** Whether all are there, this member as this incarnation. */
    private boolean isWhole(TableView view) {
      Seat mine = view.seat(member().name());
      return view.present() == size
          && mine != null
          && mine.member.incarnation() == member().incarnation();
    }

    /** What is to be thrown: of others, once all were in the vector, it is no matter. */
    private MemberEvent.@Nullable Refused against(
        TableView view, MemberEvent.@Nullable Refused event) {
      boolean counts =
          event != null
              && (view.size() < size || event.member().incarnation() == member().incarnation());
      return counts ? event : null;
    }

    private String missing() {
      return group.await(
          loop.ask(() -> JobTable.missing(size, watch.roster(), UNTOLD)),
          Deadline.in(group.options().timeout()),
          () -> "nobody tells who is missing");
    }

    private Published published() {
      Published mine = published;
      if (mine == null) {
        throw new IllegalStateException("not published yet");
      }
      return mine;
    }

    @Override
    public Member member() {
      return published().member();
    }

    @Override
    public State state() {
      return published().state();
    }

    @Override
    public void addListener(MemberListener listener) {
      published().addListener(listener);
    }

    @Override
    public void close() {
      if (isClosed.compareAndSet(false, true)) {
        group.closed(this);
        watch.close(group.options().timeout());
        if (node != null) {
          node.close();
        }
        if (published != null) {
          published.close();
        }
      }
    }
  }
}
