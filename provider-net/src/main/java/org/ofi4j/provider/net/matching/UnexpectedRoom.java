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
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Room for messages that came before a receive was posted for them: {@linkplain EarlyMessages
 * bounded} for each peer and in all, for all receive contexts that share connections or a lock. A
 * message for which there is none stays in its connection, which is not read from until a receive
 * takes the message or there is room.
 *
 * <p>For one thread at a time.
 */
public final class UnexpectedRoom {
  // The messages that connections are paused for, because nothing takes them yet.
  private final IdentityHashMap<Link, Message> paused = new IdentityHashMap<>();

  // Paused messages for which their peers have room, but not all peers together.
  private final MatchQueue<Message> waiting = new MatchQueue<>(Matchable.WAITING);

  // Peers with paused messages of which others were taken meanwhile.
  // A list through the senders: to give room back needs no memory.
  private @Nullable Sender relieved;

  // Peers with paused messages for which there is room once they are in the vector.
  private final Deque<Sender> strangers = new ArrayDeque<>();

  private final Predicate<Sender> known;
  private EarlyMessages bounds = EarlyMessages.defaults();

  private final Operations<Message> idle = new Operations<>();
  private final Deque<MemorySegment> blocks = new ArrayDeque<>();
  private long turns;
  private int announced;
  private long bytes;

  public UnexpectedRoom(Predicate<Sender> known) {
    this.known = known;
  }

  /** Whether peers are in a vector; all are where there is none. */
  public static Predicate<Sender> in(Supplier<@Nullable TransferPeers> vector) {
    MessageSource source = new MessageSource();
    return peer -> {
      TransferPeers peers = vector.get();
      if (peers != null) {
        peer.find(peers, source);
      }
      return peers == null || source.isKnown();
    };
  }

  void bound(EarlyMessages early) {
    bounds = early;
  }

  private boolean peerHasRoom(Message message) {
    Sender from = message.sender();
    long would = from.unexpectedBytes + message.room;
    return would <= bounds.perPeer() && (would <= EarlyMessages.STRANGER || known.test(from));
  }

  private boolean allHaveRoom(Message message) {
    return message.room == 0
        ? announced < TcpLimits.ANNOUNCED_MESSAGES
        : message.room <= bounds.inAll() - bytes;
  }

  /** How much one peer may send early as long as nothing is kept. */
  long window() {
    return Math.min(bounds.perPeer(), bounds.inAll() / TcpLimits.WINDOWS);
  }

  /** How much a peer may send early now, besides what is kept of it. */
  long window(Sender peer) {
    long left = Math.min(window(), (bounds.inAll() - bytes) / TcpLimits.WINDOWS);
    return Math.max(0, Math.min(left, bounds.perPeer() - peer.unexpectedBytes));
  }

  /** Why there is no room for the message that a connection is paused for. */
  FullRoom full(Link link) {
    Message message = Objects.requireNonNull(paused.get(link));
    Sender from = message.sender();
    boolean ofPeer = !peerHasRoom(message);
    return new FullRoom(
        from.toString(),
        message.payload,
        ofPeer,
        ofPeer ? from.unexpectedBytes : bytes,
        ofPeer && !known.test(from) ? EarlyMessages.STRANGER : bounds.perPeer(),
        bounds.inAll());
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
    message.payload = payload;
    message.room = announced ? 0 : Math.max(payload, TcpLimits.UNEXPECTED_BLOCK);
    message.state = Message.State.PAUSED;
    findRoom(message);
    return message;
  }

  /** Makes room for the bytes of a paused message if the bounds allow that. */
  boolean findRoom(Message message) {
    if (!peerHasRoom(message)) {
      wait(message);
      return false;
    }
    // Those that wait come first.
    if (!allHaveRoom(message) || (!waiting.isEmpty() && waiting.first() != message)) {
      if (!message.stands(Matchable.WAITING)) {
        waiting.add(message);
      }
      return false;
    }
    makeRoom(message);
    message.state = Message.State.ARRIVING;
    count(message, 1);
    return true;
  }

  /** Looks again, later, if there is room for a message once its sender is in the vector. */
  private void wait(Message message) {
    Sender from = message.sender();
    if (!from.isStranger && from.unexpectedBytes + message.room <= bounds.perPeer()) {
      from.isStranger = true;
      strangers.add(from);
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
    for (Message first = waiting.first(); first != null; first = waiting.first()) {
      boolean found = findRoom(first);
      if (!found && peerHasRoom(first)) {
        return null;
      }
      // If its peer has no room any more, it has its turn when that has.
      waiting.remove(first);
      if (found) {
        return first;
      }
    }
    return nextOfStrangers();
  }

  /** Looks after one peer at a time, as there may be many, and most of them stay strangers. */
  private @Nullable Message nextOfStrangers() {
    Sender peer = strangers.poll();
    if (peer == null) {
      return null;
    }
    peer.isStranger = false;
    Message message = paused(peer.link());
    if (message == null) {
      message = paused(peer.loopback());
    }
    return message != null && findRoom(message) ? message : null;
  }

  /** What a connection is paused for, unless that is in line already. */
  private @Nullable Message paused(@Nullable Link link) {
    Message message = link == null || paused.isEmpty() ? null : paused.get(link);
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
    if (message.stands(Matchable.WAITING)) {
      waiting.remove(message);
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

  private void count(Message message, int sign) {
    Sender from = message.sender();
    if (message.room == 0) {
      announced += sign;
    }
    bytes += sign * message.room;
    from.unexpectedMessages += sign;
    from.unexpectedBytes += sign * message.room;
  }
}
