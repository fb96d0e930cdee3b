package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * Messages that came before a receive was posted for them, in the order of arrival; bounded for
 * each peer and in all. A message for whose bytes there is no room stays in its connection, which
 * is not read from until a receive takes the message or there is room.
 *
 * <p>Receives that want a tag as it is, or no tag, find theirs in tables; those that ignore bits of
 * the tag look at one after the other.
 *
 * <p>For one thread at a time.
 */
final class UnexpectedMessages {
  private final MatchQueue<Message> all = new MatchQueue<>(Matchable.ALL);
  private final MatchTable<Message> same = new MatchTable<>(Matchable.SAME);
  private final MatchTable<Message> sameSender = new MatchTable<>(Matchable.SAME_SENDER);
  private final boolean directed;

  // Messages that a peek has put aside for the receive with its context.
  private final MatchQueue<Message> claimed = new MatchQueue<>(Matchable.ALL);

  // Parked ones for which their peers have room, but not all peers together.
  private final MatchQueue<Message> waiting = new MatchQueue<>(Matchable.WAITING);

  // Peers with parked messages of which others were taken meanwhile.
  private @Nullable Peer relieved;

  private final Operations<Message> idle = new Operations<>();
  private final MatchKey open = new MatchKey();
  private long turns;
  private int kept;
  private long bytes;

  /**
   * No messages yet.
   *
   * @param directed whether receives may ask for those of one sender
   */
  UnexpectedMessages(boolean directed) {
    this.directed = directed;
  }

  /** Those that can be matched. */
  int size() {
    return all.size();
  }

  private static boolean peerHasRoom(Peer from, long payload) {
    return from.unexpectedMessages < TcpLimits.PEER_UNEXPECTED_MESSAGES
        && payload <= TcpLimits.PEER_UNEXPECTED_BYTES - from.unexpectedBytes;
  }

  private boolean allHaveRoom(long payload) {
    return kept < TcpLimits.UNEXPECTED_MESSAGES && payload <= TcpLimits.UNEXPECTED_BYTES - bytes;
  }

  /**
   * Adds a message whose header has come; parked if there is no room for its bytes.
   *
   * @param room how many bytes of it are kept: none if it is only announced
   */
  Message add(
      @Nullable Connection connection,
      MatchKey key,
      long payload,
      long room,
      boolean hasData,
      long data) {
    Message message = idle.poll();
    if (message == null) {
      message = new Message();
    }
    message.turn = turns++;
    message.connection = connection;
    message.key.set(key);
    message.hasData = hasData;
    message.data = data;
    message.payload = payload;
    message.room = room;
    message.state = Message.State.PARKED;
    findRoom(message);
    all.add(message);
    open.set(key, null);
    same.add(message, open);
    if (directed) {
      sameSender.add(message, key);
    }
    return message;
  }

  /** Makes room for the bytes of a parked message if the bounds allow that. */
  private boolean findRoom(Message message) {
    if (!peerHasRoom(message.sender(), message.room)) {
      return false;
    }
    // Those that wait come first.
    if (!allHaveRoom(message.room) || (!waiting.isEmpty() && waiting.first() != message)) {
      if (!message.stands(Matchable.WAITING)) {
        waiting.add(message);
      }
      return false;
    }
    message.makeRoom();
    message.state = Message.State.ARRIVING;
    count(message, 1);
    return true;
  }

  /**
   * A parked message for which there is room now; its connection is to be read on. Null if there is
   * none.
   */
  @Nullable Message nextWithRoom() {
    for (Peer peer = relieved; peer != null; peer = relieved) {
      Message message = parked(peer.connection);
      if (message == null || !findRoom(message)) {
        message = parked(peer.loopback);
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
      if (!found && peerHasRoom(first.sender(), first.room)) {
        return null;
      }
      // If its peer has no room any more, it has its turn when that has.
      waiting.remove(first);
      if (found) {
        return first;
      }
    }
    return null;
  }

  /** What a connection is parked for, unless that is in line already. */
  private static @Nullable Message parked(@Nullable Connection connection) {
    Message message = connection == null ? null : connection.parkedMessage;
    return message == null || message.stands(Matchable.WAITING) ? null : message;
  }

  /** The first one that a receive takes, which stays; null if there is none. */
  @Nullable Message match(Receive receive) {
    if (receive.ignore == 0) {
      return receive.key.from == null ? same.first(receive.key) : sameSender.first(receive.key);
    }
    for (Message each = all.first(); each != null; each = all.after(each)) {
      if (receive.takes(each.key)) {
        return each;
      }
    }
    return null;
  }

  /** The first one; null if there is none. */
  @Nullable Message first() {
    return all.first();
  }

  /**
   * The one after another one, which may have been taken out since.
   *
   * @param turn of the other one, when it was in
   */
  @Nullable Message after(long turn, Message message) {
    if (message.turn == turn && message.stands(Matchable.SAME)) {
      return all.after(message);
    }
    Message each = all.first();
    while (each != null && each.turn <= turn) {
      each = all.after(each);
    }
    return each;
  }

  /** Takes one out: it has been matched, or its connection is lost. */
  void remove(Message message) {
    if (message.stands(Matchable.SAME)) {
      all.remove(message);
      open.set(message.key, null);
      same.remove(message, open);
      if (directed) {
        sameSender.remove(message, message.key);
      }
    } else if (message.stands(Matchable.ALL)) {
      claimed.remove(message);
    }
  }

  /** Puts one aside for a receive with a context. */
  void claim(Message message, @Nullable Object context) {
    remove(message);
    message.context = context;
    claimed.add(message);
  }

  /** Takes the message that was put aside for a context; null if there is none. */
  @SuppressWarnings("ReferenceEquality") // contexts are told apart by identity, as in C
  @Nullable Message pollClaimed(@Nullable Object context) {
    for (Message each = claimed.first(); each != null; each = claimed.after(each)) {
      if (each.context == context) {
        claimed.remove(each);
        return each;
      }
    }
    return null;
  }

  /** Forgets a message that was taken out. */
  void release(Message message) {
    if (message.stands(Matchable.WAITING)) {
      waiting.remove(message);
    }
    if (message.state != Message.State.PARKED) {
      count(message, -1);
      relieve(message.sender());
    }
    message.clear();
    if (idle.size() < TcpLimits.IDLE_MESSAGES) {
      idle.add(message);
    }
  }

  private void relieve(Peer peer) {
    if (!peer.isRelieved && (parked(peer.connection) != null || parked(peer.loopback) != null)) {
      peer.isRelieved = true;
      peer.nextRelieved = relieved;
      relieved = peer;
    }
  }

  private void count(Message message, int sign) {
    Peer from = message.sender();
    kept += sign;
    bytes += sign * message.room;
    from.unexpectedMessages += sign;
    from.unexpectedBytes += sign * message.room;
  }
}
