// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * Room for messages that came before a receive was posted for them: bounded for each peer and in
 * all, for all receive contexts that share connections or a lock. A message for which there is none
 * stays in its connection, which is not read from until a receive takes the message or there is
 * room.
 *
 * <p>For one thread at a time.
 */
final class UnexpectedRoom {
  // Parked messages for which their peers have room, but not all peers together.
  private final MatchQueue<Message> waiting = new MatchQueue<>(Matchable.WAITING);

  // Peers with parked messages of which others were taken meanwhile.
  private @Nullable Peer relieved;

  private final Operations<Message> idle = new Operations<>();
  private long turns;
  private int kept;
  private long bytes;

  private static boolean peerHasRoom(Peer from, long payload) {
    return from.unexpectedMessages < TcpLimits.PEER_UNEXPECTED_MESSAGES
        && payload <= TcpLimits.PEER_UNEXPECTED_BYTES - from.unexpectedBytes;
  }

  private boolean allHaveRoom(long payload) {
    return kept < TcpLimits.UNEXPECTED_MESSAGES && payload <= TcpLimits.UNEXPECTED_BYTES - bytes;
  }

  /** A message to be filled in, which comes after all others. */
  Message take() {
    Message message = idle.poll();
    if (message == null) {
      message = new Message();
    }
    message.turn = turns++;
    return message;
  }

  /** Makes room for the bytes of a parked message if the bounds allow that. */
  boolean findRoom(Message message) {
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
