// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.transfer.FrameHandler;
import org.ofi4j.provider.net.transfer.Link;
import org.ofi4j.provider.net.transfer.Operations;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * Brings messages and receives together, in whichever order they come. At no time does a message
 * wait that a posted receive would take, unless the {@linkplain ReceiveContext#starved completion
 * queue} is behind. Guarded by the lock of the endpoint, or of all that share the receives.
 */
public final class Matching {
  private final ReceiveContext[] contexts;

  // By the number of the context.
  private final UnexpectedMessages[] unexpected;
  private final UnexpectedRoom room;
  private final MatchKey key = new MatchKey();

  /** Receives whose message broke off: only as long as the lock is held. */
  private final Operations<Receive> returned = new Operations<>();

  /** Whether messages were lost, or forgotten, whose room others may wait for. */
  private boolean lost;

  /**
   * Brings nothing together yet.
   *
   * @param room where messages of all contexts are kept that come before a receive
   * @param directed whether receives may be directed at a sender
   * @param contexts what messages can be meant for, by its number
   */
  public Matching(UnexpectedRoom room, boolean directed, ReceiveContext... contexts) {
    this.room = room;
    this.contexts = contexts;
    unexpected = new UnexpectedMessages[contexts.length];
    Arrays.setAll(unexpected, _ -> new UnexpectedMessages(directed, room));
  }

  /** The receive context with a number. */
  public ReceiveContext context(int number) {
    return contexts[number];
  }

  int contexts() {
    return contexts.length;
  }

  /** Where messages are kept that come early. */
  public UnexpectedRoom room() {
    return room;
  }

  /** Says how much is kept of messages that come early; returns how much a peer may send so. */
  public long bound(EarlyMessages early) {
    room.bound(early);
    return room.window();
  }

  // Receives.

  /** Posts a receive that was filled in. */
  public void post(Receive receive) {
    ReceiveContext into = into(receive);
    into.posted.add(receive);
    while (receive.stands(Matchable.SAME)) {
      Message message = unexpected(into).match(receive);
      if (message == null || !serve(message)) {
        return;
      }
    }
  }

  private ReceiveContext into(Receive receive) {
    return contexts[Objects.requireNonNull(receive.owner()).number()];
  }

  private UnexpectedMessages unexpected(ReceiveContext into) {
    return unexpected[into.number()];
  }

  private static ReceiveContext into(Message message) {
    return Objects.requireNonNull(message.into);
  }

  /** Gives a message that came early to a receive that was posted since; false if it must wait. */
  private boolean serve(Message message) {
    ReceiveContext into = into(message);
    Receive receive =
        into.match(message.key, message.payload, message.hasData, message.data, message.outcomes);
    if (receive == null) {
      return false;
    }
    unexpected(into).remove(message);
    give(message, receive);
    return true;
  }

  private void give(Message message, Receive receive) {
    switch (message.state) {
      case ARRIVING -> message.claimant = receive;
      case WHOLE -> {
        handOver(message, receive);
        room.release(message);
      }
      case PAUSED -> resume(message, receive);
      case ANNOUNCED -> clear(message, receive);
    }
  }

  /** Lets an announced message come. */
  private void clear(Message message, Arrival to) {
    ReadyToSend ready = message.ready;
    room.release(message);
    if (ready != null) {
      ready.clear(to);
      ready.link.write();
    }
  }

  private void resume(Message paused, Arrival to) {
    Link link = paused.link;
    if (link != null) {
      room.pollPaused(link);
    }
    if (to != paused) {
      room.release(paused);
    }
    if (link != null && link.isOpen()) {
      link.resume(to);
    } else {
      // The peer was to be told of the room, and that failed.
      brokeOff(to);
    }
  }

  private void handOver(Message message, Receive receive) {
    try {
      receive.take(message.bytes(), 0, receive.wanted(message.payload), 0);
    } catch (RuntimeException | InternalError unusable) {
      fail(receive, unusable);
      return;
    }
    into(receive).received(receive, message.sender(), message.payload);
  }

  private void fail(Receive receive, Throwable unusable) {
    into(receive)
        .fail(
            receive,
            NetworkErrors.of(unusable),
            "the posted buffer cannot be written to, and the message is lost: "
                + unusable.getMessage());
  }

  /** Looks for a message that has come, and says which it is. */
  public void peek(Receive receive, boolean claim, boolean discard) {
    ReceiveContext into = into(receive);
    receive.search = true;
    Message message = unexpected(into).match(receive);
    if (message == null) {
      into.fail(receive, Errno.ENOMSG, "no message has come that the receive would take");
      return;
    }
    Object context = receive.context;
    if (discard) {
      unexpected(into).remove(message);
      discard(message, receive);
    } else {
      found(into, receive, message);
      if (claim) {
        unexpected(into).claim(message, context);
      }
    }
  }

  /** Takes the message that a peek has put aside. */
  public void claim(Receive receive, boolean discard) {
    ReceiveContext into = into(receive);
    receive.search = discard;
    Message message = unexpected(into).pollClaimed(receive.context);
    if (message == null) {
      into.fail(
          receive,
          Errno.ENOMSG,
          "no message is put aside for this context: peek and claim it first, with the same one;"
              + " or its connection was lost before it had come as a whole");
    } else if (discard) {
      discard(message, receive);
    } else {
      ReceiveContext.expect(receive, message.key.tag, message.hasData, message.data);
      if (message.outcomes != null) {
        receive.endAt(message.outcomes);
      }
      give(message, receive);
    }
  }

  private static void found(ReceiveContext into, Receive receive, Message message) {
    ReceiveContext.expect(receive, message.key.tag, message.hasData, message.data);
    if (message.outcomes != null) {
      receive.endAt(message.outcomes);
    }
    into.found(receive, message.sender(), message.payload);
  }

  private void discard(Message message, Receive receive) {
    found(into(receive), receive, message);
    switch (message.state) {
      case ARRIVING -> message.discarded = true;
      case WHOLE -> room.release(message);
      case PAUSED -> resume(message, Arrival.NOWHERE);
      case ANNOUNCED -> clear(message, Arrival.NOWHERE);
    }
  }

  // Frames.

  /**
   * See {@link FrameHandler#begin}.
   *
   * @param into what the message is meant for
   * @param endpoint how it ends, if several endpoints share the receives
   */
  public @Nullable Arrival begin(
      Link link,
      Sender from,
      FrameHeader header,
      ReceiveContext into,
      @Nullable ReceiveOutcomes endpoint) {
    boolean announced = header.operation() == FrameHeader.READY_TO_SEND;
    boolean tagged = announced || header.operation() == FrameHeader.TAGGED;
    long length = header.messageLength();
    boolean hasData = (header.flags() & FrameHeader.HAS_DATA) != 0;
    key.set(tagged, tagged ? header.tag() : 0, from.origin);
    key.group = DeliveryWord.group(header.word());
    Receive receive = into.match(key, length, hasData, header.data(), endpoint);
    while (receive != null) {
      String refusal = receive.buffer.refusal(Thread.currentThread());
      if (refusal == null) {
        return receive;
      }
      into.refuse(receive, refusal);
      receive = into.match(key, length, hasData, header.data(), endpoint);
    }
    Message message = room.take(key, from, length, announced);
    message.link = link;
    message.into = into;
    message.outcomes = endpoint;
    message.hasData = hasData;
    message.data = header.data();
    unexpected(into).add(message);
    if (message.state == Message.State.PAUSED) {
      room.pause(link, message);
      return null;
    }
    return message;
  }

  /** A ready to send has come for which there is a receive, or a message to stand for it. */
  public ReadyToSend announced(Link link, FrameHeader header, Arrival arrival) {
    ReadyToSend ready = new ReadyToSend(link, header);
    if (arrival instanceof Message message) {
      message.state = Message.State.ANNOUNCED;
      message.link = null;
      message.ready = ready;
      ready.message = message;
    } else {
      ready.clear(arrival);
    }
    return ready;
  }

  /** Why there is no room for the message that a connection is paused for. */
  public FullRoom full(Link link) {
    return room.full(link);
  }

  /** All of a message has come that was announced. */
  public void arrived(Sender from, ReadyToSend ready) {
    if (ready.target() instanceof Receive receive) {
      into(receive).received(receive, from, ready.length);
    }
  }

  /** See {@link FrameHandler#whole}. */
  public void whole(Sender from, FrameHeader header, Arrival arrival) {
    if (arrival instanceof Receive receive) {
      into(receive).received(receive, from, header.payload());
    } else if (arrival instanceof Message message) {
      message.state = Message.State.WHOLE;
      message.link = null;
      Receive claimant = message.claimant;
      if (claimant != null) {
        handOver(message, claimant);
      }
      if (claimant != null || message.discarded) {
        room.release(message);
      }
    }
  }

  /** See {@link FrameHandler#unusable}. */
  public void unusable(Arrival arrival, Throwable failed) {
    if (arrival instanceof Receive receive) {
      fail(receive, failed);
    }
  }

  /** See {@link FrameHandler#brokeOff}. */
  public void brokeOff(Arrival arrival) {
    if (arrival instanceof Receive receive) {
      giveBack(receive);
    } else if (arrival instanceof Message message) {
      Receive claimant = message.claimant;
      forget(message);
      if (claimant != null) {
        giveBack(claimant);
      }
    }
  }

  private void giveBack(Receive receive) {
    receive.countAtSender(1);
    returned.add(receive);
  }

  /** An announced message will not come any more. */
  public void lose(ReadyToSend ready) {
    Message message = ready.message;
    Arrival to = ready.target();
    if (message != null) {
      forget(message);
    } else if (to != null) {
      brokeOff(to);
    }
  }

  private void forget(Message message) {
    unexpected(into(message)).remove(message);
    room.release(message);
    lost = true;
  }

  /** A connection has been closed: the message that it was paused for is lost. */
  public void dropped(Link link) {
    Message message = room.pollPaused(link);
    if (message != null) {
      forget(message);
    }
  }

  // Closing.

  /** One of several contexts is closed: what was on its way to its receives goes nowhere. */
  public void abandon(ReceiveContext closed, Link link) {
    link.reader().redirect(to -> leadsTo(to, closed), Arrival.NOWHERE);
  }

  /** One of several contexts is closed, and nothing is on its way to its receives any more. */
  public void abandon(ReceiveContext closed) {
    closed.abandon();
    unexpected(closed).putBackClaimed();
  }

  /**
   * Whether something that arrives goes to a receive of a context. A message that was kept until it
   * has come as a whole goes back to those that wait.
   */
  private boolean leadsTo(Arrival to, ReceiveContext closed) {
    return switch (to) {
      case Receive receive -> closed.equals(receive.owner());
      case ReadyToSend ready -> {
        Arrival target = ready.target();
        yield target != null && leadsTo(target, closed);
      }
      case Message message -> {
        Receive claimant = message.claimant;
        if (claimant != null && closed.equals(claimant.owner())) {
          message.claimant = null;
          unexpected(closed).putBack(message);
        }
        yield false;
      }
      default -> false;
    };
  }

  /** An endpoint that shares the receives is closed: forgets what has come to it. */
  public void forget(ReceiveOutcomes endpoint) {
    for (UnexpectedMessages each : unexpected) {
      each.forget(endpoint);
    }
    lost = true;
  }

  /** Whether receives wait to be put back, or there may be room that was not looked for. */
  public boolean isBehind() {
    return lost || !returned.isEmpty();
  }

  /**
   * Does what could not be done where its cause was found: puts back receives whose message broke
   * off, gives them and those that were starved what has come meanwhile, and reads on where there
   * is room again. All of that can lose further connections.
   */
  public void goOn() {
    do {
      boolean more = !returned.isEmpty();
      lost = false;
      for (Receive each = returned.poll(); each != null; each = returned.poll()) {
        each.countAtSender(-1);
        into(each).putBack(each);
      }
      for (ReceiveContext into : contexts) {
        boolean enough = into.starved && into.hasShares();
        if (enough) {
          into.starved = false;
        }
        if (more || enough) {
          serveAll(into);
        }
      }
      for (Message message = room.nextWithRoom(); message != null; message = room.nextWithRoom()) {
        resume(message, message);
      }
    } while (isBehind());
  }

  /** Gives each message that came early to the first receive that takes it, if there is one. */
  private void serveAll(ReceiveContext into) {
    Message message = unexpected(into).first();
    while (message != null) {
      long turn = message.turn;
      serve(message);
      message = unexpected(into).after(turn, message);
    }
  }
}
