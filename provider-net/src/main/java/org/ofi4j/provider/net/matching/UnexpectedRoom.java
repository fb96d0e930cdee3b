// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Objects;
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
final class UnexpectedRoom {
  /**
   * The messages that are kept from one kind of sender: peers in the vector, or strangers. Those
   * that wait for space in it are queued in the order of arrival.
   */
  private final class Budget extends MatchQueue<Message> {
    /** Which part of the bounds it has: all of them, or this fraction. */
    final int part;

    /** The most that may be kept of one sender. */
    final long mostPerPeer;

    /** The bytes that count as kept. */
    long bytes;

    /** The number of messages that are only announced. */
    int announced;

    Budget(int part, long mostPerPeer) {
      super(Matchable.WAITING);
      this.part = part;
      this.mostPerPeer = mostPerPeer;
    }

    long perPeer() {
      return Math.min(bounds.perPeer(), mostPerPeer);
    }

    long inAll() {
      return bounds.inAll() / part;
    }

    /** Counts a message that is kept from now on (1), or no longer (-1). */
    void count(Message message, int sign) {
      bytes += sign * message.room;
      if (message.room == 0) {
        announced += sign;
      }
    }

    /** Has a message wait for space, unless it does already. */
    void await(Message message) {
      if (!message.stands(Matchable.WAITING)) {
        add(message);
      }
    }

    /** Takes a message out of those that wait, if it is one of them. */
    void leave(Message message) {
      if (message.stands(Matchable.WAITING)) {
        remove(message);
      }
    }
  }

  // The messages that connections are paused for, because nothing takes them yet.
  private final IdentityHashMap<Link, Message> paused = new IdentityHashMap<>();

  private final Budget members = new Budget(1, Long.MAX_VALUE);
  private final Budget strangers = new Budget(TcpLimits.STRANGERS, EarlyMessages.STRANGER);

  // Peers with paused messages of which others were taken meanwhile.
  // A list through the senders: to give room back needs no memory.
  private @Nullable Sender relieved;

  // Strangers with paused messages, for which there may be space once they are in the vector.
  private final Deque<Sender> uninserted = new ArrayDeque<>();

  private final Supplier<@Nullable Peers> vector;
  private final MessageSource source = new MessageSource();
  private EarlyMessages bounds = EarlyMessages.defaults();

  private final Operations<Message> idle = new Operations<>();
  private final Deque<MemorySegment> blocks = new ArrayDeque<>();
  private long turns;

  /**
   * Space of which nothing is used.
   *
   * @param vector has the peers; without one there are no strangers
   */
  UnexpectedRoom(Supplier<@Nullable Peers> vector) {
    this.vector = vector;
  }

  void bound(EarlyMessages early) {
    bounds = early;
  }

  /** Returns whether a sender is a stranger now: the vector does not have it. */
  boolean isStranger(Sender from) {
    Peers peers = vector.get();
    return peers != null && !from.find(peers, source);
  }

  /** Returns what the messages of a sender count in now. */
  private Budget budget(Sender from) {
    Budget before = budgetBefore(from);
    from.isStranger = isStranger(from);
    Budget now = budgetBefore(from);
    if (!now.equals(before)) {
      // It was inserted into the vector, or removed.
      for (Message each = from.kept.first(); each != null; each = from.kept.after(each)) {
        before.count(each, -1);
        now.count(each, 1);
      }
      Message waiting = paused(from);
      if (waiting != null && waiting.stands(Matchable.WAITING)) {
        before.leave(waiting);
        now.await(waiting);
      }
    }
    return now;
  }

  /** Returns what the messages of a sender have counted in so far. */
  private Budget budgetBefore(Sender from) {
    return from.isStranger ? strangers : members;
  }

  private long bytes() {
    return members.bytes + strangers.bytes;
  }

  private static boolean peerHasRoom(Message message, Budget budget) {
    return message.sender().unexpectedBytes + message.room <= budget.perPeer();
  }

  private boolean allHaveRoom(Message message, Budget budget) {
    if (message.room == 0) {
      int most = TcpLimits.ANNOUNCED_MESSAGES;
      return members.announced + strangers.announced < most
          && budget.announced < most / budget.part;
    }
    return message.room <= members.inAll() - bytes()
        && message.room <= budget.inAll() - budget.bytes;
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
    Budget budget = budget(from);
    String peer = from.toString();
    if (!peerHasRoom(message, budget)) {
      return new FullRoom(
          peer, message.payload, FullRoom.PEER, from.unexpectedBytes, budget.perPeer());
    }
    // A message also waits where there is space, behind older ones of the same budget.
    return budget.equals(strangers) && bytes() + message.room <= bounds.inAll()
        ? new FullRoom(peer, message.payload, FullRoom.STRANGERS, strangers.bytes, budget.inAll())
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

  /** Makes room for the bytes of a paused message if the bounds and older messages allow that. */
  @SuppressWarnings("ReferenceEquality") // the message itself
  boolean findRoom(Message message) {
    Sender from = message.sender();
    Budget budget = budget(from);
    boolean fits = peerHasRoom(message, budget);
    if (fits && allHaveRoom(message, budget) && (budget.isEmpty() || budget.first() == message)) {
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
      message.bytes = MemorySegment.ofArray(new byte[(int) message.payload]);
      return;
    }
    MemorySegment block = blocks.poll();
    message.bytes =
        block == null ? MemorySegment.ofArray(new byte[TcpLimits.UNEXPECTED_BLOCK]) : block;
  }

  /**
   * A paused message for which there is room now; its connection is to be read on. Null if there is
   * none.
   */
  @Nullable Message nextWithRoom() {
    for (Sender peer = relieved; peer != null; peer = relieved) {
      Message message = paused(peer);
      if (message != null && !message.stands(Matchable.WAITING) && findRoom(message)) {
        return message;
      }
      relieved = peer.nextRelieved;
      peer.nextRelieved = null;
      peer.isRelieved = false;
    }
    Message message = nextWithRoom(members);
    if (message == null) {
      message = nextWithRoom(strangers);
    }
    return message == null ? nextOfStrangers() : message;
  }

  @SuppressWarnings("ReferenceEquality") // the message itself
  private @Nullable Message nextWithRoom(Budget budget) {
    for (Message next = budget.first(); next != null; next = budget.first()) {
      if (findRoom(next)) {
        return next;
      }
      if (budget.first() == next) {
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
    Message message = paused(peer);
    return message != null && findRoom(message) ? message : null;
  }

  /** Returns the message of a peer that the connection is paused over which it comes, or null. */
  private @Nullable Message paused(Sender peer) {
    Message message = paused(peer.link());
    return message == null ? paused(peer.loopback()) : message;
  }

  private @Nullable Message paused(@Nullable Link link) {
    return link == null || paused.isEmpty() ? null : paused.get(link);
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
    budgetBefore(message.sender()).leave(message);
    if (message.state != Message.State.PAUSED) {
      count(message, -1);
      relieve(message.sender());
    }
    if (message.bytes.byteSize() == TcpLimits.UNEXPECTED_BLOCK
        && blocks.size() < TcpLimits.IDLE_MESSAGES) {
      blocks.push(message.bytes);
    }
    message.clear();
    if (idle.size() < TcpLimits.IDLE_MESSAGES) {
      idle.add(message);
    }
  }

  private void relieve(Sender peer) {
    Message message = peer.isRelieved ? null : paused(peer);
    if (message != null && !message.stands(Matchable.WAITING)) {
      peer.isRelieved = true;
      peer.nextRelieved = relieved;
      relieved = peer;
    }
  }

  private void count(Message message, int sign) {
    Sender from = message.sender();
    budgetBefore(from).count(message, sign);
    from.unexpectedBytes += sign * message.room;
    if (sign > 0) {
      from.kept.add(message);
    } else {
      from.kept.remove(message);
    }
  }
}
