// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.transfer.AnnouncedMessages;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * The messages that come over one connection: each goes to a receive, or is kept until there is
 * one. Guarded by the lock of the endpoint, or of all that share the receives.
 */
public final class IncomingMessages {
  /** A large message that the peer has announced: its bytes come when it was told that they may. */
  static final class Announced {
    /** The number that the peer has given it; unique on the connection. */
    final int number;

    final long length;

    /** Whether the peer wants to know when it is in memory, as a flag of its frame. */
    final int flags;

    /** The early message that represents it until a receive takes it. */
    @Nullable Message message;

    // Whether the peer knows that the bytes may come; and where they go, if they are wanted.
    private boolean cleared;
    private @Nullable Receive to;

    Announced(FrameHeader header) {
      number = header.number();
      length = header.messageLength();
      flags = header.flags() & FrameHeader.DELIVERY_COMPLETE;
    }
  }

  final Link link;
  final Sender from;
  final Matching matching;
  private final @Nullable ReceiveOutcomes endpoint;

  // By their numbers.
  private final AnnouncedMessages<Announced> announced = new AnnouncedMessages<>();

  /** Takes a message that no receive wants: it is answered like any other. */
  final Arrival unwanted =
      new Arrival() {
        @Override
        public void whole(FrameHeader header) {
          answer(header);
        }
      };

  /**
   * No messages yet.
   *
   * @param endpoint how they end, if several endpoints share the receives
   */
  public IncomingMessages(
      Link link, Sender from, Matching matching, @Nullable ReceiveOutcomes endpoint) {
    this.link = link;
    this.from = from;
    this.matching = matching;
    this.endpoint = endpoint;
  }

  /**
   * The header of a message has come.
   *
   * @return where its payload goes; null if the connection is paused, as there is no room for it
   */
  public @Nullable Arrival begin(FrameHeader header) {
    link.credit().came(header.size());
    Receive receive = matching.match(header, from, endpoint);
    if (receive != null) {
      receive.incoming = this;
      return receive;
    }
    Message message = matching.keep(header, this, endpoint);
    return message.state == Message.State.PAUSED ? null : message;
  }

  /**
   * A ready to send has come.
   *
   * @return whether it is known by its number from now on; else the connection is paused, as there
   *     is no room for another one
   */
  public boolean announce(FrameHeader header) throws ProtocolException {
    if (!announced.isUnused(header.number())) {
      throw new ProtocolException(
          "a message was announced as number " + header.number() + ", which is 0 or in use");
    }
    Announced ready = new Announced(header);
    Receive receive = matching.match(header, from, endpoint);
    if (receive != null) {
      clear(ready, receive);
    } else {
      Message message = matching.keep(header, this, endpoint);
      message.ready = ready;
      ready.message = message;
      if (message.state == Message.State.PAUSED) {
        return false;
      }
      message.state = Message.State.ANNOUNCED;
    }
    announced.put(ready.number, ready);
    return true;
  }

  /**
   * Lets the bytes of an announced message come; that is not written yet.
   *
   * @param to the receive that takes them; null if they are not wanted
   */
  void clear(Announced ready, @Nullable Receive to) {
    if (to != null) {
      to.incoming = this;
    }
    ready.message = null;
    ready.to = to;
    ready.cleared = true;
    link.writer().clear(ready.number);
  }

  /** An announced message has come: says where its payload goes. */
  public Arrival beginAnnounced(FrameHeader header) throws ProtocolException {
    Announced ready = announced.at(header.number());
    if (ready == null || !ready.cleared || ready.length != header.payload()) {
      throw new ProtocolException("a message came as announced that was not asked for");
    }
    announced.remove(header.number());
    header.announcedWith(ready.flags);
    return ready.to == null ? unwanted : ready.to;
  }

  /** Why there is no room for the message that the connection is paused for. */
  public FullRoom full() {
    return matching.room.full(link);
  }

  /**
   * Reads on: the message that the connection was paused for, which is forgotten already, has a
   * receive.
   *
   * @param ready the same, if only its announcement had come
   * @param to the receive; null if the message is not wanted
   */
  void resume(@Nullable Announced ready, @Nullable Receive to) {
    if (!link.isOpen()) {
      // The peer was to be told of the room, and that failed.
      if (to != null) {
        matching.giveBack(to);
      }
    } else if (ready != null) {
      announced.put(ready.number, ready);
      clear(ready, to);
      link.resume(Arrival.NOWHERE);
    } else if (to != null) {
      to.incoming = this;
      link.resume(to);
    } else {
      link.resume(unwanted);
    }
  }

  /** Reads on: there is room for the message that the connection was paused for. */
  void resume(Message message) {
    Announced ready = message.ready;
    if (!link.isOpen()) {
      matching.lose(message);
    } else if (ready != null) {
      message.state = Message.State.ANNOUNCED;
      announced.put(ready.number, ready);
      link.resume(Arrival.NOWHERE);
    } else {
      link.resume(message);
    }
  }

  /** All of a message has come: gives the peer what is owed for it. */
  void answer(FrameHeader header) {
    if ((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0) {
      link.writer().acknowledge();
    }
    matching.room.tell(link, from);
  }

  /** A context is closed: announced messages that were to go to its receives go nowhere. */
  public void withdraw(Object closed) {
    announced.forEach(ready -> {
      if (ready.to != null && closed.equals(ready.to.owner)) {
        ready.to = null;
      }
    });
  }

  /** Whether no message is announced. */
  public boolean isAtRest() {
    return announced.isEmpty();
  }

  /** The connection is closed: what was announced and what it was paused for are lost. */
  public void dropped() {
    announced.removeAll(ready -> {
      if (ready.message != null) {
        matching.lose(ready.message);
      } else if (ready.to != null) {
        matching.giveBack(ready.to);
      }
    });
    Message paused = matching.room.pollPaused(link);
    if (paused != null) {
      matching.lose(paused);
    }
  }
}
