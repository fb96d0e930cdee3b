// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.CounterFlag;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.FrameFields;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * A message, a write to a peer's memory, or a read from it. The frame of a read carries no bytes:
 * those come with the answer, and go where the read says.
 */
public final class Send extends Outgoing implements Arrival {
  private static final long MORE = TransferFlag.MORE.mask();
  private static final long DATA = TransferFlag.REMOTE_CQ_DATA.mask();
  private static final long DELIVERY = TransferFlag.DELIVERY_COMPLETE.mask();
  private static final long COMMIT = TransferFlag.COMMIT_COMPLETE.mask();

  /** Messages with one of these do not wait for others, unless that is announced. */
  private static final long AT_ONCE =
      Flag.maskOf(
          TransferFlag.INJECT, TransferFlag.TRANSMIT_COMPLETE, TransferFlag.DELIVERY_COMPLETE);

  private final TransmitContext owner;

  /**
   * {@link FrameHeader#MESSAGE}, {@link FrameHeader#TAGGED}, {@link FrameHeader#WRITE} or {@link
   * FrameHeader#READ_REQUEST}; of a tagged message that is announced first {@link
   * FrameHeader#READY_TO_SEND}, then {@link FrameHeader#ANNOUNCED}.
   */
  int operation;

  /** Whether the entry that it was posted for was inserted as behind a firewall. */
  public boolean firewalled;

  /** What its frame says; immediate data and tag of the completion are not for senders. */
  final FrameFields fields = new FrameFields();

  /** Whether it may wait for others. */
  public Departure departure = Departure.AT_ONCE;

  // Holds what was injected and could not go out at once.
  private @Nullable MemorySegment kept;

  // Why that could not be copied: nothing is to be sent instead.
  private @Nullable FabricException unreadable;

  Send(TransmitContext owner) {
    this.owner = owner;
  }

  public TransmitContext owner() {
    return owner;
  }

  @Override
  public void begin(CounterFlag kind, boolean withTag) {
    super.begin(kind, withTag);
    operation =
        switch (kind) {
          case WRITE -> FrameHeader.WRITE;
          case READ -> FrameHeader.READ_REQUEST;
          default -> withTag ? FrameHeader.TAGGED : FrameHeader.MESSAGE;
        };
  }

  /** Makes the fields of the frame from the request of the application. */
  public void prepare() {
    // The bytes of a read come with the answer.
    payload = isRead() ? 0 : memory.length();
    fields.data = data;
    fields.tag = tag;
    if (flags != 0) {
      fields.flags =
          ((flags & DATA) != 0 ? FrameHeader.HAS_DATA : 0)
              | ((flags & DELIVERY) != 0 ? FrameHeader.DELIVERY_COMPLETE : 0)
              | ((flags & COMMIT) != 0 ? FrameHeader.COMMIT_COMPLETE : 0);
    }
    if (isEager()) {
      departure =
          (flags & MORE) != 0
              ? Departure.BEFORE_MORE
              : (flags & AT_ONCE) == 0 && owner.tells(this)
                  ? Departure.IN_A_ROW
                  : Departure.AT_ONCE;
    }
  }

  /** Says where at the peer a message belongs, or the immediate data of a write. */
  public void deliver(long itsWord) {
    fields.word = itsWord;
    if (itsWord != DeliveryWord.NONE && isTold()) {
      fields.flags |= FrameHeader.HAS_WORD;
    }
  }

  /** Whether the peer's application hears of it: not of reads, nor of writes without data. */
  private boolean isTold() {
    return switch (operation) {
      case FrameHeader.READ_REQUEST -> false;
      case FrameHeader.WRITE -> (fields.flags & FrameHeader.HAS_DATA) != 0;
      default -> true;
    };
  }

  public long word() {
    return fields.word;
  }

  // What it is called if it is announced.
  private int number;

  /** Becomes one that is announced. */
  void announce(int unusedNumber) {
    number = unusedNumber;
    operation = FrameHeader.READY_TO_SEND;
    payload = 0;
  }

  /** The ready to send has not gone out, and must be made again. */
  void retract() {
    number = 0;
    operation = FrameHeader.TAGGED;
    payload = memory.length();
  }

  /** The peer wants it now. */
  void cleared() {
    operation = FrameHeader.ANNOUNCED;
    payload = memory.length();
    sent = 0;
  }

  int number() {
    return number;
  }

  /** Whether it is a message that goes out without being announced. */
  boolean isEager() {
    return operation == FrameHeader.MESSAGE || operation == FrameHeader.TAGGED;
  }

  boolean isReadyToSend() {
    return operation == FrameHeader.READY_TO_SEND;
  }

  boolean isAnnounced() {
    return operation == FrameHeader.ANNOUNCED;
  }

  /** Whether it is a message, and no access to memory of a peer. */
  public boolean isMessage() {
    return what == CounterFlag.SEND;
  }

  boolean isRead() {
    return operation == FrameHeader.READ_REQUEST;
  }

  /** Whether the peer says when it has it; a read is answered anyway. */
  boolean isAcknowledged() {
    return (fields.flags & FrameHeader.ACKNOWLEDGED) != 0;
  }

  @Override
  public int headerSize() {
    return FrameHeader.size(operation, fields.flags, remotePlaces());
  }

  private int remotePlaces() {
    return isMessage() ? 0 : places == null ? 1 : places.length;
  }

  @Override
  public void encodeHeader(ByteBuffer into) {
    switch (operation) {
      case FrameHeader.READY_TO_SEND ->
          FrameHeader.encode(into, operation, number, sequence, memory.length(), 0, fields);
      case FrameHeader.ANNOUNCED ->
          FrameHeader.encodeBase(
              into, operation, fields.flags & ~FrameHeader.HAS_WORD, number, sequence, payload);
      default -> FrameHeader.encode(into, operation, 0, sequence, payload, remotePlaces(), fields);
    }
    if (places != null) {
      for (RemotePlace each : places) {
        FrameHeader.encodePlace(into, each.address(), each.length(), each.key());
      }
    } else if (!isMessage()) {
      FrameHeader.encodePlace(into, remoteAddress, memory.length(), remoteKey);
    }
  }

  /**
   * Prepares for a wait, if there is one, before the call that posts it returns. An injected
   * message is copied, and a short one, because that takes no longer than a fingerprint. The bytes
   * of another message must not change, so their fingerprint is kept.
   */
  public void beginWait() {
    // Without flags it was reported, and is clear.
    boolean unsent = completionFlags != 0 && !isRead() && (sent < total() || isReadyToSend());
    if (inject || (unsent && memory.length() <= TcpLimits.COPIED_SEND)) {
      keep();
    } else if (unsent) {
      memory.remember();
    }
  }

  @Override
  void checkUnchanged() {
    // A message that has begun, or that the peer waits for, must go on.
    String changed = isBegun() || isAnnounced() ? null : memory.changed();
    if (changed != null) {
      throw new IllegalStateException(changed);
    }
  }

  /**
   * Fails a message that is out, if its bytes were changed since the first ones were written.
   *
   * @param begun whether some of it was out before the last write
   */
  void checkWritten(boolean begun) {
    boolean mayDiffer = begun || payload > TcpLimits.COPY_SIZE || isAnnounced();
    String changed = mayDiffer ? memory.changed() : null;
    if (changed != null) {
      fail(Errno.EINVAL, "the message was sent, perhaps with wrong bytes: " + changed);
    }
  }

  /** Copies the message. If that cannot be, it fails when its turn comes. */
  private void keep() {
    inject = false;
    // Not the payload: it has none yet if it was announced.
    long length = memory.length();
    MemorySegment block = kept;
    if (block == null || block.byteSize() < length) {
      boolean isShort = length <= TcpLimits.COPIED_SEND;
      int size = isShort ? TcpLimits.COPIED_SEND : TcpLimits.INJECT_SIZE;
      block = MemorySegment.ofArray(new byte[size]);
      kept = block;
    }
    try {
      memory.copyTo(block, 0, 0, length);
    } catch (RuntimeException | InternalError failed) {
      unreadable =
          new FabricException(
              NetworkErrors.of(failed),
              "it cannot be read any more: " + failed.getMessage(),
              failed);
    }
    memory.clear();
    memory.set(block, 0, length);
  }

  @Override
  public void checkReadable() {
    if (unreadable != null) {
      throw unreadable;
    }
  }

  // The answer to a read.

  @Override
  public long wanted(long length) {
    // Of a context that is closed: its memory is the application's again.
    return owner.isClosed() ? 0 : length;
  }

  @Override
  public void take(MemorySegment from, long at, long length, long offset) {
    memory.copyFrom(from, at, offset, length);
  }

  @Override
  public @Nullable MemorySegment rest(long offset, long length) {
    return memory.rest(offset, length, TcpLimits.DIRECT_READ);
  }

  @Override
  public void whole(FrameHeader header) {
    owner.report(this);
  }

  @Override
  public void unusable(Throwable failed) {
    owner.fail(
        this, NetworkErrors.of(failed), "what was read cannot be kept: " + failed.getMessage());
  }

  @Override
  public void brokeOff() {
    owner.fail(this, Errno.ECONNRESET, "the connection is lost, and only a part has been read");
  }

  @Override
  public Arrival without(Object closed) {
    return closed.equals(owner) ? Arrival.NOWHERE : this;
  }

  @Override
  public void clear() {
    super.clear();
    operation = 0;
    number = 0;
    firewalled = false;
    unreadable = null;
    departure = Departure.AT_ONCE;
    fields.clear();
  }
}
