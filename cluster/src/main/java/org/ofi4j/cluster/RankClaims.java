// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorWatcher;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.TransactionOp;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.RankRecord;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * The ranks of this process's members: each is claimed in the same multi-operation that puts the
 * member into the node of the process.
 *
 * <p>The node of a rank holds the latest member of the rank ({@link RankRecord}). A claim writes
 * it, provided that it has the version that this process has seen: of two processes that claim a
 * rank at the same time one fails. A new member claims a rank whose latest member is gone, which is
 * so if that member's process has no node, or one without the member. A process that makes its node
 * again after a lost session claims its ranks again with it. So either that claim fails as another
 * process has claimed the rank, and the member is replaced; or the claim of the other process
 * fails, as the version has changed.
 *
 * <p>A claim also requires the node of the job's founding, which the end of a job deletes first. So
 * no claim succeeds once the end has begun, nor in a job that was founded again, where the versions
 * begin with 0 again.
 *
 * <p>A job that expires has ephemeral nodes of ranks and no node of the founding, as persistent
 * nodes would keep it in the tree. There a member whose session has ended is replaced, whether or
 * not another process has joined: all nodes of a rank have version 0, so a second claim could
 * remove the node of another process.
 *
 * <p>All methods are for the loop.
 */
final class RankClaims implements WriteConditions {
  private static final Logger LOG = System.getLogger(RankClaims.class.getName());
  private static final int NO_NODE = -1;

  private final CuratorFramework client;
  private final GroupPaths paths;
  private final UUID process;
  private final String node;
  private final Loop loop;
  private final boolean expires;

  /** The node without which no claim succeeds; null if there is none. */
  private final @Nullable String founding;

  private final Owner owner;
  private final Map<String, Claim> claims = new HashMap<>();

  /** Members that have left, whose ranks' nodes are deleted when the node is without them. */
  private final Map<String, Member> released = new HashMap<>();

  /** Those of the write that is under way. */
  private List<Claim> pending = List.of();

  private List<String> pendingReleases = List.of();

  /** The members that claims are for. */
  interface Owner {
    /** The member of a name as it is published now. */
    Member member(String name);

    /**
     * This process never is the member of this rank again.
     *
     * @param why in words
     */
    void replaced(Member member, String why);

    /**
     * A new member has to wait until the present one of the rank has gone.
     *
     * @param holder in words
     */
    void taken(Member member, String holder);

    /** A new member cannot join. */
    void refused(Member member, FabricException why);

    /** The present member of a rank that was taken may have gone. */
    void changed(String name);
  }

  RankClaims(
      CuratorFramework client,
      GroupPaths paths,
      UUID process,
      String node,
      Loop loop,
      GroupRecord found,
      Owner owner) {
    this.client = client;
    this.paths = paths;
    this.process = process;
    this.node = node;
    this.loop = loop;
    expires = found.expires();
    founding = found.founding() == 0 ? null : paths.founding(found.founding());
    this.owner = owner;
  }

  private static final class Claim {
    final String name;
    final String path;

    /** The version of the rank's node that was read last. */
    int version = NO_NODE;

    /** Whether the node of the process has the member. */
    boolean isPlaced;

    Claim(String name, String path) {
      this.name = name;
      this.path = path;
    }
  }

  /** The next write of the node claims the rank of a member, if it has one. */
  void add(Member member) {
    member
        .rank()
        .ifPresent(rank -> {
          released.remove(member.name());
          claims.computeIfAbsent(member.name(), name -> new Claim(name, paths.rank(rank)));
        });
  }

  /** A member is published no longer. Its rank is free once the node is without it. */
  void remove(Member member) {
    Claim claim = claims.remove(member.name());
    if (claim != null && claim.isPlaced && expires) {
      released.put(member.name(), member);
    }
  }

  /** Nothing is published any more. */
  void close() {
    Set.copyOf(claims.keySet()).forEach(each -> remove(owner.member(each)));
  }

  @Override
  public void noteAbsent() {
    for (Claim each : List.copyOf(claims.values())) {
      each.isPlaced = false;
      if (expires && wasPublished(each)) {
        lost(each, "its session has ended");
      }
    }
  }

  private boolean wasPublished(Claim claim) {
    return owner.member(claim.name).incarnation() != 0;
  }

  @Override
  public boolean hasDeletions() {
    return !released.isEmpty();
  }

  /**
   * Claims the ranks of new members, and deletes the nodes of those that have left. A rank is this
   * process's as long as the node of the process has the member: so the deletion goes with the
   * write that takes the member out, and fails with it if it is repeated after it was done.
   */
  @Override
  public List<CuratorOp> operations(byte @Nullable [] held) throws Exception {
    List<CuratorOp> operations = new ArrayList<>();
    List<Claim> claimed = new ArrayList<>();
    TransactionOp operation = client.transactionOp();
    for (Member each : released.values()) {
      if (held != null && hasMember(held, each)) {
        operations.add(operation.delete().forPath(paths.rank(each.rank().orElseThrow())));
      }
    }
    pendingReleases = List.copyOf(released.keySet());
    boolean isNew = held == null;
    for (Claim each : claims.values()) {
      // A node that has the member was written with its claim, even if the answer was lost.
      each.isPlaced = !isNew && (each.isPlaced || wasPublished(each));
      if (!each.isPlaced) {
        byte[] record = new RankRecord(process, owner.member(each.name)).toBytes();
        claimed.add(each);
        if (each.version == NO_NODE) {
          operations.add(create(operation, each.path, record));
        } else if (expires) {
          operations.add(operation.delete().withVersion(each.version).forPath(each.path));
          operations.add(create(operation, each.path, record));
        } else {
          operations.add(operation.setData().withVersion(each.version).forPath(each.path, record));
        }
      }
    }
    if (founding != null && !claimed.isEmpty()) {
      operations.add(operation.check().forPath(founding));
    }
    pending = claimed;
    return operations;
  }

  private CuratorOp create(TransactionOp operation, String path, byte[] record) throws Exception {
    CreateMode mode = expires ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
    return operation.create().withMode(mode).forPath(path, record);
  }

  @Override
  public void met() {
    for (Claim each : pending) {
      each.isPlaced = true;
      each.version = expires ? 0 : each.version + 1;
    }
    pendingReleases.forEach(released::remove);
    pending = List.of();
  }

  @Override
  public void check(Consumer<Code> then) {
    // The next write does not depend on them: they are left to the session.
    released.clear();
    if (founding == null || claims.isEmpty()) {
      readAll(then);
      return;
    }
    Rest read = new Rest(1, then);
    try {
      client
          .checkExists()
          .inBackground((_, event) -> loop.execute(() -> foundingSeen(event, read, then)))
          .forPath(founding);
    } catch (Exception failure) {
      failed(founding, failure, read);
    }
  }

  private void foundingSeen(CuratorEvent event, Rest read, Consumer<Code> then) {
    switch (Code.get(event.getResultCode())) {
      case OK -> readAll(then);
      case NONODE -> {
        claims.values().stream().filter(each -> !each.isPlaced).toList().forEach(this::ended);
        read.answered();
      }
      case Code other -> read.failed(other);
    }
  }

  private void readAll(Consumer<Code> then) {
    List<Claim> all = claims.values().stream().filter(each -> !each.isPlaced).toList();
    Rest reads =
        new Rest(
            all.size() + 1,
            code -> {
              if (code == Code.OK && !claims.isEmpty()) {
                // Of all nodes of a group only these have no other writer that makes their parents.
                makeParents(node, new Rest(1, then));
              } else {
                then.accept(code);
              }
            });
    for (Claim each : all) {
      read(each, reads);
    }
    reads.answered();
  }

  /** Runs something after the given number of answers. */
  private static final class Rest {
    private int left;
    private final Consumer<Code> then;

    /** The code of a read that failed, if any has. */
    private Code code = Code.OK;

    Rest(int left, Consumer<Code> then) {
      this.left = left;
      this.then = then;
    }

    void answered() {
      left--;
      if (left == 0) {
        then.accept(code);
      }
    }

    /** Takes the answer to a request that says whether a node exists. */
    void answered(CuratorEvent event) {
      Code answer = Code.get(event.getResultCode());
      code = answer == Code.OK || answer == Code.NONODE ? code : answer;
      answered();
    }

    void failed(Code with) {
      code = with;
      answered();
    }
  }

  private void makeParents(String path, Rest rest) {
    try {
      client
          .checkExists()
          .creatingParentContainersIfNeeded()
          .inBackground((_, event) -> loop.execute(() -> rest.answered(event)))
          .forPath(path);
    } catch (Exception failure) {
      failed(path, failure, rest);
    }
  }

  private void read(Claim claim, Rest rest) {
    try {
      client
          .getData()
          .inBackground((_, event) -> loop.execute(() -> seen(claim, event, rest)))
          .forPath(claim.path);
    } catch (Exception failure) {
      failed(claim.path, failure, rest);
    }
  }

  private static void failed(String path, Exception failure, Rest rest) {
    LOG.log(Level.WARNING, "{0} cannot be read: {1}", path, failure.toString());
    rest.failed(Code.SYSTEMERROR);
  }

  private void seen(Claim claim, CuratorEvent event, Rest rest) {
    Code code = Code.get(event.getResultCode());
    boolean isCurrent = claims.get(claim.name) == claim;
    if (isCurrent && code == Code.NONODE && wasPublished(claim)) {
      // Whether another process had the rank since then is not known any more.
      lost(claim, claim.path + " was deleted, as when the job is ended");
      rest.answered();
    } else if (isCurrent && code == Code.NONODE) {
      claim.version = NO_NODE;
      makeParents(claim.path, rest);
    } else if (isCurrent && code == Code.OK) {
      try {
        RankRecord found = RankRecord.of(event.getData(), event.getStat().getMzxid());
        seen(claim, found, event.getStat().getVersion(), rest);
      } catch (UnreadableRecordException unreadable) {
        LOG.log(Level.WARNING, "Rank {0} {1}", claim.path, unreadable.getMessage());
        lost(claim, "its record " + unreadable.getMessage());
        rest.answered();
      }
    } else if (isCurrent) {
      rest.failed(code);
    } else {
      rest.answered();
    }
  }

  private void seen(Claim claim, RankRecord found, int version, Rest rest) {
    if (found.process().equals(process)) {
      // The claim was made, and its answer was lost; or an earlier member of this process had it.
      claim.version = version;
      rest.answered();
    } else if (wasPublished(claim)) {
      lost(claim, found.member().words() + " has joined");
      rest.answered();
    } else {
      readProcess(claim, found, version, rest);
    }
  }

  /** Finds out whether the latest member of a rank is still there. */
  private void readProcess(Claim claim, RankRecord found, int version, Rest rest) {
    String path = paths.process(found.member().host(), found.process());
    String name = claim.name;
    CuratorWatcher watcher =
        event -> {
          if (event.getPath() != null) {
            loop.execute(() -> owner.changed(name));
          }
        };
    try {
      client
          .getData()
          .usingWatcher(watcher)
          .inBackground(
              (_, event) -> loop.execute(() -> processSeen(claim, found, version, event, rest)))
          .forPath(path);
    } catch (Exception failure) {
      failed(path, failure, rest);
    }
  }

  private void processSeen(
      Claim claim, RankRecord found, int version, CuratorEvent event, Rest rest) {
    Code code = Code.get(event.getResultCode());
    boolean isGone =
        code == Code.NONODE || (code == Code.OK && !hasMember(event.getData(), found.member()));
    boolean isCurrent = claims.get(claim.name) == claim; // Otherwise the member has left.
    if (isCurrent && isGone) {
      claim.version = version;
    } else if (isCurrent && code == Code.OK) {
      lost(claim, "it is that of " + found.member().words());
    } else if (isCurrent) {
      rest.failed(code);
      return;
    }
    rest.answered();
  }

  private static boolean hasMember(byte[] node, Member member) {
    try {
      return HostRecord.of(node, member.host()).members().stream()
          .anyMatch(each -> each.name().equals(member.name()));
    } catch (UnreadableRecordException unreadable) {
      // Its own process puts it right.
      return true;
    }
  }

  /** Ends a claim in a job that has been ended. */
  private void ended(Claim claim) {
    if (wasPublished(claim)) {
      lost(claim, "the job was ended");
    } else {
      claims.remove(claim.name);
      owner.refused(owner.member(claim.name), Failures.ended(paths.group()));
    }
  }

  /** This process does not have the rank: ends the claim, without the node of the rank. */
  private void lost(Claim claim, String why) {
    claims.remove(claim.name);
    Member member = owner.member(claim.name);
    if (member.incarnation() != 0) {
      owner.replaced(member, why);
    } else {
      owner.taken(member, why);
    }
  }
}
