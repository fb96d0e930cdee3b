// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricException;
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
 * <p>Versions begin with 0 again when a job is ended and founded again. So a process that makes its
 * node again first reads the nodes of its ranks. A member is replaced if the node of its rank does
 * not have a record of this process.
 *
 * <p>Nodes of ranks in a job that expires are ephemeral, as others would keep it in the tree. There
 * a member whose session has ended is replaced, whether or not another process has joined: all
 * nodes of a rank have version 0, so a second claim could remove the node of another process.
 *
 * <p>All methods are for the loop.
 */
final class RankClaims implements WrittenNode.Conditions {
  private static final Logger LOG = System.getLogger(RankClaims.class.getName());
  private static final int NO_NODE = -1;

  private final CuratorFramework client;
  private final GroupPaths paths;
  private final UUID process;
  private final String node;
  private final Loop loop;
  private final boolean expires;
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

    /** The present member of a rank that was taken may have gone. */
    void changed(String name);
  }

  RankClaims(
      CuratorFramework client,
      GroupPaths paths,
      UUID process,
      String node,
      Loop loop,
      boolean expires,
      Owner owner) {
    this.client = client;
    this.paths = paths;
    this.process = process;
    this.node = node;
    this.loop = loop;
    this.expires = expires;
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
    if (member.rank() != Member.NO_RANK) {
      released.remove(member.name());
      claims.computeIfAbsent(member.name(), name -> new Claim(name, paths.rank(member.rank())));
    }
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

  /** Without the node of this process the job may have been ended and founded again. */
  @Override
  public boolean noteAbsent() {
    claims.values().forEach(each -> each.isPlaced = false);
    return claims.values().stream().anyMatch(each -> each.version != NO_NODE || wasPublished(each));
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
        operations.add(operation.delete().forPath(paths.rank(each.rank())));
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
    pending = claimed;
    return operations;
  }

  private CuratorOp create(TransactionOp operation, String path, byte[] record) throws Exception {
    CreateMode mode = expires ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
    return operation.create().withMode(mode).forPath(path, record);
  }

  @Override
  public void met() {
    pending.forEach(each -> each.isPlaced = true);
    pendingReleases.forEach(released::remove);
    pending = List.of();
  }

  @Override
  public void check(Consumer<Code> then) {
    // The next write does not depend on them: they are left to the session.
    released.clear();
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
      if (expires && wasPublished(each)) {
        lost(each, "its session has ended");
        reads.answered();
      } else {
        read(each, reads);
      }
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
          .inBackground((_, _) -> loop.execute(rest::answered))
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

  /**
   * The latest member of a rank, in the node of the rank. The node is persistent: it outlives the
   * member, so that an earlier one cannot return.
   *
   * <pre>
   *   16               32       33
   *   +----------------+--------+--------+--------+
   *   | its process    | format | host   | member |
   *   | (UUID)         |        |        |        |
   *   +----------------+--------+--------+--------+
   *
   *   host: 1 byte of length, UTF-8         member: as in a {@link HostRecord}
   * </pre>
   *
   * @param process the process that publishes the member
   * @param member the member; incarnation 0 stands for the change that wrote the record
   */
  record RankRecord(UUID process, Member member) {
    byte[] toBytes() {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        out.write(new byte[RecordHeader.SIZE]);
        out.writeLong(process.getMostSignificantBits());
        out.writeLong(process.getLeastSignificantBits());
        out.writeByte(member.address().format().number());
        byte[] host = member.host().getBytes(StandardCharsets.UTF_8);
        out.writeByte(host.length);
        out.write(host);
        HostRecord.write(out, member);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
      return RecordHeader.seal(RecordHeader.RANK, bytes.toByteArray());
    }

    /**
     * Unpacks a record.
     *
     * @param change the number of the change that wrote it
     */
    static RankRecord of(byte[] bytes, long change) throws UnreadableRecordException {
      ByteBuffer body = RecordHeader.open(RecordHeader.RANK, bytes);
      try {
        UUID process = new UUID(body.getLong(), body.getLong());
        AddressFormat format = AddressFormat.of(body.get());
        if (format == null) {
          throw new UnreadableRecordException("is damaged: its address format makes no sense");
        }
        String host = HostRecord.text(HostRecord.bytes(body, Byte.toUnsignedInt(body.get())));
        Member member = HostRecord.readMember(body, format, host);
        if (body.hasRemaining()) {
          throw new UnreadableRecordException("is damaged: it has bytes behind its end");
        }
        return new RankRecord(
            process, member.incarnation() == 0 ? member.withIncarnation(change) : member);
      } catch (BufferUnderflowException | CharacterCodingException | FabricException wrong) {
        throw new UnreadableRecordException("is damaged: " + wrong);
      }
    }
  }
}
