// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.matching;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CompletionFlag;
import org.ofi4j.CounterFlag;
import org.ofi4j.Flag;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.endpoint.ReceiveOutcomes;
import org.ofi4j.provider.net.transfer.Arrival;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * A posted buffer, and which messages it takes.
 *
 * <p>A buffer for several messages stays posted while there is room in it. Each message then has a
 * receive of its own, its {@linkplain #whole share} of that buffer.
 */
public final class Receive extends Matchable implements Arrival {
  /** The {@link #generation} of a receive that is not directed at an entry. */
  public static final long UNDIRECTED = -1;

  private static final long DATA = CompletionFlag.REMOTE_CQ_DATA.mask();
  private static final long SEVERAL = TransferFlag.MULTI_RECEIVE.mask();
  private static final long SEARCH = Flag.maskOf(TransferFlag.PEEK, TransferFlag.DISCARD);

  /** The context that it is posted to. */
  final ReceiveContext owner;

  public final MatchKey key = new MatchKey();

  /**
   * Where it is reported, if messages of several endpoints come to its context: known when one has.
   */
  @Nullable ReceiveOutcomes outcomes;

  /** Over which a message is on its way here, once one is. */
  @Nullable IncomingMessages incoming;

  /** Where in the buffer its part of it begins, and how long that is. */
  long start;

  long room;

  /** Which generation of the only entry whose messages are taken, that of handle {@link #peer}. */
  long generation = UNDIRECTED;

  // Of a buffer for several messages.

  /** How much of the buffer has been given away. */
  long used;

  /** How many messages are on their way into it. */
  int shares;

  /** Whether it takes no more messages, and whether that is because it was withdrawn. */
  boolean spent;

  boolean withdrawn;

  /** The buffer for several messages that this one is a part of. */
  @Nullable Receive whole;

  /** A receive to be filled in. */
  Receive(ReceiveContext owner) {
    this.owner = owner;
  }

  /** A search receives no message, nor does a buffer that is given back. */
  @Override
  protected @Nullable CounterFlag counted() {
    boolean empty = takesSeveral() && failure == null;
    return (flags & SEARCH) != 0 || empty ? null : CounterFlag.RECEIVE;
  }

  @Override
  protected void reported() {
    owner.reported(this);
  }

  /**
   * Notes what is known of the message that it takes.
   *
   * @param endpoint where the message came to, if several endpoints share the context
   */
  void expect(
      long messageTag, boolean hasData, long messageData, @Nullable ReceiveOutcomes endpoint) {
    if (key.tagged) {
      receivedTag = messageTag;
    }
    receivedData = messageData;
    if (hasData) {
      completionFlags |= DATA;
    }
    outcomes = endpoint;
  }

  /** Returns whether it is a buffer for several messages, and no share of one. */
  boolean takesSeveral() {
    return (flags & SEVERAL) != 0;
  }

  /** Makes room and key from the request of the application. */
  void prepare() {
    room = memory.length();
    key.tag = tag & ~ignore;
  }

  /**
   * Takes the messages of one sender alone.
   *
   * @param sender whose, or null if the entry means any address
   */
  public void direct(long generationOfEntry, @Nullable Sender sender) {
    generation = generationOfEntry;
    key.from = sender;
  }

  /**
   * Counts among the receives of the only sender, if there is one: the connection may be lost, and
   * the sender must be known for as long as the receive is about to be put back.
   */
  void countAtSender(int sign) {
    Receive posted = whole == null ? this : whole;
    Sender sender = posted.key.from;
    if (sender != null) {
      sender.directedReceives += sign;
    }
  }

  /**
   * Takes the messages of all who send under one authorization key.
   *
   * @param number of the key, which is there as long as the endpoint
   */
  public void directAtKey(int number) {
    key.authorizationKey = number + 1L;
  }

  /** Whether it takes a message, as far as tag and sender tell. */
  boolean takes(MatchKey message) {
    return key.differsOnlyIn(message, ignore)
        && (key.from == null || key.from.equals(message.from))
        && (key.authorizationKey == 0 || isUnderKey(message.from));
  }

  private boolean isUnderKey(@Nullable Sender sender) {
    return sender != null && sender.matchedKey() == key.authorizationKey;
  }

  @Override
  public long wanted(long payload) {
    return Math.min(payload, room);
  }

  @Override
  public void take(MemorySegment source, long at, long length, long offset) {
    memory.copyFrom(source, at, start + offset, length);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long wanted) {
    return memory.rest(start + offset, wanted, TcpLimits.DIRECT_READ);
  }

  private IncomingMessages incoming() {
    return Objects.requireNonNull(incoming);
  }

  @Override
  public void whole(FrameHeader header) {
    IncomingMessages over = incoming();
    owner.received(this, over.from, header.payload());
    over.answer(header);
  }

  @Override
  public void unusable(Throwable failed) {
    owner.unusable(this, failed);
  }

  @Override
  public void brokeOff() {
    incoming().matching.giveBack(this);
  }

  @Override
  public Arrival without(Object closed) {
    return closed.equals(owner) ? incoming().unwanted : this;
  }

  @Override
  public void clear() {
    super.clear();
    key.clear();
    incoming = null;
    start = 0;
    room = 0;
    generation = UNDIRECTED;
    outcomes = null;
    used = 0;
    shares = 0;
    spent = false;
    withdrawn = false;
    whole = null;
  }
}
