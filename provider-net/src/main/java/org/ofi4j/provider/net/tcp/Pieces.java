package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.PostedMemory;

/**
 * The memory of one message: a segment, or several that follow each other. Used again for others.
 * For one thread at a time.
 */
final class Pieces {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  // The rest of them; null and unused for a message of one piece.
  private @Nullable MemorySegment @Nullable [] all;
  private int count;
  private long length;

  // The one that was looked at last, and where in the message it begins.
  private MemorySegment current = NOTHING;
  private int number;
  private long start;

  void set(MemorySegment only) {
    current = only;
    length = only.byteSize();
    count = 0;
    number = 0;
    start = 0;
  }

  /** Takes over several segments if there are any, else the only one; but not the array. */
  void set(MemorySegment only, MemorySegment @Nullable [] segments) {
    set(segments == null || segments.length == 0 ? only : segments[0]);
    if (segments != null && segments.length > 1) {
      if (all == null) {
        all = new @Nullable MemorySegment[TcpLimits.IOV_LIMIT];
      }
      System.arraycopy(segments, 0, all, 0, segments.length);
      count = segments.length;
      for (int i = 1; i < count; i++) {
        length += segments[i].byteSize();
      }
    }
  }

  /** Bytes of all of them. */
  long length() {
    return length;
  }

  /** The piece in which a byte of the message lies; the last one for its end. */
  MemorySegment at(long offset) {
    if (count > 0) {
      if (offset < start) {
        number = 0;
        start = 0;
        current = piece(0);
      }
      while (offset - start >= current.byteSize() && number < count - 1) {
        start += current.byteSize();
        current = piece(++number);
      }
    }
    return current;
  }

  /** Where in the message the piece begins that {@link #at} gave last. */
  long start() {
    return start;
  }

  private MemorySegment piece(int which) {
    MemorySegment piece = all == null ? null : all[which];
    return piece == null ? NOTHING : piece;
  }

  /** How many bytes from one on lie in the same piece. */
  long contiguous(long offset) {
    long size = at(offset).byteSize();
    return size - (offset - start);
  }

  /** Copies bytes to one place. */
  void copyTo(MemorySegment target, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long size = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(at(offset + done), offset + done - start, target, at + done, size);
      done += size;
    }
  }

  /** Copies bytes from one place. */
  void copyFrom(MemorySegment source, long at, long offset, long bytes) {
    long done = 0;
    while (done < bytes) {
      long size = Math.min(bytes - done, contiguous(offset + done));
      MemorySegment.copy(source, at + done, at(offset + done), offset + done - start, size);
      done += size;
    }
  }

  /** Why a thread cannot use one of them, or null if it can use all. */
  @Nullable String refusal(Thread thread) {
    String refusal = PostedMemory.refusal(count == 0 ? current : piece(0), thread);
    for (int i = 1; i < count && refusal == null; i++) {
      refusal = PostedMemory.refusal(piece(i), thread);
    }
    return refusal;
  }

  void clear() {
    for (int i = 0; i < count; i++) {
      if (all != null) {
        all[i] = null;
      }
    }
    set(NOTHING);
  }
}
