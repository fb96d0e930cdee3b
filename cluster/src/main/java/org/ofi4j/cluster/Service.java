// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.VectorFlag;

/**
 * A service: members come and go under names of their own, and vectors follow. Publishing and
 * following are two things: a process may do either without the other. The addresses of all members
 * have the format of the first who published or followed, or a format within it.
 */
public final class Service {
  private final Group group;

  Service(Group group) {
    this.group = group;
  }

  /**
   * Publishes a member, until it is closed or this process's session with ZooKeeper ends. After a
   * lost session it is published anew, as the same incarnation.
   *
   * <p>Others see it when the oldest process of this host has written the host's record: at once as
   * a rule. If that process does not answer, its session has to end first, and another one writes
   * the record then.
   *
   * <p>If another process publishes the same name, the later one is the member as long as it is
   * there; after it the former one is again, also a dead one whose session has not ended.
   *
   * @param name the member's name, up to {@value Member#MAX_NAME} bytes of UTF-8
   * @param address the address at which the other members reach this one: as a rule {@code
   *     endpoint.address()}; behind a port mapping or NAT, the outer address
   * @param options what else it says of itself
   * @return the member, once ZooKeeper has it
   * @throws FabricException with {@link Errno#EALREADY} if this process has published the name,
   *     {@link Errno#ENOSPC} if the record of this host has no room for it, {@link Errno#EINVAL}
   *     for values beyond the limits of {@link Member}, and if the group is a job or has another
   *     address format; or as {@link Cluster} says
   */
  public Membership join(String name, FabricAddress address, MemberOptions options) {
    Deadline deadline = Deadline.in(group.options().timeout());
    Text.required(options, "options");
    Member member =
        new Member(
            name,
            OptionalInt.empty(),
            options.userId(),
            address,
            options.attributes(),
            0,
            group.options().host());
    GroupRecord found = group.agree(record(address.format()));
    group.requireAddress(found, address);
    return group.join(found, member, deadline);
  }

  private static GroupRecord record(AddressFormat format) {
    return GroupRecord.service(format);
  }

  /**
   * Keeps a vector up to date with all members, until it is closed. When it returns, all that
   * ZooKeeper knows of are in the vector.
   *
   * <p>A member keeps its handle as long as it is there, also when its address changes, and if it
   * is back before its grace period is over. The vector should have no other entries: an address
   * that the application has inserted itself is refused to a member that moves there.
   *
   * <p>A vector of {@link Cluster#openNodeVector} is filled by one process of the node at a time,
   * and all that call this hear of the same handles. When that process is gone, another one takes
   * its place: a member that is still there keeps its handle. This returns with what that process
   * has told until then; the listener hears of who comes later. Closing ends this process's part.
   *
   * @param vector a vector whose insertions are synchronous; it must stay open meanwhile. One that
   *     was opened with {@link VectorFlag#USER_ID} gets the user ids of the members
   * @param grace how long the entry of a member that has left stays, at least zero; of a vector of
   *     a node as the process says that fills it
   * @param listener hears of each change, those of the first filling among them
   * @return what ends it
   * @throws FabricException with {@link Errno#EINVAL} for a vector that is asynchronous or cannot
   *     be changed, and if the group is a job or has another address format; of a vector of a node
   *     also with {@link Errno#EBUSY} if it has other entries or is filled with another group; or
   *     as {@link Cluster} says
   */
  public VectorFeed fill(AddressVector vector, Duration grace, MemberListener listener) {
    Deadline deadline = Deadline.in(group.options().timeout());
    if (Text.required(grace, "grace").isNegative()) {
      throw new FabricException(Errno.EINVAL, "grace " + grace + ": give zero or more");
    }
    if (NodeVector.isOne(vector)) {
      return share(new NodeVector(vector), grace, listener, deadline);
    }
    VectorEntries entries = new VectorEntries(vector);
    Announcements announcements = new Announcements(listener);
    GroupRecord found = group.agree(record(vector.format()));
    Loop loop = group.newLoop("fill");
    CompletableFuture<GroupWatch> watch = new CompletableFuture<>();
    ServiceTable table =
        new ServiceTable(
            entries,
            loop::after,
            grace,
            announcements,
            task -> {
              var _ = watch.thenAccept(each -> each.whenCurrent(task));
            });
    Feed feed = new Feed(group.watch(found, loop, table), table);
    watch.complete(feed.watch);
    try {
      group.await(
          feed.watch.ready(), deadline, () -> "the members of the service are not read in time");
    } catch (FabricException failure) {
      feed.close();
      throw failure;
    }
    return feed;
  }

  private VectorFeed share(
      NodeVector vector, Duration grace, MemberListener listener, Deadline deadline) {
    GroupRecord found = group.agree(record(vector.vector().format()));
    NodeTable node =
        NodeTable.open(
            group,
            vector,
            found,
            (entries, timer, announcements, confirmed, told) -> {
              ServiceTable table =
                  new ServiceTable(entries, timer, grace, announcements, confirmed);
              table.resume(told);
              return table;
            },
            listener);
    try {
      group.await(node.when(node::isTold), deadline, node::whoseTurn);
    } catch (FabricException failure) {
      node.close();
      throw failure;
    }
    return node;
  }

  private final class Feed implements VectorFeed {
    private final GroupWatch watch;
    private final ServiceTable table;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    Feed(GroupWatch watch, ServiceTable table) {
      this.watch = watch;
      this.table = table;
      group.opened(this);
    }

    @Override
    public OptionalLong handle(String name) {
      Seat seat = table.seat(Text.required(name, "name"));
      return seat == null ? OptionalLong.empty() : OptionalLong.of(seat.handle);
    }

    @Override
    public int size() {
      return table.size();
    }

    @Override
    public void close() {
      if (isClosed.compareAndSet(false, true)) {
        group.closed(this);
        watch.close(group.options().timeout());
      }
    }
  }
}
