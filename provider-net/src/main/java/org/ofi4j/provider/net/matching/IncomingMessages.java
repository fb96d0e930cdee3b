// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.transfer.AnnouncedMessages;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Nowhere;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * The messages that come over one connection: each goes to a receive, or is kept until there is
 * one. Guarded by the lock of the endpoint, or of all that share the receives.
 */
public final class IncomingMessages implements Message.Carrier {
  private final Link link;
  private final Sender from;
  private final Matching matching;
  private final UnexpectedRoom room;
  private final @Nullable ReceiveOutcomes endpoint;

  // What the peer has announced.
  private final AnnouncedMessages<ReadyToSend> announced = new AnnouncedMessages<>();

  /** Where a message goes that nobody wants: it is answered like any other. */
  private final Arrival unwanted =
      new Nowhere() {
        @Override
        public void whole(FrameHeader header) {
          answer((header.flags() & FrameHeader.DELIVERY_COMPLETE) != 0);
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
    room = matching.room();
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
    Message message = matching.keep(header, this, from, endpoint);
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
    ReadyToSend ready = new ReadyToSend(this, header);
    Receive receive = matching.match(header, from, endpoint);
    if (receive != null) {
      ready.clear(receive);
    } else {
      Message message = matching.keep(header, this, from, endpoint);
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

  /** An announced message has come: says where its payload goes. */
  public Arrival beginAnnounced(FrameHeader header) throws ProtocolException {
    ReadyToSend ready = announced.at(header.number());
    if (ready == null || !ready.isCleared() || ready.length != header.payload()) {
      throw new ProtocolException("a message came as announced that was not asked for");
    }
    announced.remove(header.number());
    return ready;
  }

  /** Why there is no room for the message that the connection is paused for. */
  public FullRoom full() {
    return room.full(link);
  }

  @Override
  public Link link() {
    return link;
  }

  // Reading on after a pause.

  @Override
  public void resume(@Nullable ReadyToSend ready, @Nullable Receive to) {
    if (!link.isOpen()) {
      // The peer was to be told of the room, and that failed.
      if (to != null) {
        matching.giveBack(to);
      }
    } else if (ready != null) {
      announced.put(ready.number, ready);
      ready.clear(to);
      link.resume(Nowhere.INSTANCE);
    } else if (to != null) {
      to.incoming = this;
      link.resume(to);
    } else {
      link.resume(unwanted);
    }
  }

  @Override
  public void resume(Message message) {
    ReadyToSend ready = message.ready;
    if (!link.isOpen()) {
      matching.lose(message);
    } else if (ready != null) {
      message.state = Message.State.ANNOUNCED;
      announced.put(ready.number, ready);
      link.resume(Nowhere.INSTANCE);
    } else {
      link.resume(message);
    }
  }

  // The end of a payload.

  @Override
  public void whole(Receive receive, long length, boolean acknowledged) {
    matching.received(receive, from, length);
    answer(acknowledged);
  }

  @Override
  public void whole(Message message, boolean acknowledged) {
    matching.whole(message);
    answer(acknowledged);
  }

  @Override
  public void answer(boolean acknowledged) {
    if (acknowledged) {
      link.writer().acknowledge();
    }
    room.tell(link, from);
  }

  @Override
  public void unusable(Receive receive, Throwable failed) {
    matching.fail(receive, failed);
  }

  @Override
  public void brokeOff(Receive receive) {
    matching.giveBack(receive);
  }

  @Override
  public void brokeOff(Message message) {
    matching.lose(message);
  }

  @Override
  public Arrival unwanted() {
    return unwanted;
  }

  @Override
  public void without(Message message, Object closed) {
    matching.without(message, closed);
  }

  /** A context is closed: announced messages that were to go to its receives go nowhere. */
  public void withdraw(Object closed) {
    announced.forEach(ready -> ready.without(closed));
  }

  /** Whether no message is announced. */
  public boolean isAtRest() {
    return announced.isEmpty();
  }

  /** The connection is closed: what was announced and what it was paused for are lost. */
  public void dropped() {
    announced.removeAll(ReadyToSend::lost);
    Message paused = room.pollPaused(link);
    if (paused != null) {
      matching.lose(paused);
    }
  }
}
