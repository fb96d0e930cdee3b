// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operation;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.net.wire.TcpLimits;

/** A frame on its way out: what it carries, and how much of it is out. */
abstract class Outgoing extends Operation {
  /** How many bytes of the memory the frame carries. */
  public long payload;

  /** Sequence number of the frame, once its first byte is out. */
  public int sequence;

  /** Bytes of header and payload that are out. */
  public long sent;

  /** Shows a large message, or a piece of it, to the channel; made once for each piece. */
  private @Nullable ByteBuffer view;

  private long viewStart;

  public abstract int headerSize();

  /**
   * Encodes what is not out of the header.
   *
   * @return the size of all of it
   */
  public final int fillHeader(ByteBuffer out) {
    int header = headerSize();
    if (sent < header) {
      int start = out.position();
      encodeHeader(out);
      if (isBegun()) {
        // It is the first in the buffer.
        int end = out.position();
        int limit = out.limit();
        out.position(start + (int) sent).limit(end).compact().limit(limit);
      }
    }
    return header;
  }

  public abstract void encodeHeader(ByteBuffer into);

  /**
   * Is asked each time before bytes of the payload are written.
   *
   * @throws RuntimeException if the memory must not be read any more
   */
  public void checkReadable() {}

  /**
   * Checks that the payload has the bytes that were posted: called when bytes were copied, and
   * before others are written from the memory of the application.
   *
   * @throws RuntimeException if the bytes were changed, and nothing is out
   */
  void checkUnchanged() {}

  public long total() {
    return headerSize() + payload;
  }

  public boolean isBegun() {
    return sent > 0;
  }

  @Override
  public void clear() {
    super.clear();
    payload = 0;
    sequence = 0;
    sent = 0;
    view = null;
    viewStart = 0;
  }

  /**
   * Whether more than is copied as a rule goes out from where it lies.
   *
   * @param from where in the message it begins
   * @param size how many bytes of it are one piece of memory
   */
  public final boolean isViewed(long from, long size) {
    MemorySegment piece = memory.at(from);
    return piece.isNative()
        && (size > TcpLimits.PAGE_COPY_SIZE || piece.address() % TcpLimits.PAGE != 0);
  }

  /**
   * What follows in the memory of the message from one byte on, for one call of the kernel. The
   * buffer is made once, as long as the memory is one piece.
   *
   * @param behind how many bytes the same call writes before
   * @throws IllegalStateException if the memory cannot be used
   */
  public final ByteBuffer view(long from, int behind) {
    ByteBuffer present = view;
    MemorySegment piece = memory.at(from);
    // Also of one that was made before: the memory may have been freed since.
    String refusal = PostedMemory.refusal(piece, Thread.currentThread());
    if (refusal != null) {
      throw new IllegalStateException("the message " + refusal);
    }
    if (present == null || from - viewStart >= present.capacity()) {
      long size = Math.min(memory.contiguous(from), TcpLimits.VIEW_SIZE);
      present = piece.asSlice(from - memory.start(), size).asByteBuffer();
      view = present;
      viewStart = from;
    }
    int start = (int) (from - viewStart);
    int left = present.capacity() - start;
    // A short rest would be a call of its own.
    int count = behind + left < TcpLimits.LAST_WRITE ? left : TcpLimits.WRITE_SIZE - behind;
    return present.clear().position(start).limit(start + count);
  }
}
