// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A member on its way into the tree and in it: the answer of its join, and its state from then on.
 * Any thread may ask for the state; the loop changes it.
 */
final class Publication {
  private final CompletableFuture<Member> answer = new CompletableFuture<>();
  private final Consumer<Membership.State> listener;
  private Membership.State reported = Membership.State.JOINED;

  private volatile boolean isReplaced;

  /** Why the rank cannot be had at present; empty if nothing is known against it. */
  private volatile String obstacle = "";

  /**
   * A publication that has not begun.
   *
   * @param listener hears each change of the state after the member was published; called by the
   *     loop
   */
  Publication(Consumer<Membership.State> listener) {
    this.listener = listener;
  }

  /** The member with its incarnation, once it is published. */
  CompletableFuture<Member> answer() {
    return answer;
  }

  boolean isReplaced() {
    return isReplaced;
  }

  String obstacle() {
    return obstacle;
  }

  void hinder(String why) {
    obstacle = why;
  }

  /** Reports a state if it is another than before; replaced is final. */
  void report(Membership.State state) {
    if (answer.isDone() && !isReplaced && state != reported) {
      reported = state;
      isReplaced = state == Membership.State.REPLACED;
      listener.accept(state);
    }
  }

  /** A member of this process, from before it is published until it is closed. */
  static final class Published implements Membership {
    private final Group group;
    private final Group.Publishing publishing;
    private final String name;
    private final Publication publication = new Publication(this::changed);
    private final AtomicBoolean isClosed = new AtomicBoolean();

    /** Of the thread that calls them. */
    private final List<Announcements> listeners = new ArrayList<>();

    private State heard = State.JOINED;

    Published(Group group, Group.Publishing publishing, String name) {
      this.group = group;
      this.publishing = publishing;
      this.name = name;
      group.opened(this);
    }

    void join(Member member, Deadline deadline) {
      publishing.loop().execute(() -> publishing.process().join(member, publication));
      try {
        group.await(
            publication.answer(),
            deadline,
            () ->
                "group "
                    + group.paths().group()
                    + ": "
                    + member.words()
                    + " is not published in time; is ZooKeeper there?");
      } catch (FabricException late) {
        String obstacle = publication.obstacle();
        if (late.errno() == Errno.ETIMEDOUT && !obstacle.isEmpty()) {
          throw new FabricException(Errno.EALREADY, obstacle);
        }
        throw late;
      }
    }

    /** Refuses a member that was replaced since it was published. */
    @SuppressWarnings("FutureReturnValueIgnored") // the inner one is composed
    void requireInPlace(Deadline deadline) {
      group.await(
          publishing
              .loop()
              .ask(() -> publishing.process().lease().settled(publication))
              .thenCompose(it -> it),
          deadline,
          () -> member().words() + " has lost its session, and is not published again in time");
      if (publication.isReplaced()) {
        throw new FabricException(
            Errno.EALREADY, member().words() + " was replaced before its join was done");
      }
    }

    @Override
    public Member member() {
      return publication.answer().join();
    }

    @Override
    public State state() {
      return isClosed.get() ? State.CLOSED : publishing.process().state(publication);
    }

    @Override
    public void addListener(MemberListener listener) {
      Announcements added = new Announcements(listener);
      publishing
          .listening()
          .execute(() -> {
            listeners.add(added);
            if (heard != State.JOINED) {
              tell(added, heard);
            }
          });
    }

    private void changed(State state) {
      publishing
          .listening()
          .execute(() -> {
            heard = state;
            listeners.forEach(each -> tell(each, state));
          });
    }

    private void tell(Announcements listener, State state) {
      listener.add(new MemberEvent.StateChanged(member(), state));
      listener.tell();
    }

    @Override
    public void close() {
      if (isClosed.compareAndSet(false, true)) {
        group.closed(this);
        group.leave(publishing, name, publication);
      }
    }
  }
}
