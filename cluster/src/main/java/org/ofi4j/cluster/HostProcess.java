// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.cluster.HostRecord.ProcessMembers;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * The members of a group in this process: keeps them in the process's node and, when this process
 * is the publisher of its host, in the host's record.
 *
 * <p>The publisher is the process whose node is the oldest of its host. When it dies, its session
 * takes its node and the record at once, and the next oldest finds itself the oldest.
 *
 * <p>The incarnation of a member is the number of the change of the process's node that it came
 * with. It is written down as a number only when the connection is lost, after which the node is
 * written anew: until then everybody reads it from the node.
 */
final class HostProcess
    implements LiveTree.Listener, WrittenNode.Listener, RankClaims.Owner, Lease.Owner {
  private static final Logger LOG = System.getLogger(HostProcess.class.getName());

  /** For so many bytes there is room in all but a full record. */
  private static final int SMALL = 1024;

  private final GroupPaths paths;
  private final AddressFormat format;
  private final String host;
  private final UUID process = UUID.randomUUID();
  private final LiveTree tree;
  private final WrittenNode node;
  private final WrittenNode record;
  private final RankClaims claims;
  private final Lease lease;

  /** By name; incarnation 0 until it is known. */
  private final Map<String, Member> members = new HashMap<>();

  /** What each of them was told when it joined, or will be. */
  private final Map<String, Publication> publications = new HashMap<>();

  /** Members whose rank another member has, until that one has gone. */
  private final Map<String, Waiting> waiting = new HashMap<>();

  private final Map<UUID, Neighbour> neighbours = new HashMap<>();

  /** Who joins while the tree is not read, after it was once. */
  private final Waiters waiters;

  /** Whether the others of the host were ever known, and with them what room there is. */
  private boolean isRead;

  HostProcess(
      CuratorFramework client, GroupPaths paths, GroupRecord found, String host, Loop loop) {
    this.paths = paths;
    format = found.format();
    this.host = host;
    waiters = new Waiters(loop);
    lease = new Lease(client, loop, this);
    String path = paths.process(host, process);
    claims = new RankClaims(client, paths, process, path, loop, found, this);
    node = new WrittenNode(client, path, loop, claims, this, this::denied);
    String own = paths.record(host, process);
    record = new WrittenNode(client, own, loop, WriteConditions.NONE, _ -> {}, this::denied);
    tree = new LiveTree(client, paths.host(host), loop, this);
  }

  /** A member that waits for its rank. */
  private record Waiting(Member member, Publication publication) {}

  /** A process of this host. */
  private record Neighbour(ProcessMembers members, long created, long session, int bytes) {}

  /**
   * Publishes a member; the answer is the member with its incarnation, once the others of the host
   * are known, and with them that there is room. To know them takes as many reads as there are
   * processes. So the first members of a process are written before that, and told so if they are
   * small; if there is no room, they go again. A member of a job whose rank another member has
   * waits until that one has gone. For the loop.
   */
  void join(Member member, Publication publication) {
    if (isRead) {
      var _ =
          waiters
              .when(tree::isCurrent)
              .whenComplete((_, denied) -> {
                if (denied == null) {
                  add(member, publication);
                } else {
                  publication.answer().completeExceptionally(denied);
                }
              });
    } else {
      add(member, publication);
    }
  }

  private void add(Member member, Publication publication) {
    CompletableFuture<Member> answer = publication.answer();
    if (answer.isDone()) {
      return; // The member has left.
    }
    Waiting other = waiting.get(member.name());
    Member former = other != null ? other.member : members.putIfAbsent(member.name(), member);
    if (former != null) {
      answer.completeExceptionally(
          new FabricException(
              Errno.EALREADY, "this process is in the group as " + former.words() + " already"));
      return;
    }
    byte[] packed = packOwn();
    try {
      requireRoom(packed.length);
    } catch (FabricException full) {
      members.remove(member.name());
      answer.completeExceptionally(full);
      return;
    }
    publications.put(member.name(), publication);
    claims.add(member);
    node.write(packed);
  }

  private void requireRoom(int here) {
    int others =
        neighbours.entrySet().stream()
            .filter(each -> !each.getKey().equals(process))
            .mapToInt(each -> each.getValue().bytes)
            .sum();
    if (here + others > RecordHeader.MAX_RECORD || !HostRecord.fits(members.size())) {
      throw new FabricException(
          Errno.ENOSPC,
          "the record of host "
              + host
              + " would have "
              + (here + others)
              + " bytes with this member, and has room for "
              + RecordHeader.MAX_RECORD
              + "; publish fewer members on a host, or fewer attributes");
    }
  }

  /** Takes out the member of a publication, or ends its join. For the loop. */
  void leave(String name, Publication publication) {
    publication.answer().cancel(false);
    waiting.values().removeIf(each -> each.publication == publication);
    // The member of the name may be another one, if this one was refused or replaced.
    if (publications.remove(name, publication)) {
      drop(name);
    }
  }

  private @Nullable Publication withdraw(String name) {
    drop(name);
    return publications.remove(name);
  }

  /** Publishes the other members. Without any the nodes are deleted: the job may be over. */
  private void drop(String name) {
    claims.remove(member(name));
    members.remove(name);
    if (members.isEmpty() && waiting.isEmpty()) {
      neighbours.remove(process);
      record.close();
      node.close();
    } else {
      node.write(packOwn());
    }
  }

  /** The state of a member that was published. For any thread. */
  Membership.State state(Publication publication) {
    return publication.isReplaced() ? Membership.State.REPLACED : lease.state();
  }

  @Override
  public void verify() {
    node.verify();
  }

  @Override
  public void verified(long asked) {
    lease.renew(asked);
  }

  @Override
  public void leaseChanged(Membership.State state) {
    List.copyOf(publications.values()).forEach(each -> each.report(state));
  }

  @Override
  public void reconnected() {
    Set.copyOf(waiting.keySet()).forEach(this::changed);
  }

  Lease lease() {
    return lease;
  }

  @Override
  public Member member(String name) {
    return Objects.requireNonNull(members.get(name));
  }

  @Override
  public void replaced(Member member, String why) {
    LOG.log(Level.WARNING, "{0} is no member any more: {1}", member.words(), why);
    Publication publication = withdraw(member.name());
    if (publication != null) {
      publication
          .answer()
          .completeExceptionally(
              new FabricException(Errno.EALREADY, member.words() + " is replaced: " + why));
      publication.report(Membership.State.REPLACED);
    }
  }

  @Override
  public void refused(Member member, FabricException why) {
    Publication publication = withdraw(member.name());
    if (publication != null) {
      publication.answer().completeExceptionally(why);
    }
  }

  @Override
  public void taken(Member member, String holder) {
    Publication publication = publications.remove(member.name());
    if (publication != null) {
      publication.hinder("rank " + member.name() + " is taken: " + holder);
      waiting.put(member.name(), new Waiting(member, publication));
    }
    drop(member.name());
  }

  @Override
  public void changed(String name) {
    Waiting again = waiting.remove(name);
    if (again != null) {
      add(again.member, again.publication);
    }
  }

  /** Takes everything out of the tree. For the loop. */
  void close() {
    lease.close();
    tree.close();
    // The record first: who sees it go, finds out whose processes are left.
    record.close();
    claims.close();
    node.close();
    members.clear();
  }

  private byte[] packOwn() {
    List<Member> sorted =
        members.values().stream().sorted(Comparator.comparing(Member::name)).toList();
    return new HostRecord(format, List.of(new ProcessMembers(process, sorted))).toBytes();
  }

  @Override
  public void reread(Map<String, ChildData> all) {
    neighbours
        .keySet()
        .removeIf(each -> !each.equals(process) && !all.containsKey(paths.process(host, each)));
    all.forEach(this::note);
    if (!isRead) {
      isRead = true;
      settle();
    }
    elect();
    waiters.ask();
  }

  /** Ends the joins that wait: more patience gives this client no rights. */
  @Override
  public void denied(FabricException failure) {
    waiters.fail(failure);
    for (Map.Entry<String, Publication> each : Map.copyOf(publications).entrySet()) {
      if (each.getValue().answer().completeExceptionally(failure)) {
        withdraw(each.getKey());
      }
    }
  }

  /** What room there is, is known now: refuses whom there is none for, and tells the others. */
  private void settle() {
    for (Map.Entry<String, Publication> each : Map.copyOf(publications).entrySet()) {
      try {
        requireRoom(packOwn().length);
      } catch (FabricException full) {
        withdraw(each.getKey());
        if (!each.getValue().answer().completeExceptionally(full)) {
          LOG.log(
              Level.ERROR, "Member {0} is not published: {1}", each.getKey(), full.getMessage());
        }
      }
    }
    publications.keySet().forEach(this::tell);
  }

  /** Tells who has joined, once its incarnation is known and nobody will refuse it. */
  private void tell(String name) {
    Member member = members.get(name);
    Publication publication = publications.get(name);
    boolean isNumbered = member != null && member.incarnation() != 0;
    if (isNumbered && publication != null && (isRead || packOwn().length <= SMALL)) {
      publication.answer().complete(member);
    }
  }

  @Override
  public void changed(Map<String, @Nullable ChildData> nodes) {
    nodes.forEach(this::note);
    elect();
  }

  /** What this process's node holds: heard before it is changed, so no number is missed. */
  @Override
  public void held(ChildData held) {
    lease.begin();
    note(process, held);
    elect();
  }

  private void note(String path, @Nullable ChildData data) {
    UUID which = GroupPaths.processOf(path);
    // Of the own node the tree may tell late.
    if (which == null || path.equals(paths.host(host)) || which.equals(process)) {
      return;
    }
    if (data == null) {
      neighbours.remove(which);
    } else {
      note(which, data);
    }
  }

  private void note(UUID which, ChildData data) {
    try {
      HostRecord found = HostRecord.of(data.getData(), host);
      if (found.processes().size() != 1
          || !found.processes().getFirst().process().equals(which)
          || !format.contains(found.format())) {
        throw new UnreadableRecordException("is not that of a process of this group");
      }
      ProcessMembers resolved = found.processes().getFirst().resolved(data.getStat().getMzxid());
      neighbours.put(
          which,
          new Neighbour(
              resolved,
              data.getStat().getCzxid(),
              data.getStat().getEphemeralOwner(),
              data.getData().length));
      if (which.equals(process)) {
        seen(resolved);
      }
    } catch (UnreadableRecordException unreadable) {
      LOG.log(
          Level.WARNING,
          "Node {0} {1}; it is ignored, and its members stay what they were",
          data.getPath(),
          unreadable.getMessage());
    }
  }

  /** Own members are in the tree. */
  private void seen(ProcessMembers published) {
    List<Member> numbered = new ArrayList<>();
    boolean isOutdated = false;
    for (Member each : published.members()) {
      Member mine = members.get(each.name());
      if (mine != null && mine.incarnation() == 0 && mine.equals(each.withIncarnation(0))) {
        members.put(each.name(), each);
        numbered.add(each);
      } else if (mine != null && mine.incarnation() != 0 && !mine.equals(each)) {
        // It was written anew before the number was in it.
        isOutdated = true;
      }
    }
    if (isOutdated) {
      node.write(packOwn());
    } else if (!numbered.isEmpty()) {
      node.amend(packOwn());
    }
    numbered.forEach(each -> tell(each.name()));
  }

  /** Publishes the host's record if that is this process's turn. */
  private void elect() {
    Neighbour mine = neighbours.get(process);
    // As long as the others are not all known, this process must not take itself for the oldest.
    if (mine == null || !tree.isCurrent()) {
      return;
    }
    if (neighbours.values().stream().anyMatch(each -> each.created < mine.created)) {
      record.close();
      return;
    }
    List<Neighbour> oldestFirst = new ArrayList<>(neighbours.values());
    oldestFirst.sort(Comparator.comparingLong(Neighbour::created));
    List<ProcessMembers> published = new ArrayList<>();
    int bytes = 0;
    for (Neighbour each : oldestFirst) {
      bytes += each.bytes;
      if (bytes <= RecordHeader.MAX_RECORD) {
        published.add(each.members);
      } else {
        LOG.log(
            Level.ERROR,
            "The record of host {0} has no room for the members of process {1}",
            host,
            each.members.process());
      }
    }
    record.write(new HostRecord(format, mine.session, published).toBytes());
  }
}
