// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.EarlyMessages;
import org.ofi4j.Errno;
import org.ofi4j.FabricInfo;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameHeader;

/**
 * Brings messages and receives together, in whichever order they come. At no time does a message
 * wait that a posted receive would take, unless the {@linkplain ReceiveContext#starved completion
 * queue} is behind. Guarded by the lock of the endpoint, or of all that share the receives.
 */
public final class Matching {
  // By their numbers.
  private final ReceiveContext[] contexts;
  final UnexpectedRoom room;
  private final MatchKey key = new MatchKey();

  /** Receives whose message broke off: only as long as the lock is held. */
  private final Operations<Receive> returned = new Operations<>();

  /** Whether something has changed that others may wait for. */
  private boolean changed;

  /**
   * Brings nothing together yet.
   *
   * @param info says how many receives each context takes, and whether they may be directed
   * @param count how many contexts messages can be meant for
   * @param vector has the peers; without one all are known
   */
  public Matching(FabricInfo info, int count, Supplier<@Nullable Peers> vector) {
    room = new UnexpectedRoom(vector);
    contexts = new ReceiveContext[count];
    boolean directed = DirectedReceives.of(info).any();
    LongUnaryOperator generations =
        handle -> {
          Peers peers = vector.get();
          return peers == null ? Receive.UNDIRECTED : peers.generation(handle);
        };
    Arrays.setAll(
        contexts,
        _ ->
            new ReceiveContext(
                info.receive().size(), new UnexpectedMessages(directed, room), generations));
  }

  public ReceiveContext context(int number) {
    return contexts[number];
  }

  /** Says how much is kept of messages that come early; returns how much a peer may send so. */
  public long bound(EarlyMessages early) {
    room.bound(early);
    return room.window();
  }

  // Receives.

  /**
   * Posts a receive. With flag {@code PEEK} or {@code CLAIM} it looks for a message that has come,
   * and does not wait for one.
   */
  public void post(Receive receive) {
    changed = true;
    receive.prepare();
    if (receive.has(TransferFlag.PEEK)) {
      peek(receive);
      return;
    }
    if (receive.has(TransferFlag.CLAIM)) {
      claim(receive);
      return;
    }
    receive.owner.posted.add(receive);
    while (receive.stands(Matchable.SAME)) {
      Message message = receive.owner.unexpected.match(receive);
      if (message == null || !serve(message)) {
        return;
      }
    }
  }

  private static ReceiveContext into(Message message) {
    return Objects.requireNonNull(message.into);
  }

  /** Gives a message that came early to a receive that was posted since; false if it must wait. */
  private boolean serve(Message message) {
    ReceiveContext into = into(message);
    Receive receive = into.match(message.key, message.payload);
    if (receive == null) {
      return false;
    }
    expect(receive, message);
    into.unexpected.remove(message);
    give(message, receive);
    return true;
  }

  /** Gives a message that was taken out to a receive; null drops it. */
  private void give(Message message, @Nullable Receive receive) {
    switch (message.state) {
      case ARRIVING -> {
        message.claimant = receive;
        message.discarded = receive == null;
      }
      case WHOLE -> {
        if (receive != null) {
          handOver(message, receive);
        }
        room.release(message);
      }
      case PAUSED -> resume(message, receive);
      case ANNOUNCED -> clear(message, receive);
    }
  }

  /** Lets an announced message come, to a receive or to nobody. */
  private void clear(Message message, @Nullable Receive to) {
    IncomingMessages incoming = message.incoming();
    IncomingMessages.Announced ready = Objects.requireNonNull(message.ready);
    room.release(message);
    incoming.clear(ready, to);
    incoming.link.write();
  }

  /** Lets the message come that its connection is paused for, to a receive or to nobody. */
  private void resume(Message paused, @Nullable Receive to) {
    IncomingMessages incoming = paused.incoming();
    IncomingMessages.Announced ready = paused.ready;
    room.pollPaused(incoming.link);
    room.release(paused);
    incoming.resume(ready, to);
  }

  private static void handOver(Message message, Receive receive) {
    try {
      receive.take(message.bytes, 0, receive.wanted(message.payload), 0);
    } catch (RuntimeException | InternalError unusable) {
      receive.unusable(unusable);
      return;
    }
    receive.owner.received(receive, message.sender(), message.payload);
  }

  /** Looks for a message that has come, and says which it is. */
  private void peek(Receive receive) {
    ReceiveContext into = receive.owner;
    Message message = into.unexpected.match(receive);
    if (message == null) {
      into.fail(receive, Errno.ENOMSG, "no message has come that the receive would take");
      return;
    }
    Object context = receive.context;
    boolean claim = receive.has(TransferFlag.CLAIM);
    if (receive.has(TransferFlag.DISCARD)) {
      into.unexpected.remove(message);
      found(receive, message);
      give(message, null);
    } else {
      found(receive, message);
      if (claim) {
        into.unexpected.claim(message, context);
      }
    }
  }

  /** Takes the message that a peek has put aside. */
  private void claim(Receive receive) {
    ReceiveContext into = receive.owner;
    Message message = into.unexpected.pollClaimed(receive.context);
    if (message == null) {
      into.fail(
          receive,
          Errno.ENOMSG,
          "no message is put aside for this context: peek and claim it first, with the same one;"
              + " or its connection was lost before it had come as a whole");
    } else if (receive.has(TransferFlag.DISCARD)) {
      found(receive, message);
      give(message, null);
    } else {
      expect(receive, message);
      give(message, receive);
    }
  }

  private static void expect(Receive receive, Message message) {
    receive.expect(message.key.tag, message.hasData, message.data, message.outcomes);
  }

  private static void found(Receive receive, Message message) {
    expect(receive, message);
    receive.owner.found(receive, message.sender(), message.payload);
  }

  // Incoming messages.

  /**
   * Returns how many receives are posted or were not reported yet; {@link Integer#MAX_VALUE} if
   * there are several contexts.
   */
  public int receives() {
    return contexts.length == 1 && !contexts[0].posted.takesSeveral()
        ? (int) contexts[0].outstanding()
        : Integer.MAX_VALUE;
  }

  /** Returns how many receives have been posted so far, if there is one context. */
  public long posts() {
    return contexts.length == 1 ? contexts[0].posted.count() : 0;
  }

  /**
   * Takes the receive for a message whose header has come; null if there is none.
   *
   * @param endpoint how it ends, if several endpoints share the receives
   */
  @Nullable Receive match(FrameHeader header, Sender from, @Nullable ReceiveOutcomes endpoint) {
    boolean tagged = header.operation() != FrameHeader.MESSAGE;
    key.set(tagged, tagged ? header.tag() : 0, from.origin);
    key.group = DeliveryWord.group(header.word());
    ReceiveContext into = into(header);
    while (true) {
      Receive receive = into.match(key, header.messageLength());
      if (receive == null) {
        return null;
      }
      receive.expect(key.tag, hasData(header), header.data(), endpoint);
      String refusal = receive.memory.refusal(Thread.currentThread());
      if (refusal == null) {
        return receive;
      }
      into.refuse(receive, refusal);
    }
  }

  private ReceiveContext into(FrameHeader header) {
    return contexts[DeliveryWord.receiveContext(header.word())];
  }

  private static boolean hasData(FrameHeader header) {
    return (header.flags() & FrameHeader.HAS_DATA) != 0;
  }

  /** Keeps the message that was matched last in vain; paused if there is no room for it. */
  Message keep(FrameHeader header, IncomingMessages incoming, @Nullable ReceiveOutcomes endpoint) {
    boolean announced = header.operation() == FrameHeader.READY_TO_SEND;
    Message message = room.take(key, incoming.from, header.messageLength(), announced);
    ReceiveContext into = into(header);
    message.incoming = incoming;
    message.into = into;
    message.outcomes = endpoint;
    message.hasData = hasData(header);
    message.data = header.data();
    into.unexpected.add(message);
    if (message.state == Message.State.PAUSED) {
      room.pause(incoming.link, message);
    }
    return message;
  }

  /** All of a message has come that is kept. */
  void whole(Message message) {
    message.state = Message.State.WHOLE;
    message.incoming = null;
    Receive claimant = message.claimant;
    if (claimant != null) {
      handOver(message, claimant);
    }
    if (claimant != null || message.discarded) {
      room.release(message);
    }
  }

  /** The message of a receive broke off. */
  void giveBack(Receive receive) {
    receive.incoming = null;
    receive.countAtSender(1);
    returned.add(receive);
  }

  /** A message that is kept will not come as a whole. */
  void lose(Message message) {
    Receive claimant = message.claimant;
    into(message).unexpected.remove(message);
    room.release(message);
    changed = true;
    if (claimant != null) {
      giveBack(claimant);
    }
  }

  /**
   * A sender has no connection any more. Drops what is kept of a stranger, who may never come back:
   * otherwise unknown hosts could fill the budget for good.
   */
  public void senderLeft(Sender gone) {
    if (gone.hasKept() && room.isStranger(gone)) {
      drop(gone, gone.lives + 1);
    }
  }

  /**
   * A sender was started again. Keeps what it sent in the life before, and drops what is older:
   * otherwise a sender that fails again and again could fill the budget.
   */
  public void senderRestarted(Sender restarted) {
    restarted.lives++;
    drop(restarted, restarted.lives - 1);
  }

  /** Drops the messages of a sender before a life that no receive and no claim has. */
  private void drop(Sender from, int life) {
    Message message = from.kept.first();
    while (message != null) {
      Message following = from.kept.after(message);
      if (message.life - life < 0
          && message.state == Message.State.WHOLE
          && message.stands(Matchable.SAME)) {
        into(message).unexpected.remove(message);
        room.forget(message);
        changed = true;
      }
      message = following;
    }
  }

  // Closing.

  /** A message that was kept for a receive of a closed context goes back to those that wait. */
  void without(Message message, Object closed) {
    Receive claimant = message.claimant;
    if (claimant != null && closed.equals(claimant.owner)) {
      message.claimant = null;
      claimant.owner.unexpected.putBack(message);
    }
  }

  /** An endpoint that shares the receives is closed: forgets what has come to it. */
  public void forget(ReceiveOutcomes endpoint) {
    for (ReceiveContext each : contexts) {
      each.unexpected.forget(endpoint);
    }
    changed = true;
  }

  /** Completions were reported, or a peer may be in the vector: looks again if that helps. */
  public void lookAgain() {
    changed = true;
  }

  /** Whether receives wait to be put back, or there may be room that was not looked for. */
  public boolean isBehind() {
    return changed || !returned.isEmpty();
  }

  /**
   * Called once before the lock is given back: puts back receives whose message broke off, gives
   * them and those that were starved what has come meanwhile, and reads on where there is room
   * again. All of that can lose further connections.
   */
  public void goOn() {
    do {
      boolean more = !returned.isEmpty();
      changed = false;
      for (Receive each = returned.poll(); each != null; each = returned.poll()) {
        each.countAtSender(-1);
        each.owner.putBack(each);
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
        IncomingMessages incoming = message.incoming();
        room.pollPaused(incoming.link);
        incoming.resume(message);
      }
    } while (isBehind());
  }

  /** Gives each message that came early to the first receive that takes it, if there is one. */
  private void serveAll(ReceiveContext into) {
    Message message = into.unexpected.all.first();
    while (message != null) {
      long turn = message.turn;
      serve(message);
      message = into.unexpected.after(turn, message);
    }
  }
}
