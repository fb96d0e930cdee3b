// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EarlyMessages;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The space for messages that came before a receive was posted for them: {@linkplain EarlyMessages
 * bounded} for each peer and in all, for all receive contexts that share connections or a lock.
 * Strangers together have a part of it, so that peers in the vector have the remaining part in any
 * case. A message without space stays in its connection, which is not read from until a receive
 * takes the message or there is space.
 *
 * <p>For one thread at a time.
 */
public final class UnexpectedRoom {
  // The messages that connections are paused for, because nothing takes them yet.
  private final IdentityHashMap<Link, Message> paused = new IdentityHashMap<>();

  private final EarlyBudget members = new EarlyBudget();
  private final EarlyBudget strangers = new EarlyBudget();

  // Peers with paused messages of which others were taken meanwhile.
  // A list through the senders: to give room back needs no memory.
  private @Nullable Sender relieved;

  // Strangers with paused messages, for which there may be space once they are in the vector.
  private final Deque<Sender> uninserted = new ArrayDeque<>();

  private final Predicate<Sender> known;
  private EarlyMessages bounds = EarlyMessages.defaults();

  private final Operations<Message> idle = new Operations<>();
  private final Deque<MemorySegment> blocks = new ArrayDeque<>();
  private long turns;

  public UnexpectedRoom(Predicate<Sender> known) {
    this.known = known;
  }

  /** Whether peers are in a vector; all are where there is none. */
  public static Predicate<Sender> in(Supplier<@Nullable Peers> vector) {
    MessageSource source = new MessageSource();
    return peer -> {
      Peers peers = vector.get();
      if (peers == null) {
        return true;
      }
      source.unknown();
      peer.find(peers, source);
      return source.isKnown();
    };
  }

  void bound(EarlyMessages early) {
    bounds = early;
  }

  /** Returns whether a sender is a stranger now: the vector does not have it. */
  boolean isStranger(Sender from) {
    return !known.test(from);
  }

  /** Returns what the messages of a sender count in now. */
  private EarlyBudget budget(Sender from) {
    EarlyBudget now = isStranger(from) ? strangers : members;
    EarlyBudget before = from.budget;
    if (!now.equals(before)) {
      from.budget = now;
      if (before != null) {
        move(from, before, now);
      }
    }
    return now;
  }

  /** A sender was inserted into the vector, or removed: its messages count elsewhere. */
  private void move(Sender from, EarlyBudget before, EarlyBudget now) {
    for (Message each = from.kept.first(); each != null; each = from.kept.after(each)) {
      before.count(each, -1);
      now.count(each, 1);
    }
    move(from.link(), before, now);
    move(from.loopback(), before, now);
  }

  private void move(@Nullable Link link, EarlyBudget before, EarlyBudget now) {
    Message message = link == null ? null : paused.get(link);
    if (message != null && message.stands(Matchable.WAITING)) {
      before.leave(message);
      now.await(message);
    }
  }

  private long bytes() {
    return members.bytes() + strangers.bytes();
  }

  /** Returns the bytes that may be kept of the messages of one sender. */
  private long boundOfPeer(EarlyBudget budget) {
    return budget.equals(members)
        ? bounds.perPeer()
        : Math.min(bounds.perPeer(), EarlyMessages.STRANGER);
  }

  private boolean peerHasRoom(Message message, EarlyBudget budget) {
    return message.sender().unexpectedBytes + message.room <= boundOfPeer(budget);
  }

  private long boundOfAll(EarlyBudget budget) {
    return budget.equals(members) ? bounds.inAll() : bounds.inAll() / TcpLimits.STRANGERS;
  }

  private boolean allHaveRoom(Message message, EarlyBudget budget) {
    boolean stranger = budget.equals(strangers);
    if (message.room == 0) {
      int most = TcpLimits.ANNOUNCED_MESSAGES;
      return members.announced() + strangers.announced() < most
          && !(stranger && strangers.announced() >= most / TcpLimits.STRANGERS);
    }
    return message.room <= bounds.inAll() - bytes()
        && message.room <= boundOfAll(budget) - (stranger ? strangers.bytes() : 0);
  }

  /** How much one peer may send early as long as nothing is kept. */
  long window() {
    return Math.min(bounds.perPeer(), bounds.inAll() / TcpLimits.WINDOWS);
  }

  /** How much a peer may send early now, besides what is kept of it. */
  long window(Sender peer) {
    long left = Math.min(window(), (bounds.inAll() - bytes()) / TcpLimits.WINDOWS);
    return Math.max(0, Math.min(left, bounds.perPeer() - peer.unexpectedBytes));
  }

  /** Why there is no room for the message that a connection is paused for. */
  FullRoom full(Link link) {
    Message message = Objects.requireNonNull(paused.get(link));
    Sender from = message.sender();
    EarlyBudget budget = budget(from);
    String peer = from.toString();
    if (!peerHasRoom(message, budget)) {
      return new FullRoom(
          peer, message.payload, FullRoom.PEER, from.unexpectedBytes, boundOfPeer(budget));
    }
    // A message also waits where there is space, behind older ones of the same budget.
    return budget.equals(strangers) && bytes() + message.room <= bounds.inAll()
        ? new FullRoom(
            peer, message.payload, FullRoom.STRANGERS, strangers.bytes(), boundOfAll(budget))
        : new FullRoom(peer, message.payload, FullRoom.ALL, bytes(), bounds.inAll());
  }

  /**
   * A message that comes after all others; paused if there is no room for its bytes.
   *
   * @param announced whether only that it is going to come
   */
  Message take(MatchKey key, Sender from, long payload, boolean announced) {
    Message message = idle.poll();
    if (message == null) {
      message = new Message();
    }
    message.turn = turns++;
    message.key.set(key);
    message.from = from;
    message.life = from.lives;
    message.payload = payload;
    message.room = announced ? 0 : Math.max(payload, TcpLimits.UNEXPECTED_BLOCK);
    message.state = Message.State.PAUSED;
    findRoom(message);
    return message;
  }

  /** Makes room for the bytes of a paused message if the bounds allow that. */
  boolean findRoom(Message message) {
    Sender from = message.sender();
    EarlyBudget budget = budget(from);
    boolean fits = peerHasRoom(message, budget);
    if (fits && allHaveRoom(message, budget) && budget.isTurnOf(message)) {
      budget.leave(message);
      makeRoom(message);
      message.state = Message.State.ARRIVING;
      count(message, 1);
      return true;
    }
    if (fits) {
      budget.await(message);
    } else {
      // It has its turn when its peer has room.
      budget.leave(message);
    }
    if (budget.equals(strangers)) {
      awaitInsertion(from);
    }
    return false;
  }

  /** Looks again, later, if there is room for a message once its sender is in the vector. */
  private void awaitInsertion(Sender from) {
    if (!from.isUninserted) {
      from.isUninserted = true;
      uninserted.add(from);
    }
  }

  private void makeRoom(Message message) {
    if (message.room == 0 || message.payload == 0) {
      return;
    }
    if (message.payload > TcpLimits.UNEXPECTED_BLOCK) {
      message.keepIn(MemorySegment.ofArray(new byte[(int) message.payload]));
      return;
    }
    MemorySegment block = blocks.poll();
    if (block == null) {
      block = MemorySegment.ofArray(new byte[TcpLimits.UNEXPECTED_BLOCK]);
    }
    message.block = block;
    message.keepIn(block);
  }

  /**
   * A paused message for which there is room now; its connection is to be read on. Null if there is
   * none.
   */
  @Nullable Message nextWithRoom() {
    for (Sender peer = relieved; peer != null; peer = relieved) {
      Message message = paused(peer.link());
      if (message == null || !findRoom(message)) {
        message = paused(peer.loopback());
        if (message == null || !findRoom(message)) {
          relieved = peer.nextRelieved;
          peer.nextRelieved = null;
          peer.isRelieved = false;
          continue;
        }
      }
      return message;
    }
    Message message = nextWithRoom(members);
    if (message == null) {
      message = nextWithRoom(strangers);
    }
    return message == null ? nextOfStrangers() : message;
  }

  @SuppressWarnings("ReferenceEquality") // the message itself
  private @Nullable Message nextWithRoom(EarlyBudget budget) {
    for (Message next = budget.next(); next != null; next = budget.next()) {
      if (findRoom(next)) {
        return next;
      }
      if (budget.next() == next) {
        return null;
      }
    }
    return null;
  }

  /** Looks after one peer at a time, as there may be many, and most of them stay strangers. */
  private @Nullable Message nextOfStrangers() {
    Sender peer = uninserted.poll();
    if (peer == null) {
      return null;
    }
    peer.isUninserted = false;
    Message message = pausedFor(peer.link());
    if (message == null) {
      message = pausedFor(peer.loopback());
    }
    return message != null && findRoom(message) ? message : null;
  }

  private @Nullable Message pausedFor(@Nullable Link link) {
    return link == null || paused.isEmpty() ? null : paused.get(link);
  }

  /** What a connection is paused for, unless that is in line already. */
  private @Nullable Message paused(@Nullable Link link) {
    Message message = pausedFor(link);
    return message == null || message.stands(Matchable.WAITING) ? null : message;
  }

  void pause(Link link, Message message) {
    paused.put(link, message);
  }

  /** Takes the message that a connection is paused for; null if it is for none. */
  @Nullable Message pollPaused(Link link) {
    return paused.isEmpty() ? null : paused.remove(link);
  }

  /** Forgets a message that was taken out: there is room for others, and its sender is told. */
  void release(Message message) {
    Sender from = message.sender();
    forget(message);
    tellAtOnce(from.link(), from);
    tellAtOnce(from.loopback(), from);
  }

  private void tellAtOnce(@Nullable Link link, Sender peer) {
    if (link != null && tell(link, peer)) {
      link.write();
    }
  }

  /**
   * Has a peer told how much it may send early, if that is much more than it knows; it is to be
   * written.
   *
   * @return false if there is nothing to tell
   */
  boolean tell(Link link, Sender peer) {
    if (!link.isOpen() || !link.agreement().hasRooms()) {
      return false;
    }
    long bytes = link.credit().grant(window(peer));
    if (bytes < 0) {
      return false;
    }
    link.writer().tellRoom(bytes);
    return true;
  }

  /** Forgets a message that was taken out, and tells nobody. */
  void forget(Message message) {
    EarlyBudget budget = message.sender().budget;
    if (budget != null) {
      budget.leave(message);
    }
    if (message.state != Message.State.PAUSED) {
      count(message, -1);
      relieve(message.sender());
    }
    MemorySegment block = message.block;
    if (block != null && blocks.size() < TcpLimits.IDLE_MESSAGES) {
      blocks.push(block);
    }
    message.clear();
    if (idle.size() < TcpLimits.IDLE_MESSAGES) {
      idle.add(message);
    }
  }

  private void relieve(Sender peer) {
    if (!peer.isRelieved && (paused(peer.link()) != null || paused(peer.loopback()) != null)) {
      peer.isRelieved = true;
      peer.nextRelieved = relieved;
      relieved = peer;
    }
  }

  private static void count(Message message, int sign) {
    Sender from = message.sender();
    Objects.requireNonNull(from.budget).count(message, sign);
    from.unexpectedBytes += sign * message.room;
    if (sign > 0) {
      from.kept.add(message);
    } else {
      from.kept.remove(message);
    }
  }
}
