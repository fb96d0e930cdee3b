package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;

/**
 * Messages that came before a receive was posted for them, in the order of arrival; bounded for
 * each peer and in all. For one thread at a time.
 */
final class UnexpectedMessages {
  private final Operations<Message> messages = new Operations<>();
  private final Operations<Message> idle = new Operations<>();
  private final MatchKey key = new MatchKey();
  private int kept;
  private long bytes;

  /** Whether a message can be kept, so that its connection can be read on. */
  boolean hasRoom(Peer from, long payload) {
    return kept < TcpLimits.UNEXPECTED_MESSAGES
        && from.unexpectedMessages < TcpLimits.PEER_UNEXPECTED_MESSAGES
        && payload <= TcpLimits.PEER_UNEXPECTED_BYTES - from.unexpectedBytes
        && payload <= TcpLimits.UNEXPECTED_BYTES - bytes;
  }

  /** Adds a message whose header has come; parked if there is no room for its bytes. */
  Message add(Connection connection, Peer from, FrameHeader header) {
    Message message = idle.poll();
    if (message == null) {
      message = new Message();
    }
    message.connection = connection;
    message.from = from;
    message.tagged = header.operation() == FrameHeader.TAGGED;
    message.tag = header.tag();
    message.hasData = (header.flags() & FrameHeader.HAS_DATA) != 0;
    message.data = header.data();
    message.payload = header.payload();
    if (hasRoom(from, header.payload())) {
      message.makeRoom();
      message.state = Message.State.ARRIVING;
      count(message, 1);
    } else {
      message.state = Message.State.PARKED;
    }
    messages.add(message);
    return message;
  }

  /** Takes the first one that a receive takes; null if there is none. */
  @Nullable Message match(Receive receive) {
    Message before = null;
    for (Message each = messages.first(); each != null; each = messages.after(each)) {
      Peer from = each.from;
      if (from != null && each.claimant == null) {
        key.set(each.tagged, each.tag, from);
        if (receive.takes(key)) {
          messages.removeAfter(before, each);
          return each;
        }
      }
      before = each;
    }
    return null;
  }

  /** Takes one out: it has been matched, or its connection is lost. */
  void remove(Message message) {
    Message before = null;
    for (Message each = messages.first(); each != null; each = messages.after(each)) {
      if (each.equals(message)) {
        messages.removeAfter(before, each);
        return;
      }
      before = each;
    }
  }

  /** Forgets a message that was taken out. */
  void release(Message message) {
    if (message.state != Message.State.PARKED) {
      count(message, -1);
    }
    message.clear();
    if (idle.size() < TcpLimits.PEER_UNEXPECTED_MESSAGES) {
      idle.add(message);
    }
  }

  private void count(Message message, int sign) {
    Peer from = message.from;
    kept += sign;
    bytes += sign * message.payload;
    if (from != null) {
      from.unexpectedMessages += sign;
      from.unexpectedBytes += sign * message.payload;
    }
  }
}
