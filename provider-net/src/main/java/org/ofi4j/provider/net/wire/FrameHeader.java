// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What stands before the payload of a frame.
 *
 * <pre>
 *   offset 0  u8 version 3 | u8 operation | u16 flags
 *   offset 4  u8 operation data, or number | u8 remote segments | u8 header size | u8 sequence
 *   offset 8  u64 size of header and payload
 *   then, 8 bytes each:
 *     [immediate data] [tag] [message length] [delivery word] [address, length, key] * segments
 * </pre>
 *
 * <p>What says how much {@linkplain #ROOM room} there is has nothing but that: 8 bytes; so has a
 * {@linkplain #CLOSE_REQUEST request to close} with what its sender has received. Immediate data is
 * there with flag 1, the tag in tagged messages and ready to send, the message length in ready to
 * send, the {@link DeliveryWord} with flag 0x100 where that was agreed on, remote segments in reads
 * and writes. Byte order is that of the connection. The sequence counts the frames of a direction;
 * only debug builds of C look at it.
 *
 * <p>A scratch object for one thread at a time.
 */
public final class FrameHeader {
  public static final int BASE = 16;

  /** The longest: immediate data, delivery word and four remote segments. */
  public static final int MAX = 128;

  public static final int MESSAGE = 0;
  public static final int TAGGED = 1;
  public static final int READ_REQUEST = 2;
  public static final int READ_RESPONSE = 3;
  public static final int WRITE = 4;
  public static final int READY_TO_SEND = 5;
  public static final int CLEAR_TO_SEND = 6;
  public static final int ANNOUNCED = 7;

  /** How many bytes of messages may come early, from the first one on; not known to libfabric. */
  public static final int ROOM = 8;

  /** Of ours: says that its sender lives, where that was agreed on, and nothing else. */
  public static final int HEARTBEAT = 9;

  /**
   * Of ours: its sender wants to close the connection, says how many bytes of frames it has
   * received, and waits.
   */
  public static final int CLOSE_REQUEST = 10;

  /** Of ours: the answer, the last frame of its sender. */
  public static final int CLOSING = 11;

  /** Of ours: its sender has made memory of this number for the connection. */
  public static final int MEMORY_OFFER = 12;

  /** Of ours: its sender cannot use that memory. */
  public static final int MEMORY_REFUSAL = 13;

  public static final int HAS_DATA = 1;
  public static final int DELIVERY_COMPLETE = 4;
  public static final int COMMIT_COMPLETE = 8;

  /** A delivery word is there; of no meaning where that was not agreed on. */
  public static final int HAS_WORD = 0x100;

  /** Flags of frames that are acknowledged when their bytes are in memory. */
  public static final int ACKNOWLEDGED = DELIVERY_COMPLETE | COMMIT_COMPLETE;

  /** Operation data of an acknowledgement, which is a message otherwise. */
  public static final int ACKNOWLEDGEMENT = 2;

  public static final int MAX_SEGMENTS = 4;

  /** What {@link #decode} says of a header that is no header. */
  public static final int MALFORMED = -1;

  /** The length of what has a number and nothing else. */
  public static final int NUMBERED_SIZE = BASE + Long.BYTES;

  private static final int VERSION = 3;
  private static final int SEGMENT = 24;

  private int operation;
  private int flags;
  private int operationData;
  private int segments;
  private int headerSize;
  private long payload;
  private long data;
  private long tag;
  private long messageLength;
  private long word;
  private final long[] remote = new long[3 * MAX_SEGMENTS];

  /** Whether the flags of a frame say what is there; others have none that count. */
  private static boolean hasFlags(int operation) {
    return operation == MESSAGE
        || operation == TAGGED
        || operation == WRITE
        || operation == READY_TO_SEND;
  }

  private static boolean hasTag(int operation) {
    return operation == TAGGED || operation == READY_TO_SEND;
  }

  /** Whether a frame has a number that is not the length of its payload. */
  private static boolean hasLength(int operation) {
    return operation == READY_TO_SEND
        || operation == ROOM
        || operation == CLOSE_REQUEST
        || operation == MEMORY_OFFER;
  }

  /**
   * The length of a header.
   *
   * @param places how many places a read request or a write reaches
   */
  public static int size(int operation, int flags, int places) {
    int counted = hasFlags(operation) ? flags : 0;
    return BASE
        + ((counted & HAS_DATA) != 0 ? Long.BYTES : 0)
        + (hasTag(operation) ? Long.BYTES : 0)
        + (hasLength(operation) ? Long.BYTES : 0)
        + ((counted & HAS_WORD) != 0 ? DeliveryWord.SIZE : 0)
        + places * SEGMENT;
  }

  /**
   * Writes the header of a message, a ready to send, a write or a read request, in the byte order
   * of the buffer, up to its places: each of them is to be {@linkplain #encodePlace written} next.
   * A delivery word is only in a write with immediate data.
   *
   * @param number what the sender of a large message calls it; else 0
   * @param length that of the message which is announced, or of the payload
   */
  public static void encode(
      ByteBuffer into,
      int operation,
      int number,
      int sequence,
      long length,
      int places,
      FrameFields fields) {
    int flags = fields.flags;
    int size = size(operation, flags, places);
    long payload = operation == READY_TO_SEND ? 0 : length;
    encode(into, operation, flags, number, places, size, sequence, payload);
    int counted = hasFlags(operation) ? flags : 0;
    if ((counted & HAS_DATA) != 0) {
      into.putLong(fields.data);
    }
    if (hasTag(operation)) {
      into.putLong(fields.tag);
    }
    if (operation == READY_TO_SEND) {
      into.putLong(length);
    }
    if ((counted & HAS_WORD) != 0) {
      DeliveryWord.encode(into, fields.word);
    }
  }

  /** Writes one place that a request reaches. */
  public static void encodePlace(ByteBuffer into, long address, long length, long key) {
    into.putLong(address).putLong(length).putLong(key);
  }

  /** Writes {@link #ROOM} or a {@link #CLOSE_REQUEST}, in the byte order of the buffer. */
  public static void encodeNumbered(ByteBuffer into, int operation, int sequence, long bytes) {
    encode(into, operation, 0, 0, 0, NUMBERED_SIZE, sequence, 0);
    into.putLong(bytes);
  }

  /**
   * Writes a header of {@link #BASE} bytes, in the byte order of the buffer.
   *
   * @param number what the sender of a large message calls it, or {@link #ACKNOWLEDGEMENT}
   */
  public static void encodeBase(
      ByteBuffer into, int operation, int flags, int number, int sequence, long payload) {
    encode(into, operation, flags, number, 0, BASE, sequence, payload);
  }

  /** Writes the first {@link #BASE} bytes as two words: it is done for each message. */
  private static void encode(
      ByteBuffer into,
      int operation,
      int flags,
      int number,
      int segments,
      int size,
      int sequence,
      long payload) {
    long first = (sequence & 0xFFL) << 56 | (long) size << 48 | (long) segments << 40;
    first |= (number & 0xFFL) << 32 | (flags & 0xFFFFL) << 16 | operation << 8 | VERSION;
    if (into.order() == ByteOrder.BIG_ENDIAN) {
      // Flags are a number, in the order of the connection; the others are bytes.
      first = Long.reverseBytes(first & ~(0xFFFFL << 16)) | (flags & 0xFFFFL) << 32;
    }
    into.putLong(first).putLong(size + payload);
  }

  /**
   * Reads a header, in the byte order of the buffer.
   *
   * @param received how many bytes of it are there
   * @param words whether delivery words were agreed on
   * @return the size of the header if it is there as a whole; 0 if more bytes are needed; {@link
   *     #MALFORMED}
   */
  public int decode(ByteBuffer from, int at, int received, boolean words) {
    if (received < BASE) {
      return 0;
    }
    long first = from.getLong(at);
    if (from.order() == ByteOrder.BIG_ENDIAN) {
      flags = (int) (first >>> 32) & 0xFFFF;
      first = Long.reverseBytes(first);
    } else {
      flags = (int) (first >>> 16) & 0xFFFF;
    }
    flags &= words ? -1 : ~HAS_WORD;
    operation = (int) (first >>> 8) & 0xFF;
    operationData = (int) (first >>> 32) & 0xFF;
    segments = (int) (first >>> 40) & 0xFF;
    headerSize = (int) (first >>> 48) & 0xFF;
    long size = from.getLong(at + 8);
    payload = size - headerSize;
    if (headerSize != expectedSize()
        || payload < 0
        || size < 0
        || payload > TcpLimits.MAX_MESSAGE) {
      return MALFORMED;
    }
    if (received < headerSize) {
      return 0;
    }
    int next = at + BASE;
    if ((flags & HAS_DATA) != 0) {
      data = from.getLong(next);
      next += Long.BYTES;
    } else {
      data = 0;
    }
    if (hasTag(operation)) {
      tag = from.getLong(next);
      next += Long.BYTES;
    } else {
      tag = 0;
    }
    messageLength = payload;
    if (hasLength(operation)) {
      messageLength = from.getLong(next);
      next += Long.BYTES;
    }
    if (operation == READY_TO_SEND
        && (payload != 0 || messageLength < 0 || messageLength > TcpLimits.MAX_MESSAGE)) {
      return MALFORMED;
    }
    if ((flags & HAS_WORD) != 0) {
      word = DeliveryWord.decode(from, next);
      next += DeliveryWord.SIZE;
    } else {
      word = DeliveryWord.NONE;
    }
    for (int i = 0; i < 3 * segments; i++) {
      remote[i] = from.getLong(next);
      next += Long.BYTES;
    }
    return headerSize;
  }

  /** The header size that operation, flags and segments make; -1 if there is no such frame. */
  private int expectedSize() {
    boolean reaches = operation == READ_REQUEST || operation == WRITE;
    // Each place needs a key: who has none reaches nothing, and is not told of either.
    if (operation > MEMORY_REFUSAL || (reaches && (segments < 1 || segments > MAX_SEGMENTS))) {
      return MALFORMED;
    }
    if (!reaches) {
      // The field has a value of an earlier frame.
      segments = 0;
    }
    if (!hasFlags(operation) || isAcknowledgement()) {
      // And so are its flags.
      flags = 0;
    } else if (operation == WRITE && (flags & HAS_DATA) == 0) {
      // Without data the write is not reported, so the word has no effect.
      flags &= ~HAS_WORD;
    }
    return size(operation, flags, segments);
  }

  public int operation() {
    return operation;
  }

  public int flags() {
    return flags;
  }

  /** Gives the frame of a large message the flags that its announcement had. */
  public void announcedWith(int announced) {
    flags = announced;
  }

  public boolean isAcknowledgement() {
    return operation == MESSAGE && operationData == ACKNOWLEDGEMENT;
  }

  public long payload() {
    return payload;
  }

  public long data() {
    return data;
  }

  public long tag() {
    return tag;
  }

  /** Where the message belongs; {@link DeliveryWord#NONE} if the frame does not say. */
  public long word() {
    return word;
  }

  /** The length of the message that the frame is or announces; or the number that it has. */
  public long messageLength() {
    return messageLength;
  }

  /** How many bytes the frame has with its payload. */
  public long size() {
    return headerSize + payload;
  }

  /** What the sender of a large message calls it. */
  public int number() {
    return operationData;
  }

  /** How many places in our memory the frame reaches. */
  public int segments() {
    return segments;
  }

  public long address(int segment) {
    return remote[3 * segment];
  }

  public long length(int segment) {
    return remote[3 * segment + 1];
  }

  public long key(int segment) {
    return remote[3 * segment + 2];
  }
}
