package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A message on its way out. */
final class Send extends Operation {
  private final TransmitContext owner;

  /** {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}. */
  int operation;

  /** The handle that it was posted for. */
  long destination;

  /** Flags of the frame. */
  int frameFlags;

  /** The message that the frame carries, which is the application's unless it was kept. */
  final Pieces message = new Pieces();

  long payload;

  /** Sequence number of the frame, once its first byte is out. */
  int sequence;

  /** Bytes of header and payload that are out. */
  long sent;

  /** Whether the message's memory may change once the posting call has returned. */
  boolean inject;

  /** Immediate data and tag of the frame; those of the completion are not for senders. */
  long frameData;

  long frameTag;

  /** Shows a large message, or a piece of it, to the channel; made once for each piece. */
  @Nullable ByteBuffer view;

  long viewStart;

  // Holds what was injected and could not go out at once.
  private @Nullable MemorySegment kept;

  Send(TransmitContext owner) {
    this.owner = owner;
  }

  TransmitContext owner() {
    return owner;
  }

  /**
   * What the frame carries.
   *
   * @param whole the message
   * @param parts what it is gathered from instead, if there are any
   */
  void set(
      MemorySegment whole,
      MemorySegment @Nullable [] parts,
      int flagsOfFrame,
      long dataOfFrame,
      long tagOfFrame) {
    message.set(whole, parts);
    payload = message.length();
    frameFlags = flagsOfFrame;
    frameData = dataOfFrame;
    frameTag = tagOfFrame;
  }

  int headerSize() {
    return FrameHeader.messageSize(operation, frameFlags);
  }

  long total() {
    return headerSize() + payload;
  }

  boolean isBegun() {
    return sent > 0;
  }

  /** Encodes the frame's header. */
  void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeMessage(into, operation, frameFlags, sequence, payload, frameData, frameTag);
  }

  /** Copies an injected message that has to wait. */
  void keep() {
    inject = false;
    MemorySegment block = kept;
    if (block == null) {
      block = MemorySegment.ofArray(new byte[TcpLimits.INJECT_SIZE]);
      kept = block;
    }
    message.copyTo(block, 0, 0, payload);
    message.clear();
    message.set(block.asSlice(0, payload));
  }

  @Override
  void clear() {
    super.clear();
    operation = 0;
    destination = 0;
    frameFlags = 0;
    message.clear();
    payload = 0;
    sequence = 0;
    sent = 0;
    inject = false;
    frameData = 0;
    frameTag = 0;
    view = null;
    viewStart = 0;
  }
}
